"""A board's geometry: neighbours, rays, and what can be reached on it.

The usual board has 8 rows of 7 and 8. Two of its rows hold 15 cells, so each direction is a
constant difference between cell numbers, except at the western and eastern edge::

    NW -8   NE -7
    W  -1    E +1
    SW +7   SE +8

On another board the difference depends on the rows, and only the tables are used.

Source: rules, "Board" and "Set-up".
"""

from __future__ import annotations

import functools
from typing import Final

from polynya_games.bitsets import bitset
from polynya_games.game import Step
from polynya_games.packeis.bits import ALL_CELLS, BIT, CELLS
from polynya_games.packeis.slides import Fan, fan_of
from polynya_games.rows import WAYS, Centre, Rows, centres

DIRECTIONS: Final = ("NW", "NE", "W", "E", "SW", "SE")
"""The six directions; the rays of a board are in this order."""

USUAL_ROWS: Final[Rows] = ((7, 1), (8, 0)) * 4

NO_WAY: Final = (0, 0)
"""Origin and way of a pair of cells that is no straight line: no penguin stands where it begins."""

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
