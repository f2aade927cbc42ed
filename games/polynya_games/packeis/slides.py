"""Where penguins can slide, by table: no ray is walked twice for the same pattern of free floes.

A penguin's six rays are taken in three pairs, whose targets are already in the order of legal
steps: the two to the north, the row, the two to the south. Masking a pair's cells with the free
floes gives the key under which the steps of that pattern are kept.
"""

from __future__ import annotations

from typing import Final

from polynya_games.bitsets import bitset
from polynya_games.game import Step
from polynya_games.packeis.bits import BIT

_LONG: Final = 14
"""More cells than any pair of rays on the usual board has."""

_KEPT: Final = 512
"""Patterns that are kept at once for a pair with more cells."""


class Slides(dict[int, tuple[Step, ...]]):
    """The steps along a pair of rays by the free floes on it; filled when first asked for.

    On the usual board there are at most 2**14 patterns per pair, 85,000 in all; a whole match sees
    a few hundred.
    """

    def __init__(self, rays: tuple[tuple[int, ...], ...], targets: dict[int, Step]) -> None:
        super().__init__()
        self._rays = rays
        self._targets = targets
        self._bounded = sum(len(ray) for ray in rays) > _LONG

    def __missing__(self, free: int) -> tuple[Step, ...]:
        if self._bounded and len(self) >= _KEPT:
            self.clear()
        reached = sorted(target for ray in self._rays for target in slide(ray, free))
        steps = tuple([self._targets[target] for target in reached])
        self[free] = steps
        return steps


Fan = tuple[tuple[int, Slides], ...]
"""Per pair of a cell's rays the bitboard of its cells, and the steps along it."""


def slide(ray: tuple[int, ...], free: int) -> tuple[int, ...]:
    """The cells of a ray up to the first cell that is not free."""
    for distance, cell in enumerate(ray):
        if not free & BIT[cell]:
            return ray[:distance]
    return ray


def fan_of(rays: tuple[tuple[int, ...], ...], targets: dict[int, Step]) -> Fan:
    """The three pairs of a cell's rays.

    Args:
        rays: the cell's rays, in the order of ``board.DIRECTIONS``.
        targets: the steps from the cell, by target.
    """
    north_west, north_east, west, east, south_west, south_east = rays
    pairs = ((north_west, north_east), (west, east), (south_west, south_east))
    return tuple(
        [(bitset(cell for ray in pair for cell in ray), Slides(pair, targets)) for pair in pairs]
    )
