"""The settings of a standing server: a TOML file, and flags that override it."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import msgspec

from polynya_app.flags.parameters import refuse_bare_folder
from polynya_common.database_address import database_address, resolved_address
from polynya_common.errors import ConfigurationError
from polynya_contest.config.sandbox_settings import SandboxSettings, check_sandbox
from polynya_contest.config.setting_tables import (
    RATING,
    SANDBOX,
    SettingTable,
    refuse_flat,
    refuse_unknown_settings,
)
from polynya_contest.config.toml_files import (
    converted,
    options_with_files,
    read_toml,
    refuse_unknown,
)
from polynya_contest.config.tournament_checks import (
    check_anchors,
    check_clock_ranges,
    game_from,
    with_players,
)
from polynya_contest.config.tournament_configuration import (
    MOST_SEED,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.format_settings import check_ranges
from polynya_contest.ratings.model import RatingSettings
from polynya_games import DEFAULT_GAME, LEAST_PLAYERS, MOST_PLAYERS, load
from polynya_protocol.messages import Clock
from polynya_server import ServerSettings
from polynya_server.match.match_setup import check_game
from polynya_server.match.time_control import check_clock
from polynya_server.settings import MAX_PORT, Setting, int_setting, setting, settings_of
from polynya_tournaments.ladder.ladder import LadderSettings
from polynya_tournaments.uploads.building.mirrors import mirrors_of
from polynya_tournaments.uploads.settings import UploadSettings

DEFAULT_CLOCK = Clock(initial_ms=60_000, increment_ms=500)
DEFAULT_PORT = 4242
PATHS = ("tls_cert", "tls_key")


LADDER_RATING = RatingSettings(k_factor=16.0)
"""K is half of a tournament's: a ladder goes on for ever, and wavers less with a smaller one."""


class MetricsSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table ``[metrics]``."""

    host: Annotated[str, setting("The address that metrics and health are served on.")] = (
        "127.0.0.1"
    )
    port: (
        Annotated[
            int,
            int_setting(
                "The port of metrics and health, 0 for any free one; by default none are served.",
                "",
                0,
                MAX_PORT,
            ),
        ]
        | None
    ) = None


class OperatorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table ``[operator]``: what the operator's pages need."""

    token_file: (
        Annotated[
            str,
            setting(
                "A file with the token that opens the operator's pages; by default the first start "
                "with web pages creates a token and prints it once."
            ),
        ]
        | None
    ) = None
    tournaments: (
        Annotated[
            str,
            setting("The folder of tournament descriptions that the operator's pages can start."),
        ]
        | None
    ) = None


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the file, and its tables.

    Attributes:
        clock: the time limits of each match.
        options: the game's set-up options.
        server: settings of ``ServerSettings``, by name.
        web: settings of the web pages, by name; None for no pages.
    """

    game: Annotated[
        str, setting("An installed game, the folder of a game as ./nim, or openspiel:NAME.")
    ] = DEFAULT_GAME
    players: Annotated[
        int,
        int_setting(
            "The number of players of a match; by default the fewest that the game allows.",
            "players",
            LEAST_PLAYERS,
            MOST_PLAYERS,
        ),
    ] = LEAST_PLAYERS
    database: Annotated[
        str, setting("The database: a file (created if missing), or postgresql://USER@HOST/NAME.")
    ] = "polynya.sqlite"
    concurrency: Annotated[
        int,
        int_setting(
            "The most matches that are played at the same time; a match of a game with joint turns "
            "counts as many as it has seats.",
            "matches",
            1,
            10_000,
        ),
    ] = 64
    seat_games: Annotated[
        int,
        int_setting(
            "Matches that a bot plays in each seat before pairing goes by information gain.",
            "matches",
            0,
        ),
    ] = 3
    pace_ms: Annotated[int, int_setting("Time that a bot rests after a match.", "ms", 0)] = 30_000
    seed: (
        Annotated[
            int,
            int_setting(
                "Decides set-ups, so that everybody can foresee them; without it they follow from "
                "a secret, new each month.",
                "",
                0,
                MOST_SEED,
            ),
        ]
        | None
    ) = None
    grace_ms: Annotated[
        int,
        int_setting(
            "The longest time that matches in play continue when the server stops.", "ms", 0
        ),
    ] = 5_000
    suspend_after: Annotated[
        int,
        int_setting(
            "The server suspends a bot after this many matches in a row, or half of its last 20, "
            "that it lost by its own fault; 0 for never.",
            "matches",
            0,
        ),
    ] = 5
    rating: RatingSettings = LADDER_RATING
    metrics: MetricsSettings = MetricsSettings()
    operator: OperatorSettings = OperatorSettings()
    uploads: UploadSettings = UploadSettings()
    sandbox: SandboxSettings = SandboxSettings()
    clock: Clock = DEFAULT_CLOCK
    options: dict[str, Any] = {}
    server: dict[str, Any] = {}
    web: dict[str, Any] | None = None

    @property
    def shown(self) -> dict[str, Any]:
        """All settings by name, tables too, for the host; without the seed."""
        found = _flat(msgspec.to_builtins(self))
        del found["seed"]
        return found | {"database": str(database_address(self.database))}

    @property
    def contest(self) -> TournamentConfiguration:
        """The part of the configuration that validation matches share with the ladder."""
        return TournamentConfiguration(
            name="validation",
            game=self.game,
            bots=[],
            clock=self.clock,
            options=self.options,
            players=self.players,
            sandbox=self.sandbox,
        )

    def make_server_settings(self) -> ServerSettings:
        """The settings of the server, with the port and the registration of a standing server.

        Raises:
            ConfigurationError: one of them is impossible.
        """
        given = {"port": DEFAULT_PORT} | self.server
        host = given.get("host", ServerSettings().host)
        given.setdefault("open_registration", isinstance(host, str) and is_loopback(host))
        return converted(given, ServerSettings, "server")

    def ladder(self) -> LadderSettings:
        """The settings of the ladder.

        Raises:
            GameError: the game, its options or the number of players are impossible.
            ConfigurationError: so are the anchors.
            ValueError: so is the clock.
        """
        check_anchors(self.rating)
        check_clock(self.clock)
        check_game(load(self.game), self.players, self.seed or 0, self.options)
        return LadderSettings(
            game=self.game,
            clock=self.clock,
            players=self.players,
            options=self.options,
            seed=self.seed,
            rating=self.rating,
            concurrency=self.concurrency,
            seat_games=self.seat_games,
            pace_ms=self.pace_ms,
            suspend_after=self.suspend_after,
        )


TABLES: tuple[SettingTable, ...] = (
    RATING,
    SettingTable("metrics", MetricsSettings, "metrics_"),
    SettingTable("operator", OperatorSettings, "operator_", {"tournaments": "tournaments"}),
    SettingTable("uploads", UploadSettings, "upload_", {"folder": "uploads"}),
    SANDBOX,
)


def table_settings(table: SettingTable) -> tuple[Setting, ...]:
    """The settings of a table with the defaults of a standing server."""
    defaults = getattr(ServeSettings(), table.name)
    return tuple(
        replace(one, default=getattr(defaults, one.name)) for one in settings_of(table.kind)
    )


SERVE_SETTINGS: tuple[Setting, ...] = settings_of(ServeSettings)
"""Those above the tables."""

FLAG_SETTINGS: tuple[Setting, ...] = SERVE_SETTINGS + tuple(
    replace(one, name=table.flat_name(one.name))
    for table in TABLES
    for one in table_settings(table)
)
"""All that have flags, by their flat names."""


def in_tables(flat: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by their flat names, in the form of the file."""
    found = dict(flat)
    for table in TABLES:
        names = {table.flat_name(key): key for key in table.keys}
        given = {key: found.pop(name) for name, key in names.items() if name in found}
        if given:
            found[table.name] = given
    return found


def read_serve_settings(path: Path | None, words: Mapping[str, Any]) -> ServeSettings:
    """The settings in force; relative paths in the file start at the file's folder.

    Args:
        path: the file, None for none.
        words: the flags of the command line, in the form of the file; they override it.

    Raises:
        ConfigurationError: the message names the file or the word, and what to write instead.
    """
    if "game" in words:
        refuse_bare_folder(words["game"])
    if path is None:
        return _settings(words)
    document = read_toml(path)
    if "game" in document:
        document["game"] = game_from(document["game"], path.parent.resolve())
    try:
        _refuse_unknown_keys(document)
        _settings(document)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    return _settings(_merged(_resolved(document, path.parent.resolve()), words))


def _settings(document: Mapping[str, Any]) -> ServeSettings:
    game = document.get("game", ServeSettings().game)
    settings = converted(with_players({"game": game, **_with_k(document)}), ServeSettings)
    check_ranges(settings)
    for table in TABLES:
        check_ranges(getattr(settings, table.name), f"{table.name}.")
    check_sandbox(settings.sandbox)
    check_clock_ranges(settings.clock)
    settings.make_server_settings()  # refuses impossible values
    if mirrors_of(settings.uploads.mirrors):
        _check_network(settings.sandbox)
    return settings


def _with_k(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with the K of a ladder, if it has a table of ratings without one."""
    rating = document.get(RATING.name)
    if not isinstance(rating, dict):
        return dict(document)
    return {**document, RATING.name: {"k_factor": LADDER_RATING.k_factor, **rating}}


def _check_network(sandbox: SandboxSettings) -> None:
    """Refuse mirrors where a build has no network of its own, in which it could reach them.

    Raises:
        ConfigurationError: that is so.
    """
    is_guarded = sandbox.driver == "command" and "{guard}" in sandbox.command
    if not is_guarded and sandbox.driver not in ("none", "bubblewrap"):
        raise ConfigurationError(
            "uploads.mirrors: builds reach mirrors in bubblewrap, or by a sandbox.command with "
            f"'{{guard}}', and not in this sandbox, {sandbox.driver}"
        )


def _refuse_unknown_keys(document: dict[str, Any]) -> None:
    if "bots" in document:
        raise ConfigurationError(
            "it describes a tournament, which 'polynya tournament run' plays; "
            "bots come to a standing server by themselves"
        )
    refuse_flat(document, TABLES)
    refuse_unknown(document, ServeSettings.__struct_fields__, "")
    refuse_unknown_settings(document, TABLES)
    refuse_unknown(document.get("clock"), Clock.__struct_fields__, "clock.")
    refuse_unknown(document.get("server"), ServerSettings.__struct_fields__, "server.")


def _resolved(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    def absolute(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
        paths = {key: str(folder / Path(table[key]).expanduser()) for key in keys if key in table}
        return {**table, **paths}

    sandbox = document.get("sandbox", {})
    if "paths" in sandbox:
        paths = [str(folder / Path(path).expanduser()) for path in sandbox["paths"]]
        sandbox = {**sandbox, "paths": paths}
    return {
        **document,
        "database": resolved_address(document.get("database", ServeSettings().database), folder),
        "server": absolute(document.get("server", {}), *PATHS),
        "options": options_with_files(document.get("options", {}), folder),
        "operator": absolute(document.get("operator", {}), "token_file", "tournaments"),
        "uploads": absolute(document.get("uploads", {}), "folder"),
        "sandbox": sandbox,
    }


def _merged(document: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    tables = ["server", "options", *(table.name for table in TABLES)]
    if "web" in document or "web" in words:
        tables.append("web")
    merged = {name: {**document.get(name, {}), **words.get(name, {})} for name in tables}
    return {**document, **words, **merged}


def _flat(document: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Settings by their keys, those of tables with a dot."""
    found: dict[str, Any] = {}
    for key, value in document.items():
        found |= _flat(value, f"{above}{key}.") if isinstance(value, dict) else {above + key: value}
    return found


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to ``host``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
