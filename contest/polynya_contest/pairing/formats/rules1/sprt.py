"""The sequential probability ratio test as rules 1 draw it: one block, then the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from polynya_contest.pairing.formats.interface import Block, Format, PlayedBlock, key
from polynya_contest.pairing.formats.sprt import bounds
from polynya_contest.pairing.formats.sprt_models import SCORES, ratio, with_logistic_elo

_PRIOR = 1e-3
"""The number of blocks added to each result, so that each of them stays possible."""


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
        counts = self.counts(played)
        if not sum(counts):
            return 0.0
        return ratio(
            [count + _PRIOR for count in counts], self._elo0, self._elo1, with_logistic_elo
        )

    def verdict(self, played: Sequence[PlayedBlock]) -> str:
        """The decision and what it rests on, or how far the test is."""
        low, high = self._bounds
        found = self.ratio(played)
        state = f"log-likelihood ratio {found:.2f} of {low:.2f} to {high:.2f}"
        gap = f"elo0 = {self._elo0:g}, elo1 = {self._elo1:g}"
        pentanomial = f"blocks by points {self.counts(played)}"
        if found >= high:
            return f"H1 accepted, {self._names[0]} is better by elo1: {state}; {gap}; {pentanomial}"
        if found <= low:
            return f"H0 accepted, {self._names[0]} is not: {state}; {gap}; {pentanomial}"
        return f"undecided: {state}; {gap}; {pentanomial}"

    def figures(self, played: Sequence[PlayedBlock]) -> Mapping[str, float | str | list[int]]:
        """The test in numbers, for programs."""
        low, high = self._bounds
        found = self.ratio(played)
        decision = "H1" if found >= high else "H0" if found <= low else "undecided"
        return {
            "elo0": self._elo0,
            "elo1": self._elo1,
            "llr": found,
            "lower": low,
            "upper": high,
            "decision": decision,
            "pentanomial": self.counts(played),
        }
