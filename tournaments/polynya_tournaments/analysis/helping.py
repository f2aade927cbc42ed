"""Who helps whom: does a bot do better against third parties when another sits in the match?

For each ordered pair of bots the blocks of the one are compared: those with the other in them,
and those without. What counts in a block is by how many points for each comparison with a third
party it did better than the model expects; a block is one observation. The two means are compared
by a t test for unequal variances, with the degrees of freedom of the smaller group; of the many
pairs those that stand out are found by Holm's method ("A simple sequentially rejective multiple
test procedure", 1979).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from polynya_tournaments.analysis.comparisons import Array, Comparisons
from polynya_tournaments.analysis.estimates import Help

LEAST_BLOCKS = 5
"""Of each kind: with fewer, how much they differ is not known."""

LEVEL = 0.05
"""The probability that anybody stands out where nobody helps."""


@dataclass(frozen=True, slots=True)
class _Block:
    """What a block's matches were better than expected by, a row for each of its bots.

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


def helping(names: Sequence[str], comparisons: Comparisons, expected: Array) -> tuple[Help, ...]:
    """Every pair that can be told of, the one that stands out most first.

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
    found = [
        help_
        for helped, blocks in by_bot.items()
        for helper in by_bot
        if helper != helped and (help_ := _tested(names, helper, helped, blocks)) is not None
    ]
    found.sort(key=lambda one: (one.probability, one.helper, one.helped))
    return tuple(_corrected(found))


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


def _tested(
    names: Sequence[str], helper: int, helped: int, blocks: Sequence[_Block]
) -> Help | None:
    """The test of one pair; None where there are too few blocks."""
    together = [block.mean(helped, helper) for block in blocks if helper in block.bots]
    apart = [block.mean(helped) for block in blocks if helper not in block.bots]
    if min(len(together), len(apart)) < LEAST_BLOCKS:
        return None
    surplus, probability = _greater(np.array(together), np.array(apart))
    return Help(names[helper], names[helped], surplus, len(together), probability, 1.0, False)


def _greater(one: Array, other: Array) -> tuple[float, float]:
    """By how much the mean of ``one`` is greater, and the probability of that by chance alone.

    Strong bots have little to gain and much to lose: what they do better by is skewed, for which
    Student's t is corrected (Hall, "On the removal of skewness by transformation", 1992).
    """
    difference = float(one.mean() - other.mean())
    sizes = np.array([len(one), len(other)])
    variances = np.array([one.var(ddof=1), other.var(ddof=1)]) / sizes
    variance = variances.sum()
    if not variance:
        return difference, 1.0  # all blocks are alike: they show nothing
    thirds = np.array([((each - each.mean()) ** 3).mean() for each in (one, other)]) / sizes**2
    skewness = (thirds[0] - thirds[1]) / variance**1.5
    t = difference / np.sqrt(variance)
    t += skewness * (t**2 / 3 + 1 / 6) + skewness**2 * t**3 / 27
    return difference, float(special.stdtr(sizes.min() - 1, -t))


def _corrected(ordered: Sequence[Help]) -> Iterator[Help]:
    """Holm's probabilities, from the smallest on."""
    least = 0.0
    for number, one in enumerate(ordered):
        least = max(least, min(1.0, one.probability * (len(ordered) - number)))
        yield replace(one, corrected=least, flagged=least < LEVEL)
