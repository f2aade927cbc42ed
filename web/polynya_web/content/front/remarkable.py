"""The recorded matches that are most worth watching: close ones, upsets, records."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from polynya_contest.ratings.pool import System
from polynya_store import MatchRow, RecentResult

Why = Literal["upset", "close", "record"]

CLOSE = 0.05
"""The largest distance of the first two scores in a close match, as a part of the first's."""
UPSET: dict[System, float] = {"elo": 100.0, "openskill": 4.0}
"""How much stronger an opponent was rated, at least, that the winner left behind."""
FEWEST_FOR_RECORD = 10
"""Matches of a game among which the highest score is a record."""


@dataclass(frozen=True, slots=True)
class Remarkable:
    """A recorded match, and why it is worth watching; without a reason it is only recent."""

    row: MatchRow
    why: tuple[Why, ...] = ()


def remarkable(results: Sequence[RecentResult], most: int) -> list[Remarkable]:
    """The most remarkable of some results, the best first; of equal ones the latest.

    Args:
        results: played out, the latest first.
        most: how many at the most.
    """
    records = _records(results)
    found = [Remarkable(one.row, tuple(_reasons(one, records))) for one in results]
    return sorted(found, key=lambda one: -len(one.why))[:most]


def _reasons(result: RecentResult, records: set[str]) -> Iterable[Why]:
    if _is_upset(result):
        yield "upset"
    if _is_close(result.row):
        yield "close"
    if result.row.match in records:
        yield "record"


def _is_upset(result: RecentResult) -> bool:
    seats = list(zip(result.row.seats, result.ratings, strict=True))
    winners = [rating for seat, rating in seats if seat.rank == 1 and rating is not None]
    beaten = [rating for seat, rating in seats if (seat.rank or 1) > 1 and rating is not None]
    if len(winners) != 1 or not beaten:
        return False
    return max(beaten) - winners[0] >= UPSET["openskill" if result.system == "openskill" else "elo"]


def _is_close(row: MatchRow) -> bool:
    scores = sorted((seat.score for seat in row.seats if seat.score is not None), reverse=True)
    if len(scores) < len(row.seats) or len(scores) < 2 or scores[0] <= 0:
        return False
    return scores[0] - scores[1] <= CLOSE * scores[0]


def _records(results: Sequence[RecentResult]) -> set[str]:
    """The matches with the highest score of their game and number of players."""
    kinds: dict[tuple[str, int], list[tuple[int, str]]] = {}
    for one in results:
        scores = [seat.score for seat in one.row.seats if seat.score is not None]
        if scores:
            kind = kinds.setdefault((one.row.game, len(one.row.seats)), [])
            kind.append((max(scores), one.row.match))
    return {
        max(kind)[1]
        for kind in kinds.values()
        if len(kind) >= FEWEST_FOR_RECORD and max(kind)[0] > min(kind)[0]
    }
