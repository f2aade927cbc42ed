"""The matches in play, the decisions and the next matches, read for the first page and the TV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from time import time_ns

from polynya_contest.pairing.formats import Block
from polynya_contest.pairing.standings import Meeting, Round
from polynya_contest.ratings.pool import pool_of
from polynya_protocol.messages import Clock
from polynya_store import MatchFilter, MatchRow, Pool, ScheduleRow, Store, TournamentRow
from polynya_store.tournaments.tournament_progress import Terms
from polynya_web.content.background import DatabaseThreads
from polynya_web.content.front.remarkable import Remarkable, remarkable
from polynya_web.content.tournaments.table_order import (
    ELIMINATIONS,
    FirstLine,
    first_lines,
    has_winner,
)
from polynya_web.content.tournaments.tournament_cache import TournamentCache, TournamentSnapshot

DAY_MS = 24 * 3600 * 1000
IN_PLAY = 6
LAST = 6
LOOKED_AT = 12
"""The number of newest tournaments searched for a decided one and for the next matches."""
SHOWN_ROWS = 4
SHOWN_ROUNDS = 3
COMING = 3
REMARKABLE = 8
LATELY = 200
"""Matches that tell which ladders live."""


@dataclass(frozen=True, slots=True)
class Decided:
    """A tournament that is over.

    Attributes:
        name, game, players: what it was.
        winners: the bots in the first place; none of a gauntlet.
        rows: the first lines of its table.
        rounds: of a bracket, the last ones.
        ended_ms: ms since 1970.
    """

    name: str
    game: str
    players: int
    winners: tuple[str, ...]
    rows: tuple[FirstLine, ...]
    rounds: tuple[Round, ...]
    ended_ms: int | None


@dataclass(frozen=True, slots=True)
class Coming:
    """A tournament that is not over.

    Attributes:
        name, game, players: what it is.
        terms: its times.
        played, to_play, in_play: matches.
        round: the round that is played or comes next, by its name; empty if no more is drawn.
        next: the next matches.
        rows: the first lines of its table; none while results are hidden, or before the first.
        bracket: of a bracket, the last rounds that are drawn; none while results are hidden.
    """

    name: str
    game: str
    players: int
    terms: Terms
    played: int
    to_play: int
    in_play: int
    round: str
    next: tuple[ScheduleRow, ...]
    rows: tuple[FirstLine, ...] = ()
    bracket: tuple[Round, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """The tournament or game that a page is pinned to; None for everything."""

    tournament: str | None = None
    game: str | None = None

    def takes(self, row: TournamentRow) -> bool:
        """Whether a tournament is meant."""
        return self.tournament in (None, row.name) and self.game in (None, row.game)


@dataclass(frozen=True, slots=True)
class Overview:
    """All of it.

    Attributes:
        in_play: matches in play.
        last: the last results, the latest first.
        decided: the tournament that ended last.
        coming: those that are not over, the newest first.
        recorded: the recorded matches that are most worth watching.
    """

    in_play: Sequence[MatchRow] = ()
    last: Sequence[MatchRow] = ()
    decided: Decided | None = None
    coming: Sequence[Coming] = ()
    recorded: Sequence[Remarkable] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing of anything."""
        return not (self.in_play or self.last or self.decided or self.coming)


EVERYTHING = Selection()


async def overview(
    ask: DatabaseThreads,
    store: Store,
    cache: TournamentCache,
    wanted: Selection = EVERYTHING,
) -> Overview:
    """Read it, as far as it may be shown now.

    Args:
        ask: runs a function in a thread of the database's.
        store: the database.
        cache: the snapshots of tournaments.
        wanted: what is meant.
    """
    in_play, last, recorded = await ask(_matches, store, wanted)
    tournaments = await ask(store.tournaments.all)
    decided: Decided | None = None
    coming: list[Coming] = []
    for row in [one for one in tournaments[::-1] if wanted.takes(one)][:LOOKED_AT]:
        if len(coming) >= COMING and decided is not None:
            break
        snapshot = await cache.of(store, row.name)
        if snapshot.standings.complete:
            mine = decided_of(snapshot)
            if mine is not None and _is_later(mine, decided):
                decided = mine
        elif len(coming) < COMING:
            coming.append(await ask(coming_of, store, snapshot))
    return Overview(in_play, last, decided, coming, recorded)


def _is_later(one: Decided, other: Decided | None) -> bool:
    return other is None or (one.ended_ms or 0) > (other.ended_ms or 0)


def _matches(
    store: Store, wanted: Selection
) -> tuple[Sequence[MatchRow], Sequence[MatchRow], Sequence[Remarkable]]:
    def page(size: int, *, in_play: bool) -> Sequence[MatchRow]:
        meant = MatchFilter(game=wanted.game, tournament=wanted.tournament, in_play=in_play)
        return store.matches.page(meant, size=size).rows

    in_play = page(IN_PLAY, in_play=True)
    results = store.matches.recent_results(game=wanted.game, tournament=wanted.tournament)
    return in_play, page(LAST, in_play=False), remarkable(results, REMARKABLE)


def decided_of(snapshot: TournamentSnapshot) -> Decided | None:
    """The winner and the table of a tournament that is over; None while results are hidden."""
    table = snapshot.standings
    if snapshot.hidden_until_ms is not None or snapshot.frozen_until_ms is not None:
        return None
    if not table.complete or not snapshot.progress.played:
        return None
    bracket = table.format in ELIMINATIONS
    first = tuple(row.name for row in table.rows if row.place == 1)
    return Decided(
        table.tournament,
        table.game,
        table.players,
        first if has_winner(table) else (),
        _first_lines(snapshot),
        tuple(one for one in table.rounds if one.meetings)[-2:] if bracket else (),
        snapshot.terms.ended_ms,
    )


def _first_lines(snapshot: TournamentSnapshot) -> tuple[FirstLine, ...]:
    return first_lines(snapshot.standings, snapshot.stages, snapshot.challengers, SHOWN_ROWS)


def coming_of(store: Store, snapshot: TournamentSnapshot) -> Coming:
    """How far a tournament has come, and its next matches."""
    table, progress = snapshot.standings, snapshot.progress
    name = table.tournament
    rows: Sequence[ScheduleRow] = ()
    if progress.first_open is not None:
        page = 1 + (progress.first_open - 1) // _PAGE
        rows = [*store.tournaments.schedule_page(name, page=page, size=_PAGE)]
        rows += store.tournaments.schedule_page(name, page=page + 1, size=_PAGE)
    still = [row for row in rows if row.state in ("open", "in_play")]
    return Coming(
        name,
        table.game,
        table.players,
        snapshot.terms,
        progress.played,
        progress.to_play,
        progress.in_play,
        round_of(table.rounds, still[0].block) if still else "",
        tuple(row for row in still if row.state == "open")[:COMING],
        _first_lines(snapshot) if progress.played and snapshot.hidden_until_ms is None else (),
        last_rounds(table.rounds)
        if table.format in ELIMINATIONS and snapshot.hidden_until_ms is None
        else (),
    )


def last_rounds(rounds: Sequence[Round]) -> tuple[Round, ...]:
    """The last rounds in which bots meet, without byes; what is still open comes first in each."""
    found = [replace(one, meetings=_open_first(one.meetings)) for one in rounds]
    return tuple(one for one in found if one.meetings)[-SHOWN_ROUNDS:]


def _open_first(meetings: Sequence[Meeting]) -> tuple[Meeting, ...]:
    met = [one for one in meetings if one.note != "bye"]
    return tuple(sorted(met, key=lambda one: bool(one.advancing)))


_PAGE = 50


def round_of(rounds: Sequence[Round], block: str) -> str:
    """The name of the round that a block belongs to."""
    number, players = Block(block, ()).round, block.split("/", 3)[-1].split(",")
    same = [one for one in rounds if one.number == number]
    mine = [
        one
        for one in same
        if any(sorted(meeting.players) == sorted(players) for meeting in one.meetings)
    ]
    return (mine or same)[0].name if same else f"round {number}"


def living_pools(store: Store, pools: Sequence[Pool]) -> list[Pool]:
    """The pools of ratings in which something was played lately, the latest first; else all."""
    rows = store.matches.page(MatchFilter(in_play=False), size=LATELY).rows
    lately = [
        pool_of(row.game, len(row.seats), "elo", Clock(**row.clock), row.options)[:2]
        for row in rows
        if row.rated
    ]
    order = {key: number for number, key in reversed(list(enumerate(lately)))}
    alive = [pool for pool in pools if pool[:2] in order]
    return sorted(alive, key=lambda pool: order[pool[:2]]) or list(pools)


def changes_of_the_day(store: Store, pools: Sequence[Pool]) -> dict[Pool, dict[str, float]]:
    """How the ratings of each pool's bots changed in the last 24 hours."""
    since_ms = time_ns() // 1_000_000 - DAY_MS
    return {pool: store.ladder.changes_since(pool, since_ms) for pool in pools}
