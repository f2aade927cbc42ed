"""Elo ratings for two and more players: pure arithmetic on rankings.

A match of n players is n (n - 1) / 2 comparisons, each pair of seats one, in which the better rank
wins and equal ranks share the point. Each comparison changes two ratings as in chess (Elo, "The
Rating of Chessplayers", 1978), with K divided by n - 1, so that a match weighs the same for any n.
All comparisons of a match start from the ratings before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EloSettings:
    """K, the largest change by a match, and the rating of a bot without games."""

    k_factor: float = 32.0
    start: float = 1500.0


def expected_score(rating: float, opponent: float) -> float:
    """The share of the points that ``rating`` is expected to win against ``opponent``, 0 to 1."""
    return float(1 / (1 + 10 ** ((opponent - rating) / 400)))


def pair_score(rank: int, opponent: int) -> float:
    """What a rank wins against another: 1 for the better (smaller), 1/2 for the same, else 0."""
    return 1.0 if rank < opponent else 0.5 if rank == opponent else 0.0


def rate(ratings: Sequence[float], ranking: Sequence[int], k_factor: float) -> list[float]:
    """The ratings after a match.

    Args:
        ratings: before it, by seat.
        ranking: its ranks by seat, 1 the best, ties equal; forfeiters are ranked below the others.
        k_factor: K.
    """
    return [
        rating + k_factor * _surplus(seat, ratings, ranking) / (len(ratings) - 1)
        for seat, rating in enumerate(ratings)
    ]


def _surplus(seat: int, ratings: Sequence[float], ranking: Sequence[int]) -> float:
    """By how many points the seat did better than was expected."""
    return sum(
        pair_score(ranking[seat], ranking[other]) - expected_score(ratings[seat], ratings[other])
        for other in range(len(ratings))
        if other != seat
    )
