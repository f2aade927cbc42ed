"""Groups of bots so far apart that results show only which is the stronger, not by how much.

A group that never scored against those above it may be any distance below: results bound its
ratings on one side. If it scored in two or three of very many blocks, that is luck as much as
strength, and its distance is hardly known better.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polynya_evidence.analysis.comparisons import Array, Comparisons

FEW_BLOCKS = 3
"""The weaker are within reach if they scored in at least this number of blocks,"""

FEW_SHARE = 0.25
"""or in this share of them."""


@dataclass(frozen=True, slots=True)
class Groups:
    """The field, parted where the weaker are not within reach.

    Attributes:
        number: of each bot's group, 0 for the strongest.
    """

    number: Array

    @property
    def reference(self) -> Array:
        """The bots whose mean ratings are measured from: the largest group; all, if it is one bot.

        Of groups of the same size it is the strongest one.
        """
        sizes = np.bincount(self.number, minlength=1)
        if sizes.max() < 2:
            return np.ones(len(self.number), dtype=bool)
        return np.asarray(self.number == sizes.argmax())

    def spread(self, strengths: Array) -> float:
        """The standard deviation of the strengths; 0 if no group has two bots.

        Then nothing but the prior says how far any two are apart, and they say nothing of it.
        """
        if np.bincount(self.number, minlength=1).max() < 2:
            return 0.0
        return float(np.std(strengths))

    @property
    def bounded(self) -> tuple[Array, Array]:
        """Whether results bound each bot's rating from below, and from above.

        They bound the stronger from below, the weaker from above, and the reference on both sides.
        """
        reference = self.number[self.reference]
        if not len(reference):
            return self.number == 0, self.number == 0
        return self.number <= reference.min(), self.number >= reference.max()


def separate_groups(comparisons: Comparisons, strengths: Array) -> Groups:
    """Part the field by its results.

    Args:
        comparisons: all that there are.
        strengths: of the bots, as estimated: the field is parted between neighbours in this order.
    """
    order = np.argsort(-strengths, kind="stable")
    place = np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    one, other = place[comparisons.bot], place[comparisons.opponent]
    points = np.where(one > other, comparisons.points, 1 - comparisons.points)
    upper, lower = np.minimum(one, other), np.maximum(one, other)
    parted = np.zeros(len(order), dtype=int)
    for cut in range(1, len(order)):
        across = (upper < cut) & (lower >= cut)
        blocks = len(np.unique(comparisons.block[across]))
        scored = len(np.unique(comparisons.block[across & (points > 0)]))
        few = max(1, min(FEW_BLOCKS, FEW_SHARE * blocks))
        parted[cut] = blocks > 0 and scored < few
    return Groups(np.cumsum(parted)[place])
