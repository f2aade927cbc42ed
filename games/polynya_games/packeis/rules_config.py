"""The configuration of a match, which never changes in it: the rules' numbers, board and fish."""

from __future__ import annotations

from typing import Final

from polynya_games.packeis.bits import CELLS
from polynya_games.packeis.board import board_from
from polynya_games.rows import Rows

MOST_FISH: Final = 3
"""The most fish on a floe."""

FLOES: Final = {1: 30, 2: 20, 3: 10}
"""Fish on a floe: the number of such floes."""

PENGUINS: Final = {2: 4, 3: 3, 4: 2}
"""Players: the penguins of each."""

CATCH: Final = tuple(64 * fish + 1 for fish in range(MOST_FISH + 1))
"""Fish on a floe: what it adds to a catch, ``64 * fish + floes``, which compares as players do."""


class Layout:
    """A board with its fish.

    Attributes:
        fish: per cell the fish that the floe carried at first, 0 where there is none.
        rows: the board's rows as they were given; None for the usual board.
        board: the board.
        catches: per cell what its floe adds to the catch of the player who collects it.
    """

    def __init__(self, fish: tuple[int, ...], rows: Rows | None = None) -> None:
        if len(fish) != CELLS:
            raise ValueError(f"a layout has {CELLS} floes, not {len(fish)}")
        self.fish: Final = fish
        self.rows: Final = rows
        self.board: Final = board_from(rows)
        self.catches: Final = tuple([CATCH[number] for number in fish])

    def __reduce__(self) -> tuple[type[Layout], tuple[object, ...]]:
        """How layouts are copied, and sent to other processes."""
        return (Layout, (self.fish, self.rows))

    def __repr__(self) -> str:
        return f"Layout{(self.fish, self.rows)}"
