"""Caches the computed contents of tournaments' pages; new results renew them.

A snapshot is made in a thread and kept until the tournament has come further. While matches are
ending all the time the kept one is shown on for ten times as long as making it took, so that pages
cost the server a tenth of a processor at the most, however many look at them.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from time import time_ns

import trio

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause, cause_of
from polynya_contest.pairing.formats import Block, format_of
from polynya_contest.pairing.formats.brackets.knockout import Elimination
from polynya_contest.pairing.standings import MatchResult, Standings
from polynya_evidence.analysis import Analysis, analyse
from polynya_evidence.reports.bracket_drawing import Drawing, draw
from polynya_store import Progress, ScheduleRow, Store
from polynya_store.tournaments.recorded_rounds import Recorded
from polynya_store.tournaments.tournament_progress import Terms
from polynya_web.content.background import DatabaseThreads
from polynya_web.content.tournaments.outstanding_matches import Outstanding, outstanding
from polynya_web.content.tournaments.table_order import ELIMINATIONS, Stage, stages
from polynya_web.content.tournaments.tallies import PairTally, SeatTally, tally_pairs, tally_seats

MAX_KEPT = 64
REST = 10


MOST_LISTED = 5_000
"""Of a schedule with more matches no single ones are looked at, but for a bracket."""


@dataclass(frozen=True, slots=True)
class MeetingBoards:
    """The matches of a meeting.

    Attributes:
        matches: their ids, in their order.
        decided: whether each has a result or is a walkover.
    """

    matches: tuple[str, ...] = ()
    decided: bool = False


@dataclass(frozen=True, slots=True)
class TournamentSnapshot:
    """A tournament at one moment.

    Attributes:
        progress: how far it had come.
        standings: the table, with the rounds of formats that have some.
        pairs: what each bot scored against each that it met.
        seats: what each seat scored.
        forfeits: how often each bot forfeited, by the contract's word for why.
        analysis: strengths with intervals; None without results, or if it cannot be computed.
        without: why it cannot, a sentence; empty if it can.
        taken_ms: when this was, ms since 1970.
        terms: what is said of it beside its results.
        drawing: its bracket; None for other formats.
        stages: how far the bots have come that are still in a bracket.
        challengers: of a gauntlet.
        boards: the matches of a meeting, by the number of its round and the bots that met.
        outstanding: matches that are worth a look.
    """

    progress: Progress
    standings: Standings
    pairs: Mapping[tuple[str, str], PairTally]
    seats: tuple[SeatTally, ...]
    forfeits: Mapping[str, Mapping[str, int]]
    analysis: Analysis | None
    without: Cause
    taken_ms: int
    terms: Terms
    drawing: Drawing | None
    stages: Mapping[str, Stage] = field(default_factory=dict)
    challengers: tuple[str, ...] = ()
    boards: Mapping[tuple[int, frozenset[str]], MeetingBoards] = field(default_factory=dict)
    outstanding: tuple[Outstanding, ...] = ()

    def boards_of(self, number: int, players: Sequence[str]) -> MeetingBoards:
        """The matches of a meeting in a round; none if it has none yet."""
        return self.boards.get((number, frozenset(players)), MeetingBoards())

    @property
    def hidden_until_ms(self) -> int | None:
        """When hidden results become public, ms since 1970; None unless all are hidden."""
        return self.terms.results_from_ms if self.terms.hidden else None

    @property
    def frozen_until_ms(self) -> int | None:
        """When the frozen table is released, ms since 1970; None if it is not frozen."""
        return self.terms.results_from_ms if self.terms.frozen else None


def snapshot_of(store: Store, tournament: str) -> TournamentSnapshot:
    """The contents for a tournament as it is now.

    Raises:
        NotInStoreError: there is no such tournament.
    """
    # Read first: what changes while the rest is read makes the next snapshot.
    progress, taken_ms = store.tournaments.public_progress(tournament), time_ns() // 1_000_000
    terms = store.tournaments.terms(tournament)
    recorded, standings = (
        store.tournaments.recorded(tournament, public=True),
        store.tournaments.standings(tournament, public=True),
    )
    results = [result for block in recorded.blocks for result in block.results]
    analysis, without = _analysis(standings, recorded) if results else (None, "")
    rows = _schedule(store, recorded, standings)
    boards = _boards(rows) if standings.rounds else {}
    return TournamentSnapshot(
        progress=progress,
        standings=standings,
        pairs=tally_pairs(results),
        seats=tally_seats(results, standings.players),
        forfeits=store.tournaments.forfeits(tournament),
        analysis=analysis,
        without=without,
        taken_ms=taken_ms,
        terms=terms,
        drawing=_drawing(boards, recorded, standings),
        stages=_stages(recorded, standings),
        challengers=tuple(recorded.description.get("gauntlet", {}).get("challengers", ())),
        boards=boards,
        outstanding=outstanding(rows, _strengths(standings, analysis)),
    )


def _schedule(store: Store, recorded: Recorded, standings: Standings) -> Sequence[ScheduleRow]:
    """The matches one by one; none of a large schedule."""
    number = recorded.last_number
    if not number or (number > MOST_LISTED and standings.format not in ELIMINATIONS):
        return ()
    return store.tournaments.schedule_page(standings.tournament, size=number)


def _boards(rows: Iterable[ScheduleRow]) -> dict[tuple[int, frozenset[str]], MeetingBoards]:
    met: dict[tuple[int, frozenset[str]], list[ScheduleRow]] = defaultdict(list)
    for row in rows:
        block = Block(row.block, tuple(seat.name for seat in row.seats))
        met[block.round, frozenset(block.players)].append(row)
    return {
        key: MeetingBoards(
            tuple(row.match for row in of_it if row.match is not None),
            all(row.state in ("played", "walkover") for row in of_it),
        )
        for key, of_it in met.items()
    }


def _strengths(standings: Standings, analysis: Analysis | None) -> dict[str, float]:
    if analysis is None:
        return {row.name: row.rating for row in standings.rows}
    return {bot.name: bot.rating.value for bot in analysis.bots}


def _stages(recorded: Recorded, standings: Standings) -> dict[str, Stage]:
    drawn = format_of(recorded.description, recorded.entrants)
    if not isinstance(drawn, Elimination):
        return {}
    names = {
        fixture.id: (round_.number, round_.name)
        for round_ in drawn.bracket.rounds
        for fixture in round_.fixtures
    }
    return stages(standings.rounds, names, standings.rows)


def _drawing(
    boards: Mapping[tuple[int, frozenset[str]], MeetingBoards],
    recorded: Recorded,
    standings: Standings,
) -> Drawing | None:
    drawn = format_of(recorded.description, recorded.entrants)
    if not isinstance(drawn, Elimination):
        return None
    matches = {key: found.matches for key, found in boards.items()}
    champions = [row.name for row in standings.rows if row.figures.get("out") == "winner"]
    return draw(drawn.bracket, drawn.seeds, standings.rounds, matches, "".join(champions))


def _analysis(standings: Standings, recorded: Recorded) -> tuple[Analysis | None, Cause]:
    names = [row.name for row in standings.rows]
    blocks: list[tuple[MatchResult, ...]] = [block.results for block in recorded.blocks]
    try:
        return analyse(names, standings.players, blocks), ""
    except TournamentError as error:
        return None, cause_of(error)


def _holds(snapshot: TournamentSnapshot, progress: Progress) -> bool:
    """Whether a snapshot is still valid; hidden results may have become public."""
    terms = snapshot.terms
    timed = terms.results_from_ms is not None and terms.results_from_ms > snapshot.taken_ms
    return snapshot.progress == progress and not timed


@dataclass(slots=True)
class _Kept:
    """An entry of the cache; ``fresh_until`` is on trio's clock."""

    snapshot: TournamentSnapshot | None = None
    fresh_until: float = 0.0
    lock: trio.Lock = field(default_factory=trio.Lock)


class TournamentCache:
    """Cache of tournaments' snapshots."""

    def __init__(self, ask: DatabaseThreads) -> None:
        self._ask = ask
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    async def of(self, store: Store, tournament: str) -> TournamentSnapshot:
        """A tournament's snapshot, at most a little while old.

        Raises:
            NotInStoreError: there is no such tournament.
        """
        progress = await self._ask(store.tournaments.public_progress, tournament)
        kept = self._kept.setdefault(tournament, _Kept())
        self._kept.move_to_end(tournament)
        while len(self._kept) > MAX_KEPT:
            self._kept.popitem(last=False)
        if kept.snapshot is not None and kept.lock.locked():
            return kept.snapshot
        async with kept.lock:
            return await self._renewed(kept, store, tournament, progress)

    async def _renewed(
        self, kept: _Kept, store: Store, tournament: str, progress: Progress
    ) -> TournamentSnapshot:
        now = trio.current_time()
        found = kept.snapshot
        if found is not None and (now < kept.fresh_until or _holds(found, progress)):
            return found
        kept.snapshot = await self._ask(snapshot_of, store, tournament)
        ended = trio.current_time()
        kept.fresh_until = ended + REST * (ended - now)
        return kept.snapshot
