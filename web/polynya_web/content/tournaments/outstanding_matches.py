"""Finds the matches of a tournament that are worth a look: the closest, an upset, the longest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from polynya_store import ScheduleRow
from polynya_store.rows import SeatRow

FEWEST = 4
"""With fewer matches than this none stands out."""


@dataclass(frozen=True, slots=True)
class Outstanding:
    """A match that stands out.

    Attributes:
        key: why: ``closest``, ``upset`` or ``longest``.
        match: its id.
        seats: by rank, the winner first.
        length_ms: how long it was played.
        strengths: of the winner and of the best other bot, for an upset; else empty.
    """

    key: str
    match: str
    seats: tuple[SeatRow, ...]
    length_ms: int
    strengths: tuple[float, ...] = ()


def outstanding(
    rows: Sequence[ScheduleRow], strengths: Mapping[str, float]
) -> tuple[Outstanding, ...]:
    """At most one match of each kind; none before a few matches were played out.

    Args:
        rows: the tournament's schedule with its results.
        strengths: of the bots, from all results together.
    """
    played = [row for row in rows if _is_played_out(row)]
    if len(played) < FEWEST:
        return ()
    return tuple(_found(played, strengths))


def _found(rows: Sequence[ScheduleRow], strengths: Mapping[str, float]) -> Iterator[Outstanding]:
    decided = [row for row in rows if _scores_decide(row)]
    if decided:
        closest = min(decided, key=lambda row: (_gap(row), -(row.length_ms or 0)))
        yield _of("closest", closest)
    upsets = [row for row in rows if _has_winner(row) and _surprise(row, strengths) > 0]
    if upsets:
        yield _upset(max(upsets, key=lambda row: _surprise(row, strengths)), strengths)
    yield _of("longest", max(rows, key=lambda row: row.length_ms or 0))


def _is_played_out(row: ScheduleRow) -> bool:
    ranked = all(seat.rank is not None and seat.forfeit is None for seat in row.seats)
    return row.match is not None and row.length_ms is not None and ranked


def _by_rank(row: ScheduleRow) -> tuple[SeatRow, ...]:
    return tuple(sorted(row.seats, key=lambda seat: seat.rank or 0))


def _has_winner(row: ScheduleRow) -> bool:
    return sum(seat.rank == 1 for seat in row.seats) == 1


def _scores_decide(row: ScheduleRow) -> bool:
    """Whether one bot won, and the scores are in the order of the ranks."""
    scores = [seat.score for seat in _by_rank(row)]
    known = [score for score in scores if score is not None]
    in_order = all(one >= other for one, other in pairwise(known))
    return _has_winner(row) and len(known) == len(scores) and in_order and known[0] > known[1]


def _gap(row: ScheduleRow) -> int:
    first, second, *_ = (seat.score or 0 for seat in _by_rank(row))
    return first - second


def _surprise(row: ScheduleRow, strengths: Mapping[str, float]) -> float:
    """How much stronger the best of the others was than the winner."""
    winner, *others = (strengths.get(seat.name, 0.0) for seat in _by_rank(row))
    return max(others) - winner


def _of(key: str, row: ScheduleRow, strengths: tuple[float, ...] = ()) -> Outstanding:
    return Outstanding(key, row.match or "", _by_rank(row), row.length_ms or 0, strengths)


def _upset(row: ScheduleRow, strengths: Mapping[str, float]) -> Outstanding:
    winner, *others = (strengths.get(seat.name, 0.0) for seat in _by_rank(row))
    return _of("upset", row, (winner, max(others)))
