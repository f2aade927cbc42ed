"""A board's geometry: cells as bits, neighbours, rays, and where penguins can slide.

A *bitboard* is an integer whose bit ``c`` stands for cell ``c``. The usual board has 8 rows of 7
and 8. Two of its rows hold 15 cells, so each direction is a constant difference between cell
numbers, except at the western and eastern edge::

    NW -8   NE -7
    W  -1    E +1
    SW +7   SE +8

On another board the difference depends on the rows, and only the tables are used.

A penguin's six rays are taken in three pairs, whose targets are already in the order of legal
steps: the two to the north, the row, the two to the south. Masking a pair's cells with the free
floes gives the key under which the steps of that pattern are kept: no ray is walked twice for the
same pattern.

Source: rules, "Board" and "Set-up".
"""

from __future__ import annotations

import functools
from typing import Final

from polynya_games.cells import WAYS, Centre, Rows, bitset, centres
from polynya_games.game import Step

CELLS: Final = 60
"""The floes of every board."""

ALL_CELLS: Final = (1 << CELLS) - 1

BIT: Final = tuple(1 << cell for cell in range(CELLS))
"""Per cell the bitboard of it alone."""

DIRECTIONS: Final = ("NW", "NE", "W", "E", "SW", "SE")
"""The six directions; the rays of a board are in this order."""

USUAL_ROWS: Final[Rows] = ((7, 1), (8, 0)) * 4

NO_WAY: Final = (0, 0)
"""Origin and way of a pair of cells that is no straight line: no penguin stands where it begins."""

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


Rays = tuple[tuple[int, ...], ...]
"""Per direction the cells that lie that way, the nearest first."""


class Board:
    """The tables of one arrangement of floes.

    Attributes:
        centres: row and x (in half floes) of each cell's centre.
        rays: per cell its rays.
        neighbours: per cell the bitboard of its neighbours.
        neighbours_of_bit: the same by the cell's own bit.
        targets: per cell the steps to all cells in a straight line from it, by target.
        ways: per move along a straight line its origin and all cells from the next one to its
            target, as bitboards.
        fans: by a cell's bit, how to find the moves from it.
    """

    def __init__(self, cells: tuple[Centre, ...]) -> None:
        numbers = {centre: cell for cell, centre in enumerate(cells)}
        self.centres: Final = cells
        self.rays: Final = tuple([_rays(centre, numbers) for centre in cells])
        self.neighbours: Final = tuple(
            [bitset(ray[0] for ray in rays if ray) for rays in self.rays]
        )
        self.neighbours_of_bit: Final = dict(zip(BIT, self.neighbours, strict=True))
        self.targets: Final[tuple[dict[int, Step], ...]] = tuple(
            [
                {target: ("move", origin, target) for ray in rays for target in ray}
                for origin, rays in enumerate(self.rays)
            ]
        )
        self.ways: Final[dict[Step, tuple[int, int]]] = {
            self.targets[origin][target]: (BIT[origin], bitset(ray[: distance + 1]))
            for origin, rays in enumerate(self.rays)
            for ray in rays
            for distance, target in enumerate(ray)
        }
        self.fans: Final[dict[int, Fan]] = {
            BIT[origin]: fan_of(rays, self.targets[origin]) for origin, rays in enumerate(self.rays)
        }
        self._is_usual: Final = cells == centres(USUAL_ROWS)

    def adjacent(self, cells: int) -> int:
        """The bitboard of all neighbours of some cells (some of them may be their own cells)."""
        if self._is_usual:
            west = cells & _LEANS_WEST
            east = cells & _LEANS_EAST
            return ALL_CELLS & (
                (cells & _HAS_EAST) << 1
                | (cells & _HAS_WEST) >> 1
                | west << 7
                | west >> 8
                | east << 8
                | east >> 7
            )
        around = 0
        while cells:
            lowest = cells & -cells
            cells ^= lowest
            around |= self.neighbours_of_bit[lowest]
        return around

    def reachable(self, free: int, penguins: int) -> int:
        """The penguins' cells and all free floes that a chain of free floes connects with one.

        Args:
            free: the bitboard of the floes without a penguin.
            penguins: the bitboard of the penguins.
        """
        reached = frontier = penguins
        while frontier:
            frontier = self.adjacent(frontier) & free & ~reached
            reached |= frontier
        return reached

    def has_group_of_three(self, cells: int) -> bool:
        """Whether three or more of some cells are connected: one then has two neighbours."""
        rest = cells
        while rest:
            lowest = rest & -rest
            if (self.neighbours_of_bit[lowest] & cells).bit_count() > 1:
                return True
            rest ^= lowest
        return False


def _rays(centre: Centre, numbers: dict[Centre, int]) -> Rays:
    rays = []
    for down, east in WAYS:
        row, x = centre
        ray = []
        while (cell := numbers.get((row := row + down, x := x + east))) is not None:
            ray.append(cell)
        rays.append(tuple(ray))
    return tuple(rays)


_EIGHT_LONG: Final = bitset(cell for cell in range(CELLS) if cell % 15 >= 7)
_HAS_WEST: Final = bitset(cell for cell in range(CELLS) if cell % 15 not in (0, 7))
_HAS_EAST: Final = bitset(cell for cell in range(CELLS) if cell % 15 not in (6, 14))
_LEANS_WEST: Final = _HAS_WEST | ~_EIGHT_LONG & ALL_CELLS
_LEANS_EAST: Final = _HAS_EAST | ~_EIGHT_LONG & ALL_CELLS


@functools.lru_cache(maxsize=16)
def board_of(cells: tuple[Centre, ...]) -> Board:
    """The board of these floes; the tables of recent ones are shared."""
    return Board(cells)


USUAL: Final = Board(centres(USUAL_ROWS))
"""The board of 7, 8, 7, 8, 7, 8, 7, 8 floes."""


def board_from(rows: Rows | None) -> Board:
    """The board of rows that have been checked; the usual one where there are none."""
    if rows is None or (cells := centres(rows)) == USUAL.centres:
        return USUAL
    return board_of(cells)
