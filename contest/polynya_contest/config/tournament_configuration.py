"""A tournament's description as values, and the part of it that determines the matches."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

import msgspec

from polynya_common.database_address import beside, database_address
from polynya_contest.config.dask_settings import DaskSettings
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.pairing.formats import Entrant, format_of
from polynya_contest.pairing.formats.brackets.knockout import (
    DoubleEliminationSettings,
    KnockoutSettings,
)
from polynya_contest.pairing.formats.format_settings import (
    MOST_MATCHES,
    FormatName,
    FormatSettings,
)
from polynya_contest.pairing.formats.interface import RULES
from polynya_contest.pairing.formats.schedule_settings import (
    GauntletSettings,
    RoundRobinSettings,
    SprtSettings,
)
from polynya_contest.pairing.formats.swiss.swiss_settings import (
    DoubleSwissSettings,
    SwissSettings,
)
from polynya_contest.pairing.schedule import TournamentPlan, pairings_of
from polynya_contest.ratings.model import RatingSettings
from polynya_contest.ratings.pool import Pool, pool_of
from polynya_contest.secret import Secret
from polynya_games import LEAST_PLAYERS, MOST_PLAYERS
from polynya_protocol.messages import Clock
from polynya_server import ServerSettings
from polynya_server.settings import ranged

MOST_SEED = 2**64 - 1


class BotConfiguration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A bot that takes part: exactly one of ``command``, ``builtin``, ``external``, ``upload``.

    Attributes:
        name: see :data:`~polynya_protocol.names.FORM`.
        command: what to start, as a list of words or as one line that is split like a shell's.
        builtin: the name of a built-in bot, instead of a command.
        external: the bot connects from outside.
        upload: ``NAME@VERSION`` of a program that was uploaded, instead of a command; ``NAME`` is
            the version that plays when the tournament begins.
        directory: the working directory of the command; default: the description's.
        environment: variables added to the command's environment.
        folder: the folder that it may read in a sandbox; default: ``directory`` if that is given,
            else the folder of the first file that the command names or, if it names none, the
            working directory.
        withdrawn: it plays no more; what it has not played yet counts as a walkover.
    """

    name: str
    command: list[str] | str | None = None
    builtin: str | None = None
    external: bool = False
    upload: str | None = None
    directory: str | None = None
    environment: dict[str, str] = {}
    folder: str | None = None
    withdrawn: bool = False


class TournamentConfiguration(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True
):
    """A whole tournament; the keys of the TOML file are these attributes.

    Attributes:
        name: identifies it in the database; match ids begin with it.
        game: the name of an installed game.
        bots: the entrants.
        clock: the time limits of each match.
        seed: decides all set-ups, 0 to 2**64 - 1, so that everybody can foresee them; without one
            they follow from a secret.
        beacon: names a public value that will be known later and that the set-ups follow from, too.
        closes: when submissions close: no bot changes its software afterwards; matches begin.
        results_from: before then results are hidden.
        freeze_min: only those of the matches that begin in these minutes before ``results_from``
            are: until then the table stands as it stood when they began.
        reveal: in a game with hidden parts, when the whole of a match may be seen: when it is over
            (``match``), when its round and all before it are (``round``), or when the
            tournament is (``tournament``). Until then only its result is shown.
        duplicate: in a game with hidden chance, one deal for all matches of a block, so that luck
            favours no bot. Its bots must have no way to remember a deal: see
            :mod:`~polynya_contest.config.duplicate_deals`.
        options: the game's set-up options.
        players: the number of players of a match; in a file without it the least of the game.
        format: how matches are drawn up.
        round_robin, gauntlet, swiss, double_swiss, knockout, double_elimination, sprt: the settings
            of the format so named.
        late_entry: what a bot gets for each round that it has missed, if it is added when the
            tournament has begun: ``zero`` or ``half`` a point; with ``no`` none can be added.
        cycles: how often the whole schedule is played, each time with new set-ups.
        concurrency: how many matches are played at the same time; a match of a game with joint
            turns counts as many as it has seats. A bot that is started here is started once for
            each match that it can play, at most once for each processor core.
        share_cores: whether more bots that are all started here may think at the same time than
            there are processor cores.
        fresh_processes: whether each match has fresh processes of the bots that are started here;
            else a process is kept for the next block.
        rating: how the matches are rated.
        database: the file, relative to the description, or ``postgresql://USER@HOST/NAME``.
        uploads: the folder of programs that were uploaded, for bots with ``upload``; they are
            recorded in the same database.
        logs: the folder of the bots' logs; default: a folder beside the database, named after it.
        host, port: where to listen; port 0 is any free one.
        open_registration: whether external bots may claim their names without a token.
        start_ms: how long a started bot may take to connect.
        restarts: how often a bot that ended by itself is started again.
        attempts: how often a match is played in one run when attempts end without a result, not
            counting those that the server annuls.
        absent: what becomes of matches that a bot misses: ``lost``, a point for each opponent that
            is there, or ``open``, left to the next run.
        absent_after_s: how long matches wait for a bot from outside that is not connected.
        sandbox: what bots that are started here run in.
        dask: the workers that play the matches; without it they are played here.
        server: the server's other settings.
    """

    name: str
    game: str
    bots: list[BotConfiguration]
    clock: Clock
    seed: Annotated[int | None, ranged(0, MOST_SEED)] = None
    beacon: str | None = None
    closes: datetime | None = None
    results_from: datetime | None = None
    freeze_min: Annotated[int | None, ranged(1, 100_000)] = None
    reveal: Literal["match", "round", "tournament"] = "match"
    duplicate: bool = False
    options: dict[str, Any] = {}
    players: Annotated[int, ranged(LEAST_PLAYERS, MOST_PLAYERS)] = LEAST_PLAYERS
    format: FormatName = "round_robin"
    round_robin: RoundRobinSettings | None = None
    gauntlet: GauntletSettings | None = None
    swiss: SwissSettings | None = None
    double_swiss: DoubleSwissSettings | None = None
    knockout: KnockoutSettings | None = None
    double_elimination: DoubleEliminationSettings | None = None
    sprt: SprtSettings | None = None
    late_entry: Literal["no", "zero", "half"] = "no"
    cycles: Annotated[int, ranged(1, MOST_MATCHES // 2)] = 1
    concurrency: Annotated[int, ranged(1, 10_000)] = 2
    share_cores: bool = False
    fresh_processes: bool = False
    rating: RatingSettings = RatingSettings()
    database: str = "polynya.sqlite"
    uploads: str | None = None
    logs: str | None = None
    host: str = "127.0.0.1"
    port: Annotated[int, ranged(0, 65_535)] = 0
    open_registration: bool = False
    start_ms: Annotated[int, ranged(1, 3_600_000)] = 20_000
    restarts: Annotated[int, ranged(0, 1_000)] = 3
    attempts: Annotated[int, ranged(1, 1_000)] = 3
    absent: Literal["lost", "open"] = "lost"
    absent_after_s: Annotated[int, ranged(1, 1_000_000)] = 300
    sandbox: SandboxSettings = SandboxSettings()
    dask: DaskSettings | None = None
    server: ServerSettings = ServerSettings()

    @property
    def freezes(self) -> datetime | None:
        """The time when its table freezes; None for never."""
        if self.results_from is None or self.freeze_min is None:
            return None
        return self.results_from - timedelta(minutes=self.freeze_min)

    @property
    def pool(self) -> Pool:
        """The pool that its matches are rated in."""
        return pool_of(self.game, self.players, self.rating.system, self.clock, self.options)

    @property
    def format_settings(self) -> FormatSettings | None:
        """The settings of its format; None if it needs some and the description has none."""
        given: FormatSettings | None = getattr(self, self.format)
        return given or _WITHOUT_TABLE.get(self.format)

    @property
    def logs_folder(self) -> str:
        """Where the bots' logs are."""
        return self.logs or str(beside(database_address(self.database), "-logs"))


_WITHOUT_TABLE: Mapping[str, FormatSettings] = {
    "round_robin": RoundRobinSettings(),
    "knockout": KnockoutSettings(),
    "double_elimination": DoubleEliminationSettings(),
}
"""The formats that need no settings."""

_SCHEDULE_INPUTS = (
    "bots",
    "clock",
    "cycles",
    "format",
    "game",
    "options",
    "players",
)


def schedule_inputs(configuration: TournamentConfiguration) -> dict[str, Any]:
    """The settings that determine the matches, as recorded."""
    found = {key: getattr(configuration, key) for key in _SCHEDULE_INPUTS}
    found["bots"] = tuple(bot.name for bot in configuration.bots)
    found["rules"] = RULES
    rating = configuration.rating
    found |= {"k_factor": rating.k_factor, "start_rating": rating.start}
    settings = configuration.format_settings
    if settings != RoundRobinSettings():
        found[configuration.format] = settings
    # Unused options are omitted, so that tournaments from before them go on.
    found |= {key: value for key, value in _rating_beside_elo(rating).items() if value}
    chance = {"seed": configuration.seed, "beacon": configuration.beacon}
    found |= {key: value for key, value in chance.items() if value is not None}
    found |= {"duplicate": True} if configuration.duplicate else {}
    document: dict[str, Any] = msgspec.to_builtins(found)
    return document


def schedule_inputs_text(configuration: TournamentConfiguration) -> str:
    """The same as JSON text with sorted keys."""
    return msgspec.json.encode(schedule_inputs(configuration), order="sorted").decode()


def _rating_beside_elo(rating: RatingSettings) -> dict[str, Any]:
    """The rating settings in use, besides Elo's K and initial rating."""
    falls = rating.k_first > rating.k_factor
    return {
        "anchors": rating.anchors,
        "inactivity_days": rating.inactivity_days,
        "k_first": falls and rating.k_first,
        "provisional_games": falls and rating.provisional_games,
        "rating": rating.system != "elo" and rating.system,
    }


def plan_of(
    configuration: TournamentConfiguration,
    ratings: Mapping[str, float] | None = None,
    secret: Secret | None = None,
) -> TournamentPlan:
    """Plan the first matches (all, if the format draws them at once) from the description.

    A description that differs in other things (commands, concurrency, addresses, times to start)
    continues the same tournament.

    Args:
        configuration: the checked description.
        ratings: the bots' present ratings, for formats that seed by them.
        secret: what its seeds follow from; default: a new one, or that of its seed.
    """
    document = schedule_inputs(configuration)
    entrants = seeded(configuration, ratings or {})
    secret = secret or _new_secret(configuration)
    first = [] if configuration.beacon else format_of(document, entrants).next_blocks(())
    return TournamentPlan(
        name=configuration.name,
        game=configuration.game,
        players=configuration.players,
        secret=secret,
        configuration=schedule_inputs_text(configuration),
        entrants=entrants,
        pairings=tuple(pairings_of(first, secret.match_seed)),
        late_entry=configuration.late_entry,
    )


def _new_secret(configuration: TournamentConfiguration) -> Secret:
    return Secret.new() if configuration.seed is None else Secret.of_seed(configuration.seed)


def seeded(
    configuration: TournamentConfiguration, ratings: Mapping[str, float]
) -> tuple[Entrant, ...]:
    """Entrants in the order of the seeding by these ratings."""
    before_games = configuration.rating.rating_before_games
    entrants = [
        Entrant(
            bot.name,
            ratings.get(bot.name, before_games(bot.name)),
            withdrawn=1 if bot.withdrawn else None,
            withdrawn_after=0 if bot.withdrawn else None,
        )
        for bot in configuration.bots
    ]
    settings = configuration.format_settings
    if settings is not None and settings.seeding == "rating":
        entrants.sort(key=lambda entrant: -entrant.rating)
    return tuple(entrants)
