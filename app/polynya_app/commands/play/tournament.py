"""``polynya tournament``: played from a description, and how it stands."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import Parameter

from polynya_app.application import INTERRUPTED
from polynya_app.console.output import complain, write_json, write_line, write_table
from polynya_app.console.replay_table import clock_words
from polynya_app.flags.flag_groups import (
    DaskFlags,
    SandboxFlags,
    WebFlags,
    in_sandbox,
    with_dask,
    words_of,
)
from polynya_app.flags.parameters import DEFAULT_DATABASE, DatabaseFlag, Json, Number
from polynya_app.standby import opened_for_play
from polynya_app.terminal_run import play
from polynya_common.database_address import (
    DatabaseAddress,
    address_text,
    database_address,
    make_folder,
)
from polynya_common.errors import ConfigurationError, unwrap_single_error
from polynya_common.text import figure_words, join_words, moment
from polynya_contest.config.tournament_checks import check_for_play, load_configuration
from polynya_contest.config.tournament_configuration import TournamentConfiguration
from polynya_contest.pairing.standings import Round, Standing, Standings
from polynya_contest.pairing.tabulation import (
    figures_after_points,
    ratings_contradict,
    tally,
    tally_note,
)
from polynya_contest.secret import MOST_BEACON
from polynya_foreign.rules_box import box_rules
from polynya_store import Store, TournamentRow, tournament_claim
from polynya_store.tournaments.held_matches import Held
from polynya_tournaments.tournament.status import (
    TournamentStatus,
    hidden_until,
    require_revealed,
    status_of,
)
from polynya_tournaments.uploads.tournament_bots import with_uploads


@Parameter(name="*")
@dataclass(frozen=True)
class RunFlags:
    """How a tournament is played.

    Attributes:
        database: A file, or postgresql://USER@HOST/NAME, instead of the description's.
        concurrency: The most matches at the same time, instead of the description's; a match
            with joint turns counts as many as it has seats.
        host: The address to listen on, instead of the description's.
        port: The port to listen on, 0 for any free one, instead of the description's.
        standby: Wait while another process plays this tournament, and continue it when that
            process has ended.
        play_held: Play the matches, too, that wait because the rules of the game failed: mend
            the game first.
        sandbox: The sandbox of the bots that are started here, instead of the description's.
        dask: Machines that share the matches.
        web: Where web pages are served while the tournament is played.
    """

    database: DatabaseFlag | None = None
    concurrency: Number | None = None
    host: str | None = None
    port: Number | None = None
    standby: bool = False
    play_held: Annotated[bool, Parameter(negative=())] = False
    sandbox: SandboxFlags | None = None
    dask: DaskFlags | None = None
    web: WebFlags | None = None

    def configuration(self, described: TournamentConfiguration) -> TournamentConfiguration:
        """The checked description, changed by the flags that were given.

        Raises:
            ConfigurationError: it is none that can be played.
        """
        given: dict[str, Any] = {
            "database": None if self.database is None else address_text(self.database),
            "concurrency": self.concurrency,
            "host": self.host,
            "port": self.port,
        }
        changed = msgspec.structs.replace(
            described,
            sandbox=in_sandbox(described.sandbox, self.sandbox),
            **{key: value for key, value in given.items() if value is not None},
        )
        configuration = with_dask(changed, self.dask)
        check_for_play(configuration)
        return configuration


async def run(
    description: Path,
    /,
    *,
    flags: RunFlags | None = None,
    as_json: Json = False,
) -> int:
    """Play or continue a tournament, and print its table.

    The command writes "listening on HOST:PORT" to standard error when bots can
    connect, and records each result at once. After a stop or a crash, give the
    same command again: it plays the remaining matches. The first Ctrl-C lets the
    running matches finish, the second stops them. Exit code 1 if matches have no
    result, 130 if Ctrl-C is the reason.

    Args:
        description: The TOML file of the tournament; docs/hosting/tournaments.md explains it.
        flags: How it is played.
        as_json: Write the table as JSON.
    """
    return await _run(description, flags or RunFlags(), as_json=as_json)


async def resume(
    description: Path,
    /,
    *,
    flags: RunFlags | None = None,
    as_json: Json = False,
) -> int:
    """Continue a tournament that was stopped: another name for 'run'.

    It plays the matches that have no result yet, from the set-ups that were drawn
    before. Give the same description, and the same database: there are all
    results. A tournament that has not begun is begun. 'polynya tournament status'
    tells which tournaments are not complete.

    Args:
        description: The TOML file of the tournament, as it was when it began.
        flags: How it is played.
        as_json: Write the table as JSON.
    """
    return await _run(description, flags or RunFlags(), as_json=as_json)


async def _run(description: Path, flags: RunFlags, *, as_json: bool) -> int:
    configuration = flags.configuration(
        load_configuration(
            description, lambda read: box_rules(read.game, in_sandbox(read.sandbox, flags.sandbox))
        )
    )
    address = database_address(configuration.database)
    if flags.database is None:
        make_folder(address)
    claims = [tournament_claim(configuration.name)]
    with unwrap_single_error():
        opened = await opened_for_play(address, claims, complain, standby=flags.standby)
    if opened is None:
        return INTERRUPTED
    with opened as store:
        for note in store.opening_notes:
            complain(note)
        store.start_writer_process()
        with ExitStack() as held:
            playing = with_uploads(configuration, store, held)
            web = words_of(flags.web)
            standings, code = await play(playing, store, play_held=flags.play_held, web=web)
        _say_held(store, configuration.name)
        until = hidden_until(store, configuration.name)
    if until is not None:
        complain(f"the results of {configuration.name} are hidden until {until}")
    else:
        write_standings(standings, as_json=as_json)
    return code


def _say_held(store: Store, tournament: str) -> None:
    """Say which matches wait because the rules failed, and how to go on."""
    held = store.tournaments.held(tournament)
    for sentence in _failures(held):
        complain(sentence)
    if held.matches:
        complain(_waiting(store, tournament, held, "give the same command with --play-held"))


def _failures(held: Held) -> Iterator[str]:
    """A sentence for each match whose rules failed, as far as they are listed."""
    for one in held.failed:
        players = join_words(one.players)
        yield f"match {one.number} of {players} ({one.match}) waits: {one.why}{one.clauses}"


def _waiting(store: Store, tournament: str, held: Held, how: str) -> str:
    count = "1 match waits" if held.matches == 1 else f"{held.matches} matches wait"
    needed = not store.tournaments.outline(tournament).counts_results
    rest = "; until they have results nothing further is drawn" if needed else ""
    return f"{count} because the rules of the game failed: mend the game, then {how}{rest}"


def beacon(
    tournament: str,
    value: str,
    /,
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    as_json: Json = False,
) -> None:
    """Enter the public value that a description names as its beacon.

    First run the tournament once: it records its secret, shows the commitment and
    waits. Publish the commitment. When the value is known, enter it; all set-ups
    then follow from both. It cannot be changed.

    Args:
        tournament: The tournament's name.
        value: The public value, exactly as it was published.
        database: A file, or postgresql://USER@HOST/NAME.
        as_json: Write JSON instead of a sentence.
    """
    if not 0 < len(value) <= MOST_BEACON or not value.isprintable():
        raise ConfigurationError(
            f"a beacon is one line of at most {MOST_BEACON} printable characters"
        )
    with Store.open(database) as store:
        store.tournaments.enter_beacon(tournament, value)
    if as_json:
        write_json({"tournament": tournament, "beacon": value})
        return
    write_line(f"The set-ups of {tournament} follow from its secret and from {value!r}.")


def status(
    tournament: str | None = None,
    /,
    *,
    database: DatabaseFlag = DEFAULT_DATABASE,
    reveal: bool = False,
    as_json: Json = False,
) -> None:
    """Show the table of a tournament as it is now; without a name, list all.

    The tournament may be running. The lines above the table say the clock, the
    format, when submissions close and when results are shown; they appear even
    while results are hidden. A match that waits because the rules of the game
    failed is listed with the question to the rules, which may hold secrets.

    Args:
        tournament: The tournament's name.
        database: A file, or postgresql://USER@HOST/NAME.
        reveal: Show results even before ``results_from``.
        as_json: Write JSON instead of a table.
    """
    with Store.open(database) as store:
        if tournament is None:
            _write_tournaments(store.tournaments.all(), database, as_json=as_json)
        else:
            found = status_of(
                store.tournaments.standings(tournament, public=not reveal),
                store.tournaments.terms(tournament),
                reveal=reveal,
            )
            held = store.tournaments.held(tournament)
            if as_json:
                shown = held if reveal or not found.hidden else Held(0, ())
                write_json(msgspec.to_builtins(found) | {"held": dataclasses.asdict(shown)})
            elif found.hidden and not reveal:
                _write_lines(_terms(found))
            else:
                table = store.tournaments.standings(tournament, public=not reveal)
                terms = [*_terms(found), *_failures(held)]
                if held.matches:
                    terms.append(_waiting(store, tournament, held, _PLAY_HELD))
                write_standings(table, as_json=False, terms=terms)
            require_revealed(store, tournament, reveal=reveal)


_PLAY_HELD = "run 'polynya tournament run FILE --play-held'"


def _terms(found: TournamentStatus) -> Iterator[str]:
    """The terms of a tournament, a line each."""
    yield f"format: {found.format.replace('_', ' ')}; clock: {clock_words(found.clock)}"
    now_ms = time.time() * 1000
    for at_ms, before, after in (
        (found.closes_ms, "submissions close", "submissions closed"),
        (found.freezes_ms, "the table freezes", "the table is frozen since"),
        (found.results_from_ms, "results are shown from", "results are shown since"),
    ):
        if at_ms is not None:
            yield f"{before if now_ms < at_ms else after} {moment(at_ms)}"
    for secret in found.secrets[-1:]:
        if secret.named_seed:
            yield "set-ups follow from a seed that the host has named: they can be foreseen"
        elif secret.secret is None:
            yield f"commitment to the secret: {secret.commitment}"
        else:
            yield f"secret: {secret.secret} (commitment {secret.commitment})"
    if not found.begun:
        yield f"{found.tournament} has not begun yet"


def _write_tournaments(
    rows: Sequence[TournamentRow], database: DatabaseAddress, *, as_json: bool
) -> None:
    if as_json:
        write_json([dataclasses.asdict(row) for row in rows])
        return
    none = f"{database} holds no tournaments: 'polynya tournament run FILE.toml' plays one"
    write_table(
        ["tournament", "game", ">players", ">played", ">scheduled"],
        [[row.name, row.game, row.players, row.played, row.scheduled] for row in rows],
        without_rows=none,
    )


def write_standings(standings: Standings, *, as_json: bool, terms: Iterable[str] = ()) -> None:
    """The table of a tournament to standard output; the lines of its terms below the first."""
    if as_json:
        write_json(dataclasses.asdict(standings) | {"complete": standings.complete})
        return
    write_line(
        f"{standings.tournament}: {standings.game}, {standings.players} players, "
        f"{standings.played} of {standings.scheduled} matches played"
    )
    _write_lines(filter(None, [*terms, *map(str, (standings.verdict, *standings.unplayed))]))
    for round_ in standings.rounds:
        _write_round(round_)
    counts = tally(standings.rows)
    rows = standings.rows
    figures = [f">{name.replace('_', ' ')}" for name in (rows[0].figures if rows else ())]
    after = figures_after_points(rows)
    digits = 0 if standings.rated_by == "elo" else 2
    write_table(
        [
            ">",
            "bot",
            *([] if after else figures),
            ">points",
            *(figures if after else []),
            ">games",
            *(f">{heading}" for heading in (counts[0] if counts else ())),
            ">Elo" if standings.rated_by == "elo" else ">OpenSkill",
        ],
        [
            [
                figure_words(row.place),
                row.name,
                *_placed_by(row, after=after),
                row.games,
                *count.values(),
                f"{row.rating:.{digits}f}",
            ]
            for row, count in zip(standings.rows, counts, strict=True)
        ],
    )
    if note := tally_note(standings.rows):
        write_line(note)
    if ratings_contradict(rows, {row.name: row.rating for row in rows}, digits):
        write_line(_ORDER_NOTE)


_ORDER_NOTE = (
    "Places follow points and tie-breaks; ratings are in another order here: a rating takes into "
    "account how strong the opponents were, and counts earlier rated matches too."
)


def _placed_by(row: Standing, *, after: bool) -> list[str]:
    """Points and figures of a bot; ``after`` says whether the figures stand behind the points."""
    figures = [figure_words(value) for value in row.figures.values()]
    points = f"{row.points:g}"
    return [points, *figures] if after else [*figures, points]


def _write_lines(lines: Iterable[str]) -> None:
    for line in lines:
        write_line(line)


def _write_round(round_: Round) -> None:
    """The meetings of a round, and the bots that go on, as far as decided."""
    write_table(
        ["bots", ">points", "on to the next", ""],
        [
            [
                " - ".join(meeting.players),
                " - ".join(f"{points:g}" for points in meeting.points),
                ", ".join(meeting.advancing),
                meeting.note,
            ]
            for meeting in round_.meetings
        ],
        title=round_.name,
    )
