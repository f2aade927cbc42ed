"""Sets of cells as bitboards: a *bitboard* is an integer whose bit ``c`` stands for cell ``c``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

CELLS: Final = 60
"""Every board has so many floes."""

ALL_CELLS: Final = (1 << CELLS) - 1

BIT: Final = tuple(1 << cell for cell in range(CELLS))
"""Per cell the bitboard of it alone."""


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
