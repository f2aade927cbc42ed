"""Strengths of bots from all results of a ladder, or a selection; few requests wait for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from time import time_ns
from typing import Any

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause, cause_of
from polynya_evidence.analysis import Analysis, analyse
from polynya_games import LEAST_PLAYERS
from polynya_store import Pool, Selection, Store, of_most_frequent
from polynya_web.content.background import DatabaseThreads
from polynya_web.content.recomputed import Recomputed

MOST_MATCHES = 20_000
MOST_BOTS = 100
"""Limits of an analysis: the last matches, and the bots with most matches."""
MAX_KEPT = 16
MOST_WAITING = 8
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class PoolAnalysis:
    """The analysis of selected results at one moment.

    Attributes:
        matches: how many were looked at.
        analysis: None without results, or if it cannot be computed.
        without: why it cannot, a sentence; empty if it can.
        taken_ms: when this was, ms since 1970.
    """

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
    # Read first: results that come meanwhile are not in it.
    taken_ms = time_ns() // 1_000_000
    players = selection.players or LEAST_PLAYERS
    found = of_most_frequent(store.matches.selected(selection, MOST_MATCHES), MOST_BOTS)
    analysis: Analysis | None = None
    without: Cause = ""
    if found.blocks:
        try:
            analysis = analyse(found.names, players, found.blocks, with_companions=False)
        except TournamentError as error:
            without = cause_of(error)
    return PoolAnalysis(found.matches, analysis, without, taken_ms)


class PoolAnalyses(Recomputed[Selection, PoolAnalysis]):
    """Cache of analyses."""

    def __init__(self, ask: DatabaseThreads) -> None:
        super().__init__(ask, pool_analysis, most_kept=MAX_KEPT, most_waiting=MOST_WAITING)
