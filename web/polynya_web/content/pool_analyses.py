"""Strengths of a ladder's bots from all its results at once: computed in a thread, and kept.

An analysis is kept until results have come, for ten times as long as it took in any case, and for
ten minutes at most, since results also become public as time goes by. One is computed at a time.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from time import time_ns

import trio

from polynya_tournaments.analysis import Analysis, analyse
from polynya_tournaments.errors import TournamentError
from polynya_tournaments.store import Pool, Selection, Store, of_most_frequent
from polynya_web.content.database_threads import DatabaseThreads

MOST_MATCHES = 20_000
MOST_BOTS = 100
"""Of more matches the last ones are taken, of more bots those with most matches."""
MAX_KEPT = 16
REST = 10
LONGEST_KEPT_S = 600


@dataclass(frozen=True, slots=True)
class PoolAnalysis:
    """What the results of a pool say at one moment.

    Attributes:
        state: what was recorded then, see ``RatingRepository.state``.
        matches: how many were looked at.
        analysis: None without results, or if it cannot be computed.
        without: why it cannot, a sentence; empty if it can.
        taken_ms: when this was, ms since 1970.
    """

    state: tuple[int, int]
    matches: int
    analysis: Analysis | None
    without: str
    taken_ms: int


def pool_analysis(store: Store, pool: Pool) -> PoolAnalysis:
    """The analysis of a pool as it is now."""
    # Read first: what changes while the rest is read makes the next one.
    state, taken_ms = store.ratings.state(), time_ns() // 1_000_000
    selection = Selection(pool.game, pool.players, pool.clock_class, pool.variant)
    found = of_most_frequent(store.matches.selected(selection, MOST_MATCHES), MOST_BOTS)
    analysis, without = None, ""
    if found.blocks:
        try:
            analysis = analyse(found.names, pool.players, found.blocks, with_companions=False)
        except TournamentError as error:
            without = str(error)
    return PoolAnalysis(state, found.matches, analysis, without, taken_ms)


@dataclass(frozen=True, slots=True)
class _Kept:
    """An entry of the cache; times are on trio's clock."""

    found: PoolAnalysis
    fresh_until: float
    stale_from: float


class PoolAnalyses:
    """The analyses of the pools that were looked at last."""

    def __init__(self, ask: DatabaseThreads) -> None:
        self._ask = ask
        self._kept: OrderedDict[Pool, _Kept] = OrderedDict()
        self._lock = trio.Lock()

    async def of(self, store: Store, pool: Pool) -> PoolAnalysis:
        """The analysis of a pool as it is now, or was a little while ago."""
        kept = self._kept.get(pool)
        if kept is not None and self._lock.locked():
            return kept.found
        async with self._lock:
            kept = self._kept.get(pool)
            if kept is not None and await self._holds(store, kept):
                self._kept.move_to_end(pool)
                return kept.found
            began = trio.current_time()
            found = await self._ask(pool_analysis, store, pool)
            ended = trio.current_time()
            fresh_until = ended + REST * (ended - began)
            self._kept[pool] = _Kept(found, fresh_until, ended + LONGEST_KEPT_S)
            self._kept.move_to_end(pool)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
            return found

    async def _holds(self, store: Store, kept: _Kept) -> bool:
        now = trio.current_time()
        if now < kept.fresh_until:
            return True
        return now < kept.stale_from and kept.found.state == await self._ask(store.ratings.state)
