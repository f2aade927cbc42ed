"""How a bot does against third parties when another sits in the match, and when not.

For each ordered pair of bots the blocks of the one are compared: those with the other in them,
and those without. Each block is one observation: by how many points for each comparison with a
third party the bot did better than the model expects. The difference accuses no bot: the model
knows strengths only, and styles, or a bot that loses on purpose, make differences, too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from polynya_evidence.analysis.comparisons import Array, Comparisons
from polynya_evidence.analysis.estimates import Companion

LEAST_BLOCKS = 5
"""Of each kind: with fewer, how much they differ is not known."""


@dataclass(frozen=True, slots=True)
class _Block:
    """How much better a block's matches were than expected, a row for each of its bots.

    Attributes:
        bots: by index.
        surplus: points against each other of them, antisymmetric.
        comparisons: of each two.
    """

    bots: tuple[int, ...]
    surplus: Array
    comparisons: Array

    def mean(self, bot: int, without: int | None = None) -> float:
        """By how much one did better in each comparison; those with ``without`` are left out."""
        row = self.bots.index(bot)
        others = [n for n, other in enumerate(self.bots) if other not in (bot, without)]
        return float(self.surplus[row, others].sum() / self.comparisons[row, others].sum())


def companions(
    names: Sequence[str], comparisons: Comparisons, expected: Array
) -> tuple[Companion, ...]:
    """Every pair with enough blocks of both kinds, in the order of the names.

    Args:
        names: the bots'.
        comparisons: all that there are.
        expected: of each, the points by the model.
    """
    if comparisons.players == 2:
        return ()
    by_bot: dict[int, list[_Block]] = defaultdict(list)
    for block in _blocks(comparisons, expected):
        for bot in block.bots:
            by_bot[bot].append(block)
    return tuple(
        found
        for bot in sorted(by_bot)
        for companion in sorted(by_bot)
        if bot != companion and (found := _compared(names, bot, companion, by_bot[bot])) is not None
    )


def _blocks(comparisons: Comparisons, expected: Array) -> Iterator[_Block]:
    surplus = comparisons.points - expected
    order = np.argsort(comparisons.block, kind="stable")
    starts = np.flatnonzero(np.diff(comparisons.block[order])) + 1
    for rows in np.split(order, starts):
        bots = np.union1d(comparisons.bot[rows], comparisons.opponent[rows])
        one = np.searchsorted(bots, comparisons.bot[rows])
        other = np.searchsorted(bots, comparisons.opponent[rows])
        sums, counts = np.zeros((2, len(bots), len(bots)))
        np.add.at(sums, (one, other), surplus[rows])
        np.add.at(counts, (one, other), 1)
        yield _Block(tuple(bots.tolist()), sums - sums.T, counts + counts.T)


def _compared(
    names: Sequence[str], bot: int, companion: int, blocks: Sequence[_Block]
) -> Companion | None:
    """The difference of one pair; None where there are too few blocks."""
    together = [block.mean(bot, companion) for block in blocks if companion in block.bots]
    apart = [block.mean(bot) for block in blocks if companion not in block.bots]
    if min(len(together), len(apart)) < LEAST_BLOCKS:
        return None
    error = math.sqrt(sum(np.var(each, ddof=1) / len(each) for each in (together, apart)))
    surplus = float(np.mean(together) - np.mean(apart))
    return Companion(names[bot], names[companion], surplus, error, len(together))
