"""The sequential probability ratio test: is the first bot better than the second by a margin?"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from polynya_common.reasons import Cause, Reason
from polynya_contest.pairing.formats.interface import Block, Format, PlayedBlock, key, portion
from polynya_contest.pairing.formats.sprt_models import (
    MATCH_SCORES,
    SCORES,
    Model,
    log_likelihood_ratio,
)
from polynya_contest.pairing.standings import MatchResult
from polynya_contest.ratings.elo import pair_score


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
        """Whether the ratio has reached one of the limits."""
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
        """Count the blocks that are complete now; whether there were any."""
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
