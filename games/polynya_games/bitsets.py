"""Sets of cells as integers: bit ``c`` stands for cell ``c``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def bitset(cells: Iterable[int]) -> int:
    """The integer that stands for some cells."""
    bits = 0
    for cell in cells:
        bits |= 1 << cell
    return bits


def cells_of(bits: int) -> Iterator[int]:
    """The cells that an integer stands for, in ascending order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest
