"""``polynya match``: a few bots against each other, quickly."""

from __future__ import annotations

import re
import secrets
import shlex
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from polynya_app.console.match_result import write_match_result
from polynya_app.console.output import complain
from polynya_app.flags.flag_groups import DaskFlags, Limits, SandboxFlags, in_sandbox, with_dask
from polynya_app.flags.parameters import (
    DatabaseFlag,
    GameFlag,
    Json,
    Number,
    Options,
    read_options,
)
from polynya_app.terminal_run import play
from polynya_common.database_address import DatabaseAddress, address_text
from polynya_common.errors import ConfigurationError, NotInStoreError
from polynya_common.text import join_words
from polynya_contest.config.bot_names import (
    check_given_names,
    command_words,
    name_of_command,
    unique_name,
)
from polynya_contest.config.builtin_bots import builtin_names
from polynya_contest.config.duplicate_deals import way_out
from polynya_contest.config.sandbox_settings import SandboxSettings
from polynya_contest.config.toml_files import converted, refuse_unknown
from polynya_contest.config.tournament_checks import check_configuration
from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_contest.pairing.duplicate_gain import narrowing
from polynya_contest.pairing.formats.format_settings import MOST_MATCHES
from polynya_contest.pairing.formats.schedule_settings import SprtSettings
from polynya_foreign.rules_box import box_rules
from polynya_games import DEFAULT_GAME, LEAST_PLAYERS, MOST_PLAYERS, GameError, load
from polynya_hosting.bots.shebang import wrong_shebang
from polynya_hosting.bots.versions import DEFAULT_FILE, BotVersion, BotVersions
from polynya_protocol.messages import Clock
from polynya_server.records import decode_replay
from polynya_store import Store, tournament_claim

DEFAULT_CLOCK = Clock(move_ms=100)
_INTERPRETER = re.compile(r"(python|pypy)[0-9.]*|node|bash|sh|perl|ruby|lua")


@Parameter(name="*")
@dataclass(frozen=True)
class MatchFlags:
    """The settings of the matches.

    Attributes:
        games: The number of matches, 2 by default, at most 10 million; rounded up, so that each
            bot has each seat equally often. With --sprt, the most matches that are played.
        sprt: Play on until it is decided whether the first bot is better than the second by elo1
            Elo, or by elo0: elo0=0 elo1=10; optional: alpha=0.05 beta=0.05, the probabilities of
            the two errors, and model=logistic, normalized or trinomial.
        game: An installed game, the folder of a game as ./nim, or openspiel:NAME.
        name: The first bot's name; once more for the second, and so on. Without, a bot is named
            after its file, or the folder of its project if the file is called bot or main.
        option: A set-up option, key=value (JSON, or else text) or key=@FILE; may be repeated.
        limits: The clock.
        seed: Decides the set-ups and the POLYNYA_SEED of each bot; without,
            they are new each time. In a game with hidden chance matches with
            a seed are not rated: it gives away what is dealt.
        concurrency: The most matches at the same time: each bot is started as often, at
            most once for each processor core. If all bots of a match think at the same time
            (joint turns), it counts as many as it has seats.
        duplicate: In a game with hidden chance give all matches of a set-up one deal, so that luck
            favours no bot. A bot may remember it, so the matches are not rated; in a closed sandbox
            (--sandbox bubblewrap or landlock) and with --fresh-processes they are.
        fresh_processes: Start the bots anew for each match, with a POLYNYA_SEED that follows from
            it: then the same seed gives the same matches at any --concurrency.
        database: A database file to record the matches and ratings in.
        logs: The folder for the bots' output; without, it is kept beside --database, if given,
            else only the last lines are shown when a bot ends.
        versions: The file that says how NAME@VERSION is started: [[bots]] tables with name,
            version, command; optional: directory and environment.
        sandbox: The sandbox of the bots.
        dask: Machines that share the matches.
    """

    games: Number | None = None
    sprt: Annotated[tuple[str, ...], Parameter(consume_multiple=True, json_list=False)] = ()
    game: GameFlag = DEFAULT_GAME
    name: Annotated[tuple[str, ...], Parameter(json_list=False, show_default=False)] = ()
    option: Options = ()
    limits: Limits | None = None
    seed: Number | None = None
    concurrency: Number = 1
    duplicate: Annotated[bool, Parameter(negative=())] = False
    fresh_processes: Annotated[bool, Parameter(negative=())] = False
    database: DatabaseFlag | None = None
    logs: Path | None = None
    versions: Annotated[Path, Parameter(name="--bots")] = DEFAULT_FILE
    sandbox: SandboxFlags | None = None
    dask: DaskFlags | None = None

    def configuration(
        self, bots: Sequence[str], known: BotVersions, database: DatabaseAddress
    ) -> TournamentConfiguration:
        """The checked description of the matches.

        Raises:
            ConfigurationError: it is none that can be played.
        """
        test = _test(self.sprt, self.games)
        configuration = TournamentConfiguration(
            name=time.strftime("match-%Y%m%d-%H%M%S"),
            game=self.game,
            bots=configurations(bots, known, self.name),
            clock=(self.limits or Limits()).clock(DEFAULT_CLOCK),
            seed=_new_seed(self.game) if self.seed is None else self.seed,
            options=read_options(self.option),
            players=len(bots),
            format="round_robin" if test is None else "sprt",
            sprt=test,
            cycles=-(-(self.games or 2) // len(bots)) if test is None else 1,
            concurrency=self.concurrency,
            duplicate=self.duplicate,
            fresh_processes=self.fresh_processes,
            absent="open",
            database=address_text(database),
            logs=None if self.logs is None else str(self.logs.absolute()),
            sandbox=in_sandbox(SandboxSettings(), self.sandbox),
        )
        configuration = with_dask(configuration, self.dask)
        box_rules(configuration.game, configuration.sandbox)
        check_configuration(configuration)
        return configuration


def _new_seed(game: str) -> int | None:
    """A seed by chance, which lets the matches be played again.

    None if the game needs a secret: then not even the host foresees its deals.
    """
    try:
        needs_secret = load(game).secret_seed
    except GameError:
        needs_secret = False  # what is wrong with the game is said when all is checked
    return None if needs_secret else secrets.randbits(64)


async def play_match(*bots: str, flags: MatchFlags | None = None, as_json: Json = False) -> int:
    """Play matches between two or more bots, all in the same matches.

    Name a built-in bot, a command line in quotes, or NAME@VERSION, whose command
    the file of --bots gives. The command starts each bot and tells it where to
    connect in POLYNYA_HOST, POLYNYA_PORT, POLYNYA_TOKEN and POLYNYA_NAME. The bots
    play each set-up once in every rotation of the seats. The result shows wins,
    draws and losses (for more than two bots, how often each took each place) and
    the score with its 95 % interval, which counts the matches of a set-up as one
    observation. For two bots it adds the difference in logistic Elo and the
    likelihood of superiority. Without --database nothing is recorded.

    Without a clock, each turn may take 100 ms. Exit code 1 if a match could
    not be played.

    Args:
        bots: Built-in names (see below), command lines, or NAME@VERSION.
        flags: The settings of the matches.
        as_json: Write the result as JSON.
    """
    flags = flags or MatchFlags()
    _check_quotes(bots)
    _check_counts(bots, 2 if flags.games is None else flags.games)
    known = BotVersions(flags.versions)
    with ExitStack() as stack:
        recorded = flags.database or stack.enter_context(_temporary())
        configuration = flags.configuration(bots, known, recorded)
        kept = flags.database is not None
        opened = Store.open(recorded, for_play=True, claims=(), durable=kept)
        store = stack.enter_context(opened)
        for note in store.opening_notes:
            complain(note)
        if configuration.duplicate and (why := way_out(configuration)):
            complain(f"with duplicate deals these matches are not rated: {why}")
        taken = [row.name for row in store.tournaments.all()]
        named = msgspec.structs.replace(configuration, name=unique_name(configuration.name, taken))
        stack.enter_context(store.claiming(tournament_claim(named.name)))
        keep_logs = kept or flags.logs is not None
        standings, code = await play(named, store, keep_logs=keep_logs)
        if store.tournaments.held(named.name).matches:
            complain(
                "the rules of the game failed, so the other matches of these bots are not played: "
                "mend the game, then give the command again"
            )
        scores = store.tournaments.block_scores(named.name)
        gain = narrowing(store.tournaments.recorded(named.name).blocks) if named.duplicate else None
        wanted = {
            bot.name: version
            for bot, words in zip(configuration.bots, bots, strict=True)
            if (version := _version(words, known)) is not None
        }
        _warn_of_others(store, named.name, wanted)
    write_match_result(configuration, standings, scores, gain, as_json=as_json)
    return code


def _check_quotes(bots: Sequence[str]) -> None:
    """Refuse a program and its script as two bots: the quotes around them were forgotten."""
    for program, script in pairwise(bots):
        is_script = Path(script).is_file() and shutil.which(script) is None
        if is_script and program not in builtin_names() and shutil.which(program) is not None:
            raise ConfigurationError(
                f"{program} and {script} are two bots here: a command line of several words is "
                f"one bot in quotes, '{program} {script}'"
            )


def _check_counts(bots: Sequence[str], games: int) -> None:
    if not LEAST_PLAYERS <= len(bots) <= MOST_PLAYERS:
        raise ConfigurationError(
            f"a match is for {LEAST_PLAYERS} to {MOST_PLAYERS} bots, not {len(bots)}"
        )
    if not 1 <= games <= MOST_MATCHES:
        raise ConfigurationError(f"--games: {games} is not in the range 1 to {MOST_MATCHES}")


def _test(words: Sequence[str], games: int | None) -> SprtSettings | None:
    """The settings of the sequential test, None without ``--sprt``."""
    if not words:
        return None
    document: dict[str, Any] = read_options(words, "--sprt")
    refuse_unknown(document, [key for key in SprtSettings.__struct_fields__ if key != "most"], "")
    if games is not None:
        document["most"] = -(-games // 2)
    return converted(document, SprtSettings)


@contextmanager
def _temporary() -> Iterator[Path]:
    """A database that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="polynya-") as folder:
        yield Path(folder) / "match.sqlite"


def configurations(
    bots: Sequence[str], versions: BotVersions | None = None, names: Sequence[str] = ()
) -> list[BotConfiguration]:
    """The program to start for each BOT argument, under names of their own.

    Args:
        bots: the arguments.
        versions: what NAME@VERSION may mean.
        names: of the first bots; each other bot is named after its command.

    Raises:
        ConfigurationError: an argument is neither a built-in name nor a version nor a command; or
            a name cannot be one.
    """
    check_given_names(names, len(bots))
    configured: list[BotConfiguration] = []
    for place, bot in enumerate(bots):
        taken = [*names, *(earlier.name for earlier in configured)]
        found = _configuration(bot, taken, versions)
        given = names[place] if place < len(names) else found.name
        configured.append(msgspec.structs.replace(found, name=given))
    return configured


def _configuration(
    bot: str, taken: Sequence[str], versions: BotVersions | None
) -> BotConfiguration:
    if bot in builtin_names():
        return BotConfiguration(name=unique_name(bot, taken), builtin=bot)
    found = _version(bot, versions)
    if versions is not None and found is not None:
        return versions.configuration(found, unique_name(found.play_name, taken))
    words = _words(bot)
    return BotConfiguration(name=unique_name(name_of_command(words), taken), command=words)


def _version(bot: str, versions: BotVersions | None) -> BotVersion | None:
    if versions is None or bot in builtin_names() or shutil.which(bot) is not None:
        return None
    return versions.find(bot)


def _warn_of_others(store: Store, tournament: str, wanted: Mapping[str, BotVersion]) -> None:
    """Name bots whose hello declared another version than the requested one."""
    last = store.matches.find(tournament=tournament, limit=1) if wanted else []
    with suppress(NotInStoreError):  # it was broken off, and has no replay
        record = decode_replay(store.matches.replay(last[0].match)) if last else None
        if record is None:
            return
        for name, software in zip(record.setup.players, record.software, strict=True):
            said = software.version if software is not None else None
            if name in wanted and said and said != wanted[name].version:
                label = wanted[name].label
                complain(f"{label} declares version {said}: is its command the right one?")


def _words(command: str) -> list[str]:
    """The words of a command line whose program can be found."""
    try:
        words = command_words(command)
    except ValueError as error:
        raise ConfigurationError(f"{command!r} is no command line: {error}") from error
    if words and shutil.which(words[0]) is None and Path(words[0]).is_file():
        raise ConfigurationError(
            f"{words[0]} may not be executed: 'chmod +x {words[0]}' lets it, or name the program "
            f"that runs it, like 'python3 {words[0]}'"
        )
    if not words or shutil.which(words[0]) is None:
        raise ConfigurationError(
            f"{command!r} is neither a built-in bot nor a command that can be started; built in "
            f"are {join_words(builtin_names())}, and a command line is written in quotes, like "
            "'python3 my_bot.py'"
        )
    wrong = wrong_shebang(Path(str(shutil.which(words[0]))))
    if wrong is not None:
        raise ConfigurationError(wrong)
    _check_script(words)
    return words


def _check_script(words: Sequence[str]) -> None:
    """Refuse an interpreter of a script that is not there: each start would end at once."""
    if not _INTERPRETER.fullmatch(Path(words[0]).name) or len(words) == 1:
        return
    script = Path(words[1])
    if words[1].startswith("-") or script.exists():
        return
    beside = sorted(path.name for path in script.parent.glob("*") if path.is_file())
    meant = get_close_matches(script.name, beside, 1)
    hint = f"; did you mean {script.parent / meant[0]}?" if meant else ""
    raise ConfigurationError(f"{shlex.join(words)!r}: there is no file {script}{hint}")
