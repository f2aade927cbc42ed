"""Where penguins can slide, by table: no ray is walked twice for the same pattern of free floes.

A penguin's six rays are taken in three pairs, whose targets are already in the order of legal
steps: the two to the north, the row, the two to the south. Masking a pair's cells with the free
floes gives the key under which the steps of that pattern are kept.
"""

from __future__ import annotations

from typing import Final

from polynya_games.game import Step
from polynya_games.packeis.board import BIT, CELLS, NEIGHBOURS_OF_BIT, RAYS, bitboard

MOVES: Final[tuple[dict[int, Step], ...]] = tuple(
    {target: ("move", origin, target) for ray in RAYS[origin] for target in ray}
    for origin in range(CELLS)
)
"""Per cell the steps to all cells in a straight line from it, by target."""

WAYS: Final[dict[Step, tuple[int, int]]] = {
    ("move", origin, target): (BIT[origin], bitboard(ray[: distance + 1]))
    for origin in range(CELLS)
    for ray in RAYS[origin]
    for distance, target in enumerate(ray)
}
"""Per move along a straight line its origin and all cells from the next one to its target."""

NO_WAY: Final = (0, 0)
"""The same for what is no such move: nobody stands where it begins."""

PLACES: Final[tuple[Step, ...]] = tuple(("place", cell) for cell in range(CELLS))
"""Per cell the step that places a penguin on it."""


PLACE_CELLS: Final[dict[Step, int]] = {step: cell for cell, step in enumerate(PLACES)}
"""Per placing step its cell."""


class _Slides(dict[int, tuple[Step, ...]]):
    """The steps along a pair of rays by the free floes on it; filled when first asked for.

    At most 2**14 patterns per pair, 85,000 in all; a whole match sees a few hundred.
    """

    def __init__(self, origin: int, rays: tuple[tuple[int, ...], ...]) -> None:
        super().__init__()
        self._origin = origin
        self._rays = rays

    def __missing__(self, free: int) -> tuple[Step, ...]:
        targets = sorted(target for ray in self._rays for target in slide(ray, free))
        steps = tuple([MOVES[self._origin][target] for target in targets])
        self[free] = steps
        return steps


def slide(ray: tuple[int, ...], free: int) -> tuple[int, ...]:
    """The cells of a ray up to the first one that is not free."""
    for distance, cell in enumerate(ray):
        if not free & BIT[cell]:
            return ray[:distance]
    return ray


def _fan(origin: int) -> tuple[tuple[int, _Slides], ...]:
    north_west, north_east, west, east, south_west, south_east = RAYS[origin]
    pairs = ((north_west, north_east), (west, east), (south_west, south_east))
    return tuple(
        (bitboard(cell for ray in pair for cell in ray), _Slides(origin, pair)) for pair in pairs
    )


_FANS: Final = {BIT[origin]: _fan(origin) for origin in range(CELLS)}


def moves(penguins: int, free: int) -> list[Step]:
    """All moves of the penguins of a bitboard, sorted.

    Args:
        penguins: the bitboard of the penguins that may move.
        free: the bitboard of the floes without a penguin.
    """
    steps: list[Step] = []
    while penguins:
        penguin = penguins & -penguins
        penguins ^= penguin
        for rays, slides in _FANS[penguin]:
            steps += slides[rays & free]
    return steps


def can_move(penguins: int, free: int) -> bool:
    """Whether any of the penguins of a bitboard has a free neighbouring floe."""
    while penguins:
        penguin = penguins & -penguins
        if NEIGHBOURS_OF_BIT[penguin] & free:
            return True
        penguins ^= penguin
    return False
