"""Elo ratings for two and more players, and how uncertain each is: pure arithmetic on rankings.

A match of n players is n (n - 1) / 2 comparisons, each pair of seats one, in which the better rank
wins and equal ranks share the point. Each comparison changes two ratings as in chess (Elo, "The
Rating of Chessplayers", 1978), with K divided by n - 1, so that a match weighs the same for any n.
All comparisons of a match start from the ratings before it.

A rating's deviation is its standard error as in Glicko (Glickman, "The Glicko system", 1999): each
comparison adds its Fisher information to 1 / deviation². A match of n players says n - 1 things,
not n (n - 1) / 2, so each of its comparisons counts 2 / n, as in the reports.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Q = math.log(10) / 400
"""The size of an Elo point on the logistic scale."""

LARGEST_DEVIATION = 350.0
"""Deviation of an unknown rating (Glickman's value)."""


def expected_score(rating: float, opponent: float) -> float:
    """The share of the points that ``rating`` is expected to win against ``opponent``, 0 to 1."""
    return float(1 / (1 + 10 ** ((opponent - rating) / 400)))


def pair_score(rank: int, opponent: int) -> float:
    """The points of a rank against another: 1 if better (smaller), 1/2 if equal, else 0."""
    return 1.0 if rank < opponent else 0.5 if rank == opponent else 0.0


def k_factor(games: int, first: float, settled: float, provisional_games: int) -> float:
    """K of a bot after this number of games.

    1 / K grows evenly with each game from 1 / ``first``, until K is ``settled`` after
    ``provisional_games`` of them; as the information on a rating grows evenly, too. A ``first``
    that is not larger than ``settled`` makes it the same from the beginning.
    """
    if games >= provisional_games or first <= settled or settled <= 0:
        return settled
    done = games / provisional_games
    return 1 / ((1 - done) / first + done / settled)


def rate(
    ratings: Sequence[float], ranking: Sequence[int], k_factors: Sequence[float]
) -> list[float]:
    """The ratings after a match.

    Args:
        ratings: before it, by seat.
        ranking: its ranks by seat, 1 the best, ties equal; forfeiters are ranked below the others.
        k_factors: K by seat.
    """
    return [
        rating + k * _score_surplus(seat, ratings, ranking) / (len(ratings) - 1)
        for seat, (rating, k) in enumerate(zip(ratings, k_factors, strict=True))
    ]


def rate_bounded(
    ratings: Sequence[float],
    ranking: Sequence[int],
    k_factors: Sequence[float],
    bounded: Callable[[int, int, float], float],
) -> list[float]:
    """The ratings after a match in which the change by each opponent is bounded.

    Args:
        ratings: before it, by seat.
        ranking: its ranks by seat.
        k_factors: K by seat.
        bounded: the part that counts of a seat's change by its result against another seat.
    """
    weight = len(ratings) - 1
    return [
        rating
        + sum(
            bounded(seat, other, k * _pair_surplus(seat, other, ratings, ranking) / weight)
            for other in range(len(ratings))
            if other != seat
        )
        for seat, (rating, k) in enumerate(zip(ratings, k_factors, strict=True))
    ]


def _score_surplus(seat: int, ratings: Sequence[float], ranking: Sequence[int]) -> float:
    """The score of a seat minus its expected score, in points."""
    return sum(
        _pair_surplus(seat, other, ratings, ranking)
        for other in range(len(ratings))
        if other != seat
    )


def _pair_surplus(seat: int, other: int, ratings: Sequence[float], ranking: Sequence[int]) -> float:
    score = pair_score(ranking[seat], ranking[other])
    return score - expected_score(ratings[seat], ratings[other])


def glicko_g(deviation: float) -> float:
    """Glicko's g, 0 to 1: a result counts less the more uncertain the opponent's rating is."""
    return 1 / math.sqrt(1 + 3 * (Q * deviation / math.pi) ** 2)


def information(rating: float, opponent: float, opponent_deviation: float) -> float:
    """Information of a comparison about ``rating``: Glicko's 1 / d² of one game, in 1 / Elo²."""
    g = glicko_g(opponent_deviation)
    score = expected_score(g * rating, g * opponent)
    return (Q * g) ** 2 * score * (1 - score)


def deviations(ratings: Sequence[float], before: Sequence[float], least: float) -> list[float]:
    """The deviations after a match; they do not depend on its ranking.

    Args:
        ratings: before it, by seat.
        before: their deviations; one of 0 stays as it is.
        least: none of the others gets smaller than this.
    """
    return [
        max(least, (deviation**-2 + _information_gain(seat, ratings, before)) ** -0.5)
        if deviation
        else 0.0
        for seat, deviation in enumerate(before)
    ]


def _information_gain(
    seat: int, ratings: Sequence[float], others_deviations: Sequence[float]
) -> float:
    seats = len(ratings)
    return sum(
        2 / seats * information(ratings[seat], ratings[other], others_deviations[other])
        for other in range(seats)
        if other != seat
    )


def stationary_deviation(k: float) -> float:
    """Stationary standard deviation of a settled rating for this K.

    Each game pulls an error back by K Q / 4 of it and adds K / 2 of luck (equal opponents, no
    ties); the two are in balance at the variance K / (2 Q).
    """
    return math.sqrt(k / (2 * Q))


def stationary_k(deviation: float) -> float:
    """The K with this stationary deviation."""
    return 2 * Q * deviation**2
