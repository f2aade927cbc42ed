"""The sequential probability ratio test: is the first bot better than the second by so much?

The generalised test of Van den Bergh ("The Generalized SPRT", 2019) over blocks, as chess engines'
testers use it (the "pentanomial, logistic" model of fastchess): a block of two matches has one of
five results, 0, 1/4, 1/2, 3/4 or 1 of its points. Matches of a block share their set-up and are not
independent of each other; blocks are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from polynya_tournaments.formats.values import Block, Format, PlayedBlock, key

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
_PRIOR = 1e-3
"""So many blocks of each result are added, so that one that has not occurred stays possible."""


def expected(elo: float) -> float:
    """The score that a logistic Elo difference stands for, 0 to 1."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def log_likelihood_ratio(counts: Sequence[int], elo0: float, elo1: float) -> float:
    """How much better ``elo1`` explains the results than ``elo0``, as a natural logarithm.

    Each hypothesis takes, of all distributions with its mean, the most likely one.

    Args:
        counts: of blocks, by their score in the order of ``SCORES``.
        elo0: the difference by the one hypothesis.
        elo1: the difference by the other.
    """
    if not sum(counts):
        return 0.0
    blocks = [count + _PRIOR for count in counts]
    total = sum(blocks)
    shares = [count / total for count in blocks]
    null, alternative = (_most_likely(shares, expected(elo)) for elo in (elo0, elo1))
    return total * sum(
        share * math.log(one / other)
        for share, one, other in zip(shares, alternative, null, strict=True)
    )


def _most_likely(shares: Sequence[float], mean: float) -> list[float]:
    """The most likely distribution with this mean (Van den Bergh, proposition 1.1)."""

    def slope(theta: float) -> float:
        return sum(
            share * (score - mean) / (1 + theta * (score - mean))
            for share, score in zip(shares, SCORES, strict=True)
        )

    low, high = -1 / (1 - mean), 1 / mean
    for _ in range(60):
        middle = (low + high) / 2
        if slope(middle) > 0:
            low = middle
        else:
            high = middle
    theta = (low + high) / 2
    return [
        share / (1 + theta * (score - mean)) for share, score in zip(shares, SCORES, strict=True)
    ]


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Where the test ends (Wald): at or below the first for elo0, at or above the second for elo1.

    Args:
        alpha: the probability to decide for elo1 when elo0 is true.
        beta: the probability to decide for elo0 when elo1 is true.
    """
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


class Sprt(Format):
    """Blocks of two bots, one after another, until the test has decided.

    Args:
        names: of the two; the differences are those of the first.
        elo0, elo1: the hypotheses, in logistic Elo.
        alpha, beta: the probabilities of the two errors.
        most: the number of blocks after which it ends without a decision.
    """

    def __init__(
        self,
        names: Sequence[str],
        hypotheses: tuple[float, float],
        errors: tuple[float, float],
        most: int,
    ) -> None:
        self._names = tuple(names)
        self._elo0, self._elo1 = hypotheses
        self._bounds = bounds(*errors)
        self._most = most

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """One block more, as long as nothing is decided."""
        low, high = self._bounds
        done = not all(block.complete for block in played) or len(played) >= self._most
        if done or not low < self.ratio(played) < high:
            return []
        return [Block(key("sprt", len(played) + 1, 1, self._names), self._names)]

    def counts(self, played: Sequence[PlayedBlock]) -> list[int]:
        """Complete blocks by the first bot's score in them, in the order of ``SCORES``."""
        found = [0] * len(SCORES)
        for block in played:
            if block.complete:
                found[round(2 * block.points()[self._names[0]])] += 1
        return found

    def ratio(self, played: Sequence[PlayedBlock]) -> float:
        """The log-likelihood ratio so far."""
        return log_likelihood_ratio(self.counts(played), self._elo0, self._elo1)

    def verdict(self, played: Sequence[PlayedBlock]) -> str:
        """The decision and what it rests on, or how far the test is."""
        low, high = self._bounds
        ratio = self.ratio(played)
        state = f"log-likelihood ratio {ratio:.2f} of {low:.2f} to {high:.2f}"
        gap = f"elo0 = {self._elo0:g}, elo1 = {self._elo1:g}"
        pentanomial = f"blocks by points {self.counts(played)}"
        if ratio >= high:
            return f"H1 accepted, {self._names[0]} is better by elo1: {state}; {gap}; {pentanomial}"
        if ratio <= low:
            return f"H0 accepted, {self._names[0]} is not: {state}; {gap}; {pentanomial}"
        return f"undecided: {state}; {gap}; {pentanomial}"

    def figures(self, played: Sequence[PlayedBlock]) -> Mapping[str, float | str | list[int]]:
        """The test in numbers, for programs."""
        low, high = self._bounds
        ratio = self.ratio(played)
        decision = "H1" if ratio >= high else "H0" if ratio <= low else "undecided"
        return {
            "elo0": self._elo0,
            "elo1": self._elo1,
            "llr": ratio,
            "lower": low,
            "upper": high,
            "decision": decision,
            "pentanomial": self.counts(played),
        }
