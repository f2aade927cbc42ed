"""A score, and the Elo difference that it stands for, with their margins of error."""

from __future__ import annotations

import math

_Z = 1.959964
"""The normal distribution's 95 % lie within so many standard deviations."""


def wilson(score: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a bot's true score, after it scored ``score`` (0 to 1) on average.

    Wilson's interval ("Probable inference", 1927) takes each game for won or lost; with draws and
    more than two players a result varies less than that, so the interval is rather too wide. Unlike
    the standard error it says something after 10 wins in 10 games, too.
    """
    if games == 0:
        return 0.0, 1.0
    square = _Z * _Z / games
    middle = (score + square / 2) / (1 + square)
    half = _Z * math.sqrt(score * (1 - score) / games + square / (4 * games)) / (1 + square)
    # At the ends it is exact, which rounding would hide.
    return middle - half if score > 0 else 0.0, middle + half if score < 1 else 1.0


def elo(score: float) -> float:
    """The logistic Elo difference that an average score (0 to 1) stands for; infinite at the ends.

    It is 400 log10(s / (1 - s)), as rating lists and testers of engines give it.
    """
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))
