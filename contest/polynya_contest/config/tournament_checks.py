"""Reads a tournament's description; errors name the place and the remedy."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polynya_common.database_address import resolved_address
from polynya_common.errors import ConfigurationError
from polynya_common.text import join_words
from polynya_contest.config.bot_names import check_name, command_words
from polynya_contest.config.builtin_bots import builtin_command, games_of_builtin
from polynya_contest.config.dask_settings import DaskSettings, check_dask
from polynya_contest.config.duplicate_deals import require_closed
from polynya_contest.config.sandbox_settings import check_sandbox
from polynya_contest.config.setting_tables import (
    RATING,
    SANDBOX,
    refuse_flat,
    refuse_unknown_settings,
)
from polynya_contest.config.toml_files import (
    converted,
    options_with_files,
    read_toml,
    refuse_unknown,
)
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.format_settings import check_ranges, in_range
from polynya_contest.pairing.formats.formats_by_name import SETTINGS
from polynya_contest.ratings.model import ANCHORS, RatingSettings
from polynya_contest.secret import MOST_BEACON
from polynya_games import GameError, load, recorded_name
from polynya_protocol.messages import Clock
from polynya_server import ServerSettings
from polynya_server.match.match_setup import check_game
from polynya_server.match.time_control import MAX_CLOCK_MS

__all__ = [
    "BotConfiguration",
    "TournamentConfiguration",
    "check_configuration",
    "load_configuration",
]

_RESERVED = "ladder"
MOST_NAMED = 8
"""The number of games that a sentence names."""
_ABOVE = ("host", "port", "open_registration")


def load_configuration(
    path: Path, before_check: Callable[[TournamentConfiguration], None] = lambda _: None
) -> TournamentConfiguration:
    """Load and check a description; relative paths become absolute.

    Args:
        path: its file.
        before_check: called before its game is asked whether it can be played so.

    Raises:
        ConfigurationError: the message names the file, the key and what to write instead.
    """
    document = read_toml(path)
    try:
        _refuse_unknown_keys(document)
        configuration = _resolved(
            converted(with_players(document, path.parent.resolve()), TournamentConfiguration),
            path.parent.resolve(),
        )
        before_check(configuration)
        check_configuration(configuration)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    return configuration


def with_players(document: Mapping[str, Any], folder: Path | None = None) -> dict[str, Any]:
    """Name the game of a document as it is recorded, and default ``players`` to its minimum.

    Args:
        document: the file's content.
        folder: where the file lies: from there begins the path of a game's folder.

    Raises:
        ConfigurationError: a folder has no game, or another system has none of that name.
    """
    try:
        game = recorded_name(game_from(document["game"], folder))
    except (KeyError, TypeError):
        return dict(document)  # what is wrong with the game is said when the document is checked
    except GameError as error:
        raise ConfigurationError(f"game: {error}") from error
    try:
        return {"players": load(game).min_players, **document, "game": game}
    except GameError:
        return dict(document)  # as above


def game_from(text: Any, folder: Path | None) -> Any:
    """A game as a file names it: a relative path, if it is one, begins at the file's folder."""
    if folder is None or not isinstance(text, str) or os.sep not in text:
        return text
    return str(folder / text)


def _refuse_unknown_keys(document: dict[str, Any]) -> None:
    if not document.keys() & {"name", "bots"}:
        raise ConfigurationError(
            "it has neither name nor bots, so it describes no tournament; "
            "a file with a server's settings is for 'polynya serve'"
        )
    refuse_flat(document, (RATING, SANDBOX))
    refuse_unknown(document, TournamentConfiguration.__struct_fields__, "")
    refuse_unknown_settings(document, (RATING, SANDBOX))
    refuse_unknown(document.get("clock"), Clock.__struct_fields__, "clock.")
    refuse_unknown(document.get("server"), ServerSettings.__struct_fields__, "server.")
    refuse_unknown(document.get("dask"), DaskSettings.__struct_fields__, "dask.")
    for name, settings in SETTINGS.items():
        refuse_unknown(document.get(name), settings.__struct_fields__, f"{name}.")
    bots = document.get("bots")
    for number, bot in enumerate(bots if isinstance(bots, list) else []):
        refuse_unknown(bot, BotConfiguration.__struct_fields__, f"bots[{number}].")
    for key in _ABOVE:
        if key in (document.get("server") or {}):
            raise ConfigurationError(
                f"server.{key}: in a tournament, {key} stands above the tables"
            )


def _resolved(configuration: TournamentConfiguration, folder: Path) -> TournamentConfiguration:
    def absolute(path: str) -> str:
        return str(folder / Path(path).expanduser())

    bots = [
        msgspec.structs.replace(
            bot,
            directory=absolute(bot.directory or "."),
            folder=absolute(given) if (given := bot.folder or bot.directory) else None,
        )
        for bot in configuration.bots
    ]
    logs, server, uploads = configuration.logs, configuration.server, configuration.uploads
    sandbox = configuration.sandbox
    dask = configuration.dask
    dask_files = {
        key: absolute(path)
        for key in ("tls_ca", "tls_cert", "tls_key")
        if dask is not None and (path := getattr(dask, key))
    }
    files = {
        key: absolute(path) for key in ("tls_cert", "tls_key") if (path := getattr(server, key))
    }
    return msgspec.structs.replace(
        configuration,
        bots=bots,
        options=options_with_files(configuration.options, folder),
        database=resolved_address(configuration.database, folder),
        uploads=absolute(uploads) if uploads is not None else None,
        logs=absolute(logs) if logs is not None else None,
        sandbox=msgspec.structs.replace(sandbox, paths=tuple(map(absolute, sandbox.paths))),
        dask=None if dask is None else msgspec.structs.replace(dask, **dask_files),
        server=msgspec.structs.replace(server, **files),
    )


def check_configuration(configuration: TournamentConfiguration) -> None:
    """Refuse a description that no tournament can be played by.

    Raises:
        ConfigurationError: the message names the key.
    """
    check_name(configuration.name, "name")
    if configuration.name == _RESERVED:
        raise ConfigurationError(f"name: {_RESERVED} is the name of the standing server's matches")
    check_ranges(configuration)
    check_ranges(configuration.rating, "rating.")
    for check in (
        _check_times,
        _check_beacon,
        _check_clock,
        _check_bots,
        _check_format,
        _check_game,
        _check_games_of_builtins,
        lambda checked: check_sandbox(checked.sandbox),
        lambda checked: None if checked.dask is None else check_dask(checked.dask),
    ):
        check(configuration)


def check_for_play(configuration: TournamentConfiguration) -> None:
    """The same for a tournament that is to be played here, with its sandbox.

    Raises:
        ConfigurationError: the message names the key.
    """
    check_configuration(configuration)
    require_closed(configuration)


def _check_beacon(configuration: TournamentConfiguration) -> None:
    """Refuse a beacon that says nothing, or that cannot help."""
    beacon = configuration.beacon
    if beacon is None:
        return
    if not beacon.strip() or len(beacon) > MOST_BEACON or not beacon.isprintable():
        raise ConfigurationError(
            "beacon: say in one line which public value it will be, like 'the lottery numbers of "
            "12 December'"
        )
    if configuration.seed is not None:
        raise ConfigurationError(
            "beacon: with a seed everybody can foresee the set-ups; leave out one of both"
        )


_FIRST_YEAR, _LAST_YEAR = 1970, 9998
"""Such a moment exists in every time zone."""


def _check_times(configuration: TournamentConfiguration) -> None:
    for key in ("closes", "results_from"):
        value = getattr(configuration, key)
        if value is not None and value.tzinfo is None:
            raise ConfigurationError(
                f"{key}: {value} has no time zone; write it as 2026-12-01T18:00:00Z or with +01:00"
            )
        if value is not None and not _FIRST_YEAR <= value.year <= _LAST_YEAR:
            raise ConfigurationError(
                f"{key}: {value} is not in the years {_FIRST_YEAR} to {_LAST_YEAR}"
            )
    if configuration.freeze_min is not None and configuration.results_from is None:
        raise ConfigurationError("freeze_min counts from results_from: give results_from, too")


CLOCK_RANGES: Mapping[str, tuple[int, int]] = {
    "initial_ms": (1, MAX_CLOCK_MS),
    "increment_ms": (0, MAX_CLOCK_MS),
    "move_ms": (1, MAX_CLOCK_MS),
}
"""Of the times of a clock."""


def check_clock_ranges(clock: Clock) -> None:
    """Refuse clock times outside of their ranges.

    Raises:
        ConfigurationError: the message names the key.
    """
    for key, (least, most) in CLOCK_RANGES.items():
        value = getattr(clock, key)
        if value is not None:
            in_range(f"clock.{key}", value, least, most)


def _check_clock(configuration: TournamentConfiguration) -> None:
    clock = configuration.clock
    if clock.initial_ms is None and clock.move_ms is None:
        raise ConfigurationError("clock: give initial_ms, move_ms or both")
    check_clock_ranges(clock)


def _check_bots(configuration: TournamentConfiguration) -> None:
    bots = configuration.bots
    if len(bots) < configuration.players:
        raise ConfigurationError(
            f"bots: {len(bots)} are too few for matches of {configuration.players}"
        )
    if configuration.server.tls_cert is not None and not all(bot.external for bot in bots):
        raise ConfigurationError(
            "server.tls_cert: bots that are started here connect without TLS; "
            "use it where all bots are external"
        )
    check_anchors(configuration.rating, [bot.name for bot in bots])
    earlier: set[str] = set()
    for number, bot in enumerate(bots):
        check_name(bot.name, f"bots[{number}].name")
        if bot.name in earlier:
            raise ConfigurationError(f"bots[{number}].name: {bot.name} occurs twice")
        earlier.add(bot.name)
        _check_start(bot, f"bots[{number}]")


def check_anchors(rating: RatingSettings, names: Sequence[str] | None = None) -> None:
    """Refuse impossible fixed ratings.

    Args:
        rating: has them.
        names: of the bots that may have one, None for all.

    Raises:
        ConfigurationError: the message names the key.
    """
    for name, anchor in rating.anchors.items():
        check_name(name, "rating.anchors")
        if names is not None and name not in names:
            raise ConfigurationError(
                f"rating.anchors: {name} is none of the bots {join_words(names)}"
            )
        in_range(f"rating.anchors.{name}", anchor, *ANCHORS[rating.system])


def _check_start(bot: BotConfiguration, key: str) -> None:
    ways = [bool(bot.command), bot.builtin is not None, bot.external, bot.upload is not None]
    if sum(ways) != 1:
        raise ConfigurationError(
            f"{key} ({bot.name}): give exactly one of command, builtin, upload and external = true"
        )
    if bot.upload is not None:
        name, at, version = bot.upload.partition("@")
        if not name or (at and not version):
            raise ConfigurationError(
                f"{key}.upload: write it as NAME@VERSION, or as NAME for the version that plays "
                f"when the tournament begins, not {bot.upload!r}"
            )
    if bot.builtin is not None:
        builtin_command(bot.builtin)
    if isinstance(bot.command, str):
        try:
            command_words(bot.command)
        except ValueError as error:
            raise ConfigurationError(f"{key}.command: {error} in {bot.command!r}") from error
    if bot.directory is not None and not Path(bot.directory).is_dir():
        raise ConfigurationError(f"{key}.directory: there is no folder {bot.directory}")


def _check_format(configuration: TournamentConfiguration) -> None:
    chosen, settings = configuration.format, configuration.format_settings
    for name in SETTINGS:
        if name != chosen and getattr(configuration, name, None) is not None:
            raise ConfigurationError(f'{name}: this is not used unless format = "{name}"')
    if settings is None:
        raise ConfigurationError(f"format: {chosen} needs a table [{chosen}] with its settings")
    if configuration.cycles != 1 and not settings.takes_cycles:
        raise ConfigurationError(f"cycles: {chosen} has none; its own settings say how much it is")
    settings.check([bot.name for bot in configuration.bots], configuration.players)


def _check_game(configuration: TournamentConfiguration) -> None:
    try:
        game = load(configuration.game)
        check_game(game, configuration.players, configuration.seed or 0, configuration.options)
    except GameError as error:
        raise ConfigurationError(f"game, players or options: {error}") from error
    if configuration.reveal != "match" and not game.has_view:
        raise ConfigurationError(
            f"reveal: {game.title} hides nothing, so nothing can be revealed later; leave it out "
            "(results_from hides results)"
        )
    if configuration.duplicate and not game.secret_seed:
        raise ConfigurationError(
            f"duplicate: {game.title} deals nothing in secret; leave it out (all matches of a "
            "block have the same set-up)"
        )


def _check_games_of_builtins(configuration: TournamentConfiguration) -> None:
    for number, bot in enumerate(configuration.bots):
        games = None if bot.builtin is None else games_of_builtin(bot.builtin)
        if games is not None and configuration.game not in games:
            raise ConfigurationError(
                f"bots[{number}] ({bot.name}): the built-in bot {bot.builtin} does not play "
                f"{configuration.game}; it plays {_first_of(games)}"
            )


def _first_of(games: list[str]) -> str:
    """Up to eight games, and the number of the others."""
    if len(games) <= MOST_NAMED:
        return join_words(games)
    return join_words([*games[:MOST_NAMED], f"{len(games) - MOST_NAMED} others"])
