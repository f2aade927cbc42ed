"""The cells of a board: a *bitboard* is an integer whose bit ``c`` stands for cell ``c``."""

from __future__ import annotations

from typing import Final

CELLS: Final = 60
"""The floes of every board."""

ALL_CELLS: Final = (1 << CELLS) - 1

BIT: Final = tuple(1 << cell for cell in range(CELLS))
"""Per cell the bitboard of it alone."""
