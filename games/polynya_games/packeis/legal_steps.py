"""The legal steps: where penguins can be placed, and where they can move."""

from __future__ import annotations

from typing import Final

from polynya_games.game import Step
from polynya_games.packeis.bits import CELLS
from polynya_games.packeis.board import Board

PLACES: Final[tuple[Step, ...]] = tuple(("place", cell) for cell in range(CELLS))
"""Per cell the step that places a penguin on it."""

PLACE_CELLS: Final[dict[Step, int]] = {step: cell for cell, step in enumerate(PLACES)}
"""Per placing step its cell."""


def moves(board: Board, penguins: int, free: int) -> list[Step]:
    """All moves of the penguins of a bitboard, sorted.

    Args:
        board: the board.
        penguins: the bitboard of the penguins that may move.
        free: the bitboard of the floes without a penguin.
    """
    steps: list[Step] = []
    fans = board.fans
    while penguins:
        penguin = penguins & -penguins
        penguins ^= penguin
        for rays, slides in fans[penguin]:
            steps += slides[rays & free]
    return steps


def can_move(board: Board, penguins: int, free: int) -> bool:
    """Whether any of the penguins of a bitboard has a free neighbouring floe."""
    neighbours = board.neighbours_of_bit
    while penguins:
        penguin = penguins & -penguins
        if neighbours[penguin] & free:
            return True
        penguins ^= penguin
    return False
