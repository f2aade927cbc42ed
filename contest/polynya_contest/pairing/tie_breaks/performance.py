"""Ratings of opponents and what a score against them says (C.07, 10; tables of B.02, 8.1)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

_DIFFERENCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158,
    166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366,
    383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
)  # fmt: skip
"""The rating difference for a score of 50 %, 51 %, ... 100 % (B.02, 8.1.1)."""

_LARGEST = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68, 76, 83, 91, 98, 106, 113, 121, 129, 137, 145, 153, 162,
    170, 179, 188, 197, 206, 215, 225, 235, 245, 256, 267, 278, 290, 302, 315, 328, 344, 357, 374,
    391, 411, 432, 456, 484, 517, 559, 619, 735,
)  # fmt: skip
"""The largest difference that gives the better one 50 %, 51 %, ... 99 %; beyond it is 100 %
(B.02, 8.1.2)."""


def average_rating(ratings: Sequence[float]) -> float | None:
    """The average of the opponents' ratings, a whole number (10.1); None without any."""
    return float(_rounded(sum(ratings) / len(ratings))) if ratings else None


def performance(score: float, ratings: Sequence[float]) -> float | None:
    """The tournament performance rating (10.2).

    Args:
        score: against these opponents, 0 to their number.
        ratings: of the opponents that were played.
    """
    average = average_rating(ratings)
    if average is None:
        return None
    percent = _rounded(100 * score / len(ratings))
    if percent < 50:
        return average - _DIFFERENCES[50 - percent]
    return average + _DIFFERENCES[percent - 50]


def perfect_performance(score: float, ratings: Sequence[float]) -> float | None:
    """The lowest whole rating with which the expected score is at least the score (10.3).

    800 below the weakest opponent for no points.
    """
    if not ratings:
        return None
    if score <= 0:
        return float(_rounded(min(ratings)) - 800)
    low, high = _rounded(min(ratings)) - 801, _rounded(max(ratings)) + 801
    while high - low > 1:
        middle = (low + high) // 2
        if sum(_expected(middle - rating) for rating in ratings) >= round(100 * score):
            high = middle
        else:
            low = middle
    return float(high)


def _expected(difference: float) -> int:
    """The expected score in percent."""
    percent = 50 + bisect_left(_LARGEST, _rounded(abs(difference)))
    return percent if difference >= 0 else 100 - percent


def _rounded(value: float) -> int:
    """To the nearest whole number, a half up."""
    return int((value + 0.5) // 1)
