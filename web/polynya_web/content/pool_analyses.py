"""Strengths of bots from all results of a ladder, or a selection: computed in a thread, and kept.

An analysis is kept until results have come, for ten times as long as it took in any case, and for
ten minutes at most, since results also become public as time goes by. One is computed at a time,
and few requests wait for that.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from time import time_ns
from typing import Any

import trio

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause, cause_of
from polynya_evidence.analysis import Analysis, analyse
from polynya_games import LEAST_PLAYERS
from polynya_store import Pool, Selection, Store, of_most_frequent
from polynya_web.content.background import DatabaseThreads

MOST_MATCHES = 20_000
MOST_BOTS = 100
"""Limits of an analysis: the last matches, and the bots with most matches."""
MAX_KEPT = 16
REST = 10
LONGEST_KEPT_S = 600
MOST_WAITING = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class BusyError(Exception):
    """Too many requests wait for analyses."""


@dataclass(frozen=True, slots=True)
class PoolAnalysis:
    """The analysis of selected results at one moment.

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
    without: Cause
    taken_ms: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """The selection that is analysed.

    Attributes:
        selection: the results.
        pool: the ladder that they are of; None for those of all clock classes.
    """

    selection: Selection
    pool: Pool | None


def choose(
    store: Store, asked: Sequence[Any], any_clock: bool, since: date | None, until: date | None
) -> Chosen:
    """Resolve a request's selection; of several pools take the one with most bots.

    Args:
        store: the database.
        asked: what is known of the pool, in the order of ``RatingRepository.largest_pool``.
        any_clock: whether matches of all clock classes are meant.
        since: a day; matches that ended from then on.
        until: a day; matches that ended before it.
    """
    days = _begin_ms(since), _begin_ms(until)
    game, players, _, _, variant = asked
    if any_clock:
        return Chosen(Selection(game, players, None, variant, *days), None)
    pool = store.ratings.largest_pool(*asked)
    return Chosen(Selection(game, players, pool.clock_class, pool.variant, *days), pool)


def _begin_ms(day: date | None) -> int | None:
    """When a day begins in UTC, ms since 1970."""
    if day is None:
        return None
    return (datetime.combine(day, time(), UTC) - _EPOCH) // timedelta(milliseconds=1)


def pool_analysis(store: Store, selection: Selection) -> PoolAnalysis:
    """The analysis of a selection, which names a number of players, as it is now."""
    # Read first: what changes while the rest is read makes the next one.
    players = selection.players or LEAST_PLAYERS
    state, taken_ms = store.ratings.state(), time_ns() // 1_000_000
    found = of_most_frequent(store.matches.selected(selection, MOST_MATCHES), MOST_BOTS)
    analysis: Analysis | None = None
    without: Cause = ""
    if found.blocks:
        try:
            analysis = analyse(found.names, players, found.blocks, with_companions=False)
        except TournamentError as error:
            without = cause_of(error)
    return PoolAnalysis(state, found.matches, analysis, without, taken_ms)


@dataclass(frozen=True, slots=True)
class _Kept:
    """An entry of the cache; times are on trio's clock."""

    found: PoolAnalysis
    fresh_until: float
    stale_from: float


class PoolAnalyses:
    """Cache of analyses."""

    def __init__(self, ask: DatabaseThreads) -> None:
        self._ask = ask
        self._kept: OrderedDict[Selection, _Kept] = OrderedDict()
        self._lock = trio.Lock()

    async def of(self, store: Store, selection: Selection) -> PoolAnalysis:
        """The analysis of a selection, at most a little while old.

        Raises:
            BusyError: too many others wait for theirs.
        """
        kept = self._kept.get(selection)
        if kept is not None and self._lock.locked():
            return kept.found
        if self._lock.statistics().tasks_waiting >= MOST_WAITING:
            raise BusyError
        async with self._lock:
            kept = self._kept.get(selection)
            if kept is not None and await self._holds(store, kept):
                self._kept.move_to_end(selection)
                return kept.found
            began = trio.current_time()
            found = await self._ask(pool_analysis, store, selection)
            ended = trio.current_time()
            fresh_until = ended + REST * (ended - began)
            self._kept[selection] = _Kept(found, fresh_until, ended + LONGEST_KEPT_S)
            self._kept.move_to_end(selection)
            while len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
            return found

    async def _holds(self, store: Store, kept: _Kept) -> bool:
        now = trio.current_time()
        if now < kept.fresh_until:
            return True
        return now < kept.stale_from and kept.found.state == await self._ask(store.ratings.state)
