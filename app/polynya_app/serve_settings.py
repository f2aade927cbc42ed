"""The settings of a standing server: a TOML file, and flags that override it."""

from __future__ import annotations

import ipaddress
import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from polynya_common.database_address import database_address, resolved_address
from polynya_common.errors import ConfigurationError
from polynya_contest.config.option_files import options_with_files
from polynya_contest.config.sandbox_settings import (
    SandboxLimits,
    SandboxName,
    SandboxSettings,
    check_sandbox,
)
from polynya_contest.config.toml_files import converted, read_toml, refuse_unknown
from polynya_contest.config.tournament_checks import (
    check_anchors,
    check_clock_ranges,
    with_players,
)
from polynya_contest.config.tournament_configuration import (
    MOST_SEED,
    TournamentConfiguration,
)
from polynya_contest.pairing.formats.format_settings import check_ranges
from polynya_contest.ratings.model import RATING_RANGES, RatingSettings
from polynya_contest.ratings.pool import System
from polynya_games import DEFAULT_GAME, LEAST_PLAYERS, MOST_PLAYERS, load
from polynya_protocol.messages import Clock
from polynya_server import ServerSettings
from polynya_server.match.match_setup import check_game
from polynya_server.match.time_control import check_clock
from polynya_server.settings import Setting, int_setting, number_setting, setting, settings_of
from polynya_tournaments.ladder.ladder import LadderSettings
from polynya_tournaments.uploads.building.mirrors import mirrors_of
from polynya_tournaments.uploads.hosting import HostingLimits
from polynya_tournaments.uploads.quotas import Quotas
from polynya_tournaments.uploads.retention import Retention
from polynya_tournaments.uploads.service import UploadSettings

DEFAULT_CLOCK = Clock(initial_ms=60_000, increment_ms=500)
DEFAULT_PORT = 4242
PATHS = ("tls_cert", "tls_key")


class ServeSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys of the file; ``anchors``, ``clock``, ``options``, ``server``, ``web`` are tables.

    Attributes:
        upload_mirrors: the hosts that builds of uploads may download from, each
            ``HOST[:PORT][=ADDRESS]``.
        upload_environment: variables of these builds, such as addresses of own registries.
        sandbox_command, sandbox_paths, sandbox_limits: see
            :class:`~polynya_contest.config.sandbox_settings.SandboxSettings`.
        anchors: ratings that never change, by the bots' names.
        clock: the time limits of each match.
        options: the game's set-up options.
        server: settings of ``ServerSettings``, by name.
        web: settings of the web pages, by name; None for no pages.
    """

    game: Annotated[str, setting("The name of an installed game.")] = DEFAULT_GAME
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
        int, int_setting("The most matches that are played at the same time.", "matches", 1, 10_000)
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
    rating: Annotated[
        System, setting("The rating system: elo or openskill (for more than two players).")
    ] = "elo"
    # Half of a tournament's: a ladder goes on for ever, and wavers less with a smaller one.
    k_factor: Annotated[
        float,
        number_setting(
            "Elo's K of a bot that has settled; in a tournament the default is 32.",
            "",
            *RATING_RANGES["k_factor"],
        ),
    ] = 16.0
    k_first: Annotated[
        float,
        number_setting(
            "K in a bot's first match; K falls to k_factor while the rating is provisional.",
            "",
            *RATING_RANGES["k_first"],
        ),
    ] = RatingSettings().k_first
    provisional_games: Annotated[
        int,
        int_setting(
            "The number of matches after which a rating is no longer provisional.",
            "matches",
            *RATING_RANGES["provisional_games"],
        ),
    ] = RatingSettings().provisional_games
    inactivity_days: Annotated[
        int,
        int_setting(
            "Days without a match after which a rating is as uncertain as a new bot's; "
            "0 for never.",
            "days",
            0,
            36_500,
        ),
    ] = 0
    start_rating: Annotated[
        float,
        number_setting(
            "Elo's rating of a bot without matches.", "", *RATING_RANGES["start_rating"]
        ),
    ] = RatingSettings().start
    seed: (
        Annotated[
            int,
            int_setting(
                "Decides set-ups and ties between bots; by default new at each start.",
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
    metrics_host: Annotated[str, setting("The address that metrics and health are served on.")] = (
        "127.0.0.1"
    )
    metrics_port: (
        Annotated[
            int,
            int_setting(
                "The port of metrics and health, 0 for any free one; by default none are served.",
                "",
                0,
                65_535,
            ),
        ]
        | None
    ) = None
    operator_token_file: (
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
    uploads: (
        Annotated[
            str,
            setting(
                "The folder of programs that authors upload; by default the server accepts none. "
                "The server builds them and runs them in a sandbox."
            ),
        ]
        | None
    ) = None
    upload_processes: Annotated[
        int,
        int_setting("The most uploaded bots that run at the same time.", "processes", 2, 10_000),
    ] = HostingLimits().processes
    upload_idle_s: Annotated[
        int,
        int_setting(
            "Time that the process of an uploaded bot without matches keeps running.", "s", 1
        ),
    ] = int(HostingLimits().idle_s)
    upload_mirrors: list[str] = []
    upload_environment: dict[str, str] = {}
    upload_builds: Annotated[
        int,
        int_setting(
            "The most uploads that are built at the same time; at most one of each owner.",
            "",
            1,
            64,
        ),
    ] = UploadSettings().builds
    upload_per_hour: Annotated[
        int,
        int_setting("The most uploads of one bot in an hour.", "uploads", 1, 10_000),
    ] = Quotas().per_hour
    upload_per_day: Annotated[
        int,
        int_setting("The most uploads of one bot in a day.", "uploads", 1, 10_000),
    ] = Quotas().per_day
    upload_network_per_day: Annotated[
        int,
        int_setting(
            "The most uploads from one network in a day, for all bots together.",
            "uploads",
            1,
            1_000_000,
        ),
    ] = Quotas().network_per_day
    upload_versions: Annotated[
        int,
        int_setting("The most versions of one bot that the server keeps.", "versions", 1, 10_000),
    ] = Quotas().versions
    upload_kept_mb: Annotated[
        int,
        int_setting(
            "The most disk space of the archives and built programs of one bot.",
            "MiB",
            1,
            1_000_000,
        ),
    ] = Quotas().kept_mb
    upload_programs: Annotated[
        int,
        int_setting(
            "The most versions of each bot that stay built; the server builds an older one again "
            "when its author chooses it.",
            "versions",
            1,
            10_000,
        ),
    ] = Retention().programs
    upload_refused: Annotated[
        int,
        int_setting(
            "The most refused versions of each bot that the server keeps, with archive and log.",
            "versions",
            0,
            10_000,
        ),
    ] = Retention().refused
    upload_refused_days: Annotated[
        int, int_setting("Time that the server keeps refused versions.", "days", 1, 36_500)
    ] = Retention().refused_days
    upload_sources: Annotated[
        Literal["private", "published"],
        setting(
            "published: everybody may download the archives that played in a tournament once it is "
            "over and its results are shown; private: only the author may."
        ),
    ] = "private"
    sandbox: Annotated[
        SandboxName,
        setting(
            "The sandbox of tournaments that the operator's pages start, unless their description "
            "names one: none, bubblewrap, landlock or command. Uploaded bots always run in a "
            "sandbox, by default in bubblewrap."
        ),
    ] = "none"
    sandbox_command: list[str] = []
    sandbox_paths: list[str] = []
    sandbox_limits: SandboxLimits = SandboxLimits()
    anchors: dict[str, float] = {}
    clock: Clock = DEFAULT_CLOCK
    options: dict[str, Any] = {}
    server: dict[str, Any] = {}
    web: dict[str, Any] | None = None

    @property
    def shown(self) -> dict[str, Any]:
        """All settings by name, tables too, for the host; without the seed."""
        found: dict[str, Any] = {}
        for key, value in msgspec.to_builtins(self).items():
            if isinstance(value, dict):
                found |= {f"{key}.{name}": one for name, one in value.items()}
            elif key != "seed":
                found[key] = str(database_address(value)) if key == "database" else value
        return found

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
            sandbox_command=self.sandbox_command,
            sandbox_paths=self.sandbox_paths,
            sandbox_limits=self.sandbox_limits,
        )

    @property
    def upload_settings(self) -> UploadSettings:
        """The settings of uploads."""
        return UploadSettings(
            HostingLimits(processes=self.upload_processes, idle_s=self.upload_idle_s),
            Quotas(
                per_hour=self.upload_per_hour,
                per_day=self.upload_per_day,
                network_per_day=self.upload_network_per_day,
                versions=self.upload_versions,
                kept_mb=self.upload_kept_mb,
            ),
            Retention(
                refused=self.upload_refused,
                refused_days=self.upload_refused_days,
                programs=self.upload_programs,
            ),
            self.upload_builds,
            self.upload_sources,
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

    @property
    def sandbox_settings(self) -> SandboxSettings:
        """The sandbox of the bots that this server starts."""
        return SandboxSettings(
            sandbox=self.sandbox,
            sandbox_command=tuple(self.sandbox_command),
            sandbox_paths=tuple(self.sandbox_paths),
            limits=self.sandbox_limits,
        )

    def ladder(self) -> LadderSettings:
        """The settings of the ladder.

        Raises:
            GameError: the game, its options or the number of players are impossible.
            ConfigurationError: so are the anchors.
        ValueError: so is the clock.
        """
        check_anchors(self.anchors, self.rating)
        seed = secrets.randbits(64) if self.seed is None else self.seed
        check_clock(self.clock)
        check_game(load(self.game), self.players, seed, self.options)
        return LadderSettings(
            game=self.game,
            clock=self.clock,
            players=self.players,
            options=self.options,
            seed=seed,
            rating=replace(RatingSettings.of(self), inactivity_days=self.inactivity_days),
            concurrency=self.concurrency,
            seat_games=self.seat_games,
            pace_ms=self.pace_ms,
            suspend_after=self.suspend_after,
        )


SERVE_SETTINGS: tuple[Setting, ...] = settings_of(ServeSettings)


def read_serve_settings(path: Path | None, words: Mapping[str, Any]) -> ServeSettings:
    """The settings in force; relative paths in the file start at the file's folder.

    Args:
        path: the file, None for none.
        words: the flags of the command line, in the form of the file; they override it.

    Raises:
        ConfigurationError: the message names the file or the word, and what to write instead.
    """
    if path is None:
        return _settings(words)
    document = read_toml(path)
    try:
        _refuse_unknown_keys(document)
        _settings(document)
    except ConfigurationError as error:
        raise ConfigurationError(f"{path}: {error}") from error
    return _settings(_merged(_resolved(document, path.parent.resolve()), words))


def _settings(document: Mapping[str, Any]) -> ServeSettings:
    game = document.get("game", ServeSettings().game)
    settings = converted(with_players({"game": game, **document}), ServeSettings)
    check_ranges(settings)
    check_clock_ranges(settings.clock)
    settings.make_server_settings()  # refuses impossible values
    if mirrors_of(settings.upload_mirrors):
        _check_network(settings)
    check_sandbox(settings.sandbox_settings)
    return settings


def _check_network(settings: ServeSettings) -> None:
    """Refuse mirrors where a build has no network of its own, in which it could reach them.

    Raises:
        ConfigurationError: that is so.
    """
    is_guarded = settings.sandbox == "command" and "{guard}" in settings.sandbox_command
    if not is_guarded and settings.sandbox not in ("none", "bubblewrap"):
        raise ConfigurationError(
            "upload_mirrors: builds reach mirrors in bubblewrap, or by a sandbox_command with "
            f"'{{guard}}', and not in this sandbox, {settings.sandbox}"
        )


def _refuse_unknown_keys(document: dict[str, Any]) -> None:
    if "bots" in document:
        raise ConfigurationError(
            "it describes a tournament, which 'polynya tournament run' plays; "
            "bots come to a standing server by themselves"
        )
    refuse_unknown(document, ServeSettings.__struct_fields__, "")
    refuse_unknown(document.get("clock"), Clock.__struct_fields__, "clock.")
    refuse_unknown(document.get("server"), ServerSettings.__struct_fields__, "server.")
    refuse_unknown(
        document.get("sandbox_limits"), SandboxLimits.__struct_fields__, "sandbox_limits."
    )


def _resolved(document: dict[str, Any], folder: Path) -> dict[str, Any]:
    def absolute(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
        paths = {key: str(folder / Path(table[key]).expanduser()) for key in keys if key in table}
        return {**table, **paths}

    server = absolute(document.get("server", {}), *PATHS)
    return {
        **absolute(
            document,
            "operator_token_file",
            "tournaments",
            "uploads",
        ),
        "database": resolved_address(document.get("database", ServeSettings().database), folder),
        "server": server,
        "options": options_with_files(document.get("options", {}), folder),
        "sandbox_paths": [
            str(folder / Path(path).expanduser()) for path in document.get("sandbox_paths", [])
        ],
    }


def _merged(document: Mapping[str, Any], words: Mapping[str, Any]) -> dict[str, Any]:
    server = {**document.get("server", {}), **words.get("server", {})}
    options = {**document.get("options", {}), **words.get("options", {})}
    merged = {**document, **words, "server": server, "options": options}
    if "web" in merged:
        merged["web"] = {**document.get("web", {}), **words.get("web", {})}
    return merged


def is_loopback(host: str) -> bool:
    """Whether only this machine can connect to ``host``."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
