"""The board's geometry: cells, directions, neighbours, rays, and sets of cells as bitboards.

A *bitboard* is an integer whose bit ``c`` stands for cell ``c``. Two rows hold 15 cells, so each
direction is a constant difference between cell numbers, except at the western and eastern edge::

    NW -8   NE -7
    W  -1    E +1
    SW +7   SE +8

Source: rules, "Board".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

CELLS: Final = 60
ROW_LENGTHS = (7, 8, 7, 8, 7, 8, 7, 8)
ALL_CELLS: Final = (1 << CELLS) - 1

DIRECTIONS = ("NW", "NE", "W", "E", "SW", "SE")
"""The six directions; ``NEIGHBOUR_CELLS`` and ``RAYS`` are indexed in this order."""

_FIRST_CELLS = tuple(sum(ROW_LENGTHS[:row]) for row in range(len(ROW_LENGTHS)))


def row_and_column(cell: int) -> tuple[int, int]:
    """The row, from 0 in the north, and the column, from 0 in the west."""
    row = max(row for row, first in enumerate(_FIRST_CELLS) if first <= cell)
    return row, cell - _FIRST_CELLS[row]


def cell_at(row: int, column: int) -> int | None:
    """The cell's number, None where the board has none."""
    if not 0 <= row < len(ROW_LENGTHS) or not 0 <= column < ROW_LENGTHS[row]:
        return None
    return _FIRST_CELLS[row] + column


def _neighbour(cell: int, direction: str) -> int | None:
    row, column = row_and_column(cell)
    if direction in ("W", "E"):
        return cell_at(row, column + (1 if direction == "E" else -1))
    shift = (1 if direction.endswith("E") else 0) - row % 2
    return cell_at(row + (1 if direction.startswith("S") else -1), column + shift)


def _ray(cell: int, direction: str) -> tuple[int, ...]:
    cells = []
    here = _neighbour(cell, direction)
    while here is not None:
        cells.append(here)
        here = _neighbour(here, direction)
    return tuple(cells)


def bitboard(cells: Iterable[int]) -> int:
    """The bitboard of some cells."""
    board = 0
    for cell in cells:
        board |= 1 << cell
    return board


def cells_of(board: int) -> Iterator[int]:
    """The cells of a bitboard, in ascending order."""
    while board:
        lowest = board & -board
        yield lowest.bit_length() - 1
        board ^= lowest


BIT: Final = tuple(1 << cell for cell in range(CELLS))
"""Per cell the bitboard of it alone."""

RAYS: Final = tuple(
    tuple(_ray(cell, direction) for direction in DIRECTIONS) for cell in range(CELLS)
)
"""Per cell and direction the cells that lie that way, the nearest first."""

NEIGHBOURS: Final = tuple(bitboard(ray[0] for ray in rays if ray) for rays in RAYS)
"""Per cell the bitboard of its two to six neighbours."""

NEIGHBOURS_OF_BIT: Final = {BIT[cell]: NEIGHBOURS[cell] for cell in range(CELLS)}
"""The same by the cell's own bit."""

_HAS_WEST: Final = bitboard(cell for cell in range(CELLS) if RAYS[cell][2])
_HAS_EAST: Final = bitboard(cell for cell in range(CELLS) if RAYS[cell][3])
_EIGHT_LONG: Final = bitboard(cell for cell in range(CELLS) if row_and_column(cell)[0] % 2)
_LEANS_WEST: Final = _HAS_WEST | ~_EIGHT_LONG & ALL_CELLS
_LEANS_EAST: Final = _HAS_EAST | ~_EIGHT_LONG & ALL_CELLS


def adjacent(board: int) -> int:
    """The bitboard of all neighbours of a bitboard's cells (some of them may be its own cells)."""
    west = board & _LEANS_WEST
    east = board & _LEANS_EAST
    return ALL_CELLS & (
        (board & _HAS_EAST) << 1
        | (board & _HAS_WEST) >> 1
        | west << 7
        | west >> 8
        | east << 8
        | east >> 7
    )


def reachable(free: int, penguins: int) -> int:
    """The penguins' cells and all free floes that a chain of free floes connects with one of them.

    Args:
        free: the bitboard of the floes without a penguin.
        penguins: the bitboard of the penguins.
    """
    reached = frontier = penguins
    while frontier:
        frontier = adjacent(frontier) & free & ~reached
        reached |= frontier
    return reached


def has_group_of_three(board: int) -> bool:
    """Whether three or more of a bitboard's cells are connected: one then has two neighbours."""
    rest = board
    while rest:
        lowest = rest & -rest
        if (NEIGHBOURS_OF_BIT[lowest] & board).bit_count() > 1:
            return True
        rest ^= lowest
    return False
