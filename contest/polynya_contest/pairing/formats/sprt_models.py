"""Log-likelihood ratios of two hypotheses about a bot's strength, as testers of engines use them.

The generalised test of Van den Bergh ("The Generalized SPRT", 2019; "Normalized Elo", 2020).
Matches of a block share their set-up and are not independent of each other; blocks are. So
``logistic`` and ``normalized`` count blocks (the pentanomial models of fishtest and fastchess): a
block of two matches has one of five results, 0, 1/4, 1/2, 3/4 or 1 of its points. ``trinomial``
counts single matches as if they were independent: it is for games without set-ups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

Model = Literal["logistic", "normalized", "trinomial"]

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The results of a block."""

MATCH_SCORES = (0.0, 0.5, 1.0)
"""The results of a match."""

_NEVER = 1e-3
"""Stands for a result that has not occurred, so that it stays possible, as fishtest has it."""

_EXACT = 1e-13
_ELO_A_SIGMA = 800 / math.log(10)
"""A normalized Elo difference of this size moves the mean of a match by its standard deviation."""


def expected(elo: float) -> float:
    """The score that a logistic Elo difference stands for, 0 to 1."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def log_likelihood_ratio(model: Model, counts: Sequence[int], elo0: float, elo1: float) -> float:
    """How much better ``elo1`` explains the results than ``elo0``, as a natural logarithm.

    Each hypothesis takes, of all distributions that it allows, the most likely one.

    Args:
        model: ``normalized`` measures the difference in standard deviations of a match, the others
            in logistic Elo.
        counts: of blocks by ``SCORES``; with ``trinomial`` of matches by ``MATCH_SCORES``.
        elo0: the difference by the one hypothesis.
        elo1: the difference by the other.
    """
    if not sum(counts):
        return 0.0
    known = [count or _NEVER for count in counts]
    return ratio(known, elo0, elo1, _MOST_LIKELY[model])


MostLikely = Callable[[Sequence[float], Sequence[float], float], list[float]]
"""From the scores, the shares of the results and an Elo difference: the most likely shares."""


def ratio(counts: Sequence[float], elo0: float, elo1: float, most_likely: MostLikely) -> float:
    """The log-likelihood ratio of counts, all of which are more than 0."""
    scores = SCORES if len(counts) == len(SCORES) else MATCH_SCORES
    total = sum(counts)
    shares = [count / total for count in counts]
    null, alternative = (most_likely(scores, shares, elo) for elo in (elo0, elo1))
    return total * sum(
        share * math.log(one / other)
        for share, one, other in zip(shares, alternative, null, strict=True)
    )


def with_logistic_elo(scores: Sequence[float], shares: Sequence[float], elo: float) -> list[float]:
    """The most likely distribution with the mean of an Elo difference (proposition 1.1)."""
    mean = expected(elo)
    return _with_mean_zero(shares, [score - mean for score in scores])


def _with_normalized_elo(
    scores: Sequence[float], shares: Sequence[float], elo: float
) -> list[float]:
    """The most likely distribution whose mean lies the given standard deviations above a half.

    The condition is not linear; it is made so at the present solution, again and again.
    """
    matches = (len(scores) - 1) / 2
    deviations = elo / _ELO_A_SIGMA * math.sqrt(matches)
    found = [1 / len(scores)] * len(scores)
    for _ in range(30):
        mean = sum(p * score for p, score in zip(found, scores, strict=True))
        variance = sum(p * (score - mean) ** 2 for p, score in zip(found, scores, strict=True))
        sigma = math.sqrt(variance)
        gaps = [
            score - 0.5 - deviations * sigma * (1 + ((mean - score) / sigma) ** 2) / 2
            for score in scores
        ]
        before, found = found, _with_mean_zero(shares, gaps)
        if max(abs(one - other) for one, other in zip(before, found, strict=True)) < 1e-12:
            break
    return found


def _with_mean_zero(shares: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """The most likely distribution in which the mean of the gaps is 0.

    One of the gaps is below 0, one above. Newton's steps; halves of the interval where they leave
    it. The slope falls everywhere.
    """
    low, high, theta = -1 / max(gaps), -1 / min(gaps), 0.0
    for _ in range(60):
        parts = [gap / (1 + theta * gap) for gap in gaps]
        slope = sum(share * part for share, part in zip(shares, parts, strict=True))
        if slope > 0:
            low = theta
        else:
            high = theta
        step = slope / sum(share * part**2 for share, part in zip(shares, parts, strict=True))
        before, theta = theta, theta + step
        if not low < theta < high:
            theta = (low + high) / 2
        if abs(theta - before) <= _EXACT * (1 + abs(theta)):
            break
    return [share / (1 + theta * gap) for share, gap in zip(shares, gaps, strict=True)]


_MOST_LIKELY: Mapping[Model, MostLikely] = {
    "logistic": with_logistic_elo,
    "normalized": _with_normalized_elo,
    "trinomial": with_logistic_elo,
}
