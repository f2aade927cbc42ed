"""The sequential probability ratio test: is the first bot better than the second by so much?

The generalised test of Van den Bergh ("The Generalized SPRT", 2019) over blocks, as chess engines'
testers use it (the "pentanomial, logistic" model of fastchess): a block of two matches has one of
five results, 0, 1/4, 1/2, 3/4 or 1 of its points. Matches of a block share their set-up and are not
independent of each other; blocks are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from polynya_tournaments.pairing.formats.interface import Block, Format, PlayedBlock, key, portion
from polynya_tournaments.pairing.standings import MatchResult

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
_PRIOR = 1e-3
"""So many blocks of each result are added, so that one that has not occurred stays possible."""
_EXACT = 1e-13


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
    gaps = [score - mean for score in SCORES]
    low, high, theta = -1 / (1 - mean), 1 / mean, 0.0
    # Newton's steps; halves of the interval where they leave it. The slope falls everywhere.
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


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Where the test ends (Wald): at or below the first for elo0, at or above the second for elo1.

    Args:
        alpha: the probability to decide for elo1 when elo0 is true.
        beta: the probability to decide for elo0 when elo1 is true.
    """
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


class SprtJudge:
    """Counts blocks in the order of the schedule until the test has decided.

    A block counts when it and all before it are complete, whatever order they ended in. So the
    decision rests on the same blocks however many matches are played at the same time. A block with
    a match that was not played says nothing, and nothing after it is counted.

    Args:
        names: of the two bots.
        hypotheses: elo0 and elo1.
        limits: where the test ends, see :func:`bounds`.
        drawn: the blocks that were drawn, in their order.

    Attributes:
        counts: of the counted blocks, by the first bot's score, in the order of ``SCORES``.
        ratio: the log-likelihood ratio.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        hypotheses: tuple[float, float],
        limits: tuple[float, float],
        drawn: Iterable[PlayedBlock],
    ) -> None:
        self.counts = [0] * len(SCORES)
        self.ratio = 0.0
        self._names = names
        self._hypotheses = hypotheses
        self._limits = limits
        self._left = {block.key: block for block in drawn}
        self._count()

    @property
    def decided(self) -> bool:
        """Whether the ratio has reached one of the limits."""
        low, high = self._limits
        return not low < self.ratio < high

    @property
    def verdict(self) -> str:
        """The decision and what it rests on, or how far the test is."""
        (low, high), (elo0, elo1) = self._limits, self._hypotheses
        state = f"log-likelihood ratio {self.ratio:.2f} of {low:.2f} to {high:.2f}"
        blocks = sum(self.counts)
        basis = f"elo0 = {elo0:g}, elo1 = {elo1:g}; blocks by points {self.counts}"
        better = self._names[0]
        if self.ratio >= high:
            return f"H1 accepted after block {blocks}, {better} is better by elo1: {state}; {basis}"
        if self.ratio <= low:
            return f"H0 accepted after block {blocks}, {better} is not: {state}; {basis}"
        return f"undecided: {state}; {basis}"

    @property
    def waits(self) -> bool:
        """See :class:`~polynya_tournaments.pairing.formats.interface.Judge`."""
        return bool(self._left)

    def draw(self, blocks: Iterable[Block]) -> None:
        """See :class:`~polynya_tournaments.pairing.formats.interface.Judge`."""
        self._left |= {block.key: PlayedBlock(block.key, block.players) for block in blocks}

    def ended(self, block: str, result: MatchResult) -> bool:
        """See :class:`~polynya_tournaments.pairing.formats.interface.Judge`."""
        if block in self._left:
            found = self._left[block]
            self._left[block] = replace(found, results=(*found.results, result))
        return self._count()

    def _count(self) -> bool:
        """Count the blocks that are complete now; whether there were any."""
        before = sum(self.counts)
        while not self.decided and self._left:
            first = next(iter(self._left.values()))
            if len(first.results) < len(first.players):
                break
            del self._left[first.key]
            self.counts[round(2 * first.points()[self._names[0]])] += 1
            self.ratio = log_likelihood_ratio(self.counts, *self._hypotheses)
        return sum(self.counts) > before


class Sprt(Format):
    """Blocks of two bots, drawn ahead in portions, until the test has decided.

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
        self._hypotheses = hypotheses
        self._bounds = bounds(*errors)
        self._most = most

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """The next portion, as long as nothing is decided: as many blocks as there were so far."""
        judge = self.judge(played)
        if judge.decided or judge.waits:
            return []
        done = len(played)
        return list(islice(self.blocks_after(done), portion(done, 2)))

    def blocks_after(self, drawn: int) -> Iterator[Block]:
        """The blocks up to the last one that may be needed."""
        for number in range(drawn + 1, self._most + 1):
            yield Block(key("sprt", number, 1, self._names), self._names)

    @property
    def is_judged(self) -> bool:
        """By :class:`SprtJudge`."""
        return True

    def judge(self, played: Sequence[PlayedBlock]) -> SprtJudge:
        """See :class:`SprtJudge`."""
        return SprtJudge(self._names, self._hypotheses, self._bounds, played)

    def verdict(self, played: Sequence[PlayedBlock]) -> str:
        """The decision and what it rests on, or how far the test is."""
        return self.judge(played).verdict

    def figures(self, played: Sequence[PlayedBlock]) -> Mapping[str, float | str | list[int]]:
        """The test in numbers, for programs."""
        (low, high), (elo0, elo1) = self._bounds, self._hypotheses
        judge = self.judge(played)
        decision = "H1" if judge.ratio >= high else "H0" if judge.ratio <= low else "undecided"
        return {
            "elo0": elo0,
            "elo1": elo1,
            "llr": judge.ratio,
            "lower": low,
            "upper": high,
            "decision": decision,
            "pentanomial": judge.counts,
        }
