"""The sequential probability ratio test: is the first bot better than the second by a margin?

The generalised test of Van den Bergh ("The Generalized SPRT", 2019; "Normalized Elo", 2020).
Matches of a block share their set-up and are not independent of each other; blocks are. So
``logistic`` and ``normalized`` count blocks (the pentanomial models of fishtest and fastchess): a
block of two matches has one of five results, 0, 1/4, 1/2, 3/4 or 1 of its points. ``trinomial``
counts single matches as if they were independent: it is for games without set-ups.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Literal

from polynya_common.reasons import Cause, Reason
from polynya_contest.pairing.formats.interface import Block, Format, PlayedBlock, key, portion
from polynya_contest.pairing.standings import MatchResult
from polynya_contest.ratings.elo import pair_score

Model = Literal["logistic", "normalized", "trinomial"]

SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""The results of a block."""

MATCH_SCORES = (0.0, 0.5, 1.0)
"""The results of a match."""

_NEVER = 1e-3
"""Count given to a result that has not occurred, so that it stays possible, as in fishtest."""

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


def bounds(alpha: float, beta: float) -> tuple[float, float]:
    """Where the test ends (Wald): at or below the first for elo0, at or above the second for elo1.

    Args:
        alpha: the probability to decide for elo1 when elo0 is true.
        beta: the probability to decide for elo0 when elo1 is true.
    """
    return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)


class SprtJudge:
    """Counts blocks in the order of the schedule until the test has decided.

    A block counts when it and all before it are complete, no matter in which order. So the
    decision rests on the same blocks however many matches are played at the same time. A block with
    a match that was not played says nothing, and nothing after it is counted.

    Args:
        names: of the two bots.
        hypotheses: elo0 and elo1.
        limits: where the test ends, see :func:`bounds`.
        drawn: the blocks that were drawn, in their order.
        model: how results are counted.

    Attributes:
        counts: of the counted blocks, by the first bot's score, in the order of ``SCORES``.
        matches: of their matches, in the order of ``MATCH_SCORES``.
        ratio: the log-likelihood ratio.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        hypotheses: tuple[float, float],
        limits: tuple[float, float],
        drawn: Iterable[PlayedBlock],
        model: Model = "logistic",
    ) -> None:
        self.counts = [0] * len(SCORES)
        self.matches = [0] * len(MATCH_SCORES)
        self._model: Model = model
        self.ratio = 0.0
        self._names = names
        self._hypotheses = hypotheses
        self._limits = limits
        self._left = {block.key: block for block in drawn}
        self._count()

    @property
    def decided(self) -> bool:
        """Whether the ratio has reached a bound."""
        low, high = self._limits
        return not low < self.ratio < high

    @property
    def verdict(self) -> Cause:
        """The decision and what it rests on, or how far the test is."""
        (low, high), (elo0, elo1) = self._limits, self._hypotheses
        better, other = self._names
        common = {
            "block": sum(self.counts),
            "ratio": self.ratio,
            "low": low,
            "high": high,
            "model": self._model,
            "counts": str(self.counts),
        }
        for accepted, difference, rejected, hypothesis in (
            (self.ratio >= high, elo1, elo0, "H1"),
            (self.ratio <= low, elo0, elo1, "H0"),
        ):
            if accepted:
                return Reason.of(
                    "test_accepts",
                    hypothesis=hypothesis,
                    better=better,
                    other=other,
                    difference=difference,
                    rejected=rejected,
                    unit="normalized Elo" if self._model == "normalized" else "Elo",
                    **common,
                )
        return Reason.of("undecided", elo0=elo0, elo1=elo1, **common)

    @property
    def waits(self) -> bool:
        """See :class:`~polynya_contest.pairing.formats.interface.Judge`."""
        return bool(self._left)

    def draw(self, blocks: Iterable[Block]) -> None:
        """See :class:`~polynya_contest.pairing.formats.interface.Judge`."""
        self._left |= {block.key: PlayedBlock(block.key, block.players) for block in blocks}

    def ended(self, block: str, result: MatchResult) -> bool:
        """See :class:`~polynya_contest.pairing.formats.interface.Judge`."""
        if block in self._left:
            found = self._left[block]
            self._left[block] = replace(found, results=(*found.results, result))
        return self._count()

    def _count(self) -> bool:
        """Count newly completed blocks; True if there were any."""
        before = sum(self.counts)
        while not self.decided and self._left:
            first = next(iter(self._left.values()))
            if len(first.results) < len(first.players):
                break
            del self._left[first.key]
            self.counts[round(2 * first.points()[self._names[0]])] += 1
            for result in first.results:
                own = result.names.index(self._names[0])
                score = pair_score(result.ranking[own], result.ranking[1 - own])
                self.matches[round(2 * score)] += 1
            counts = self.matches if self._model == "trinomial" else self.counts
            self.ratio = log_likelihood_ratio(self._model, counts, *self._hypotheses)
        return sum(self.counts) > before


class Sprt(Format):
    """Blocks of two bots, drawn ahead in portions, until the test has decided.

    Args:
        names: of the two; the differences are those of the first.
        hypotheses: elo0 and elo1, in the unit of the model.
        errors: the probabilities of the two errors, alpha and beta.
        most: the number of blocks after which it ends without a decision.
        model: how results are counted.
    """

    def __init__(
        self,
        names: Sequence[str],
        hypotheses: tuple[float, float],
        errors: tuple[float, float],
        most: int,
        model: Model = "logistic",
    ) -> None:
        one, other = names
        self._names = (one, other)
        self._hypotheses = hypotheses
        self._bounds = bounds(*errors)
        self._most = most
        self._model: Model = model

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """The next portion, as long as nothing is decided: as many blocks as there were so far."""
        judge = self.judge(played)
        if judge.decided or judge.waits:
            return []
        done = len(played)
        return list(islice(self.blocks_after(done), portion(done, 2)))

    def blocks_after(self, drawn: int) -> Iterator[Block]:
        """The blocks up to the last block that may be needed."""
        for number in range(drawn + 1, self._most + 1):
            yield Block(key("sprt", number, 1, self._names), self._names)

    @property
    def is_judged(self) -> bool:
        """By :class:`SprtJudge`."""
        return True

    def judge(self, played: Sequence[PlayedBlock]) -> SprtJudge:
        """See :class:`SprtJudge`."""
        return SprtJudge(self._names, self._hypotheses, self._bounds, played, self._model)

    def verdict(self, played: Sequence[PlayedBlock]) -> Cause:
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
            "model": self._model,
            "pentanomial": judge.counts,
            "trinomial": judge.matches,
        }
