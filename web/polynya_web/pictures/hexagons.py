"""Boards of hexagonal floes: where they lie, and how floes, marks and arrows are drawn.

The shapes are those of the pages' drawings (``static/boards``), without numbers of cells and hints.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from polynya_games.rows import centres, read_rows
from polynya_web.pictures.canvas import Canvas, Point, hexagon
from polynya_web.pictures.colours import LAST, SEA_LINE

_FLOE, _FLOE_EDGE, _FLOE_WALL = "#eaf4fa", "#a9cbe0", "#8fb6cf"
_GAP = 0.95
_SLAB = 5
_MOST_FLOES = 1_000
Step = Sequence[Any]


class HexBoard:
    """Where the floes of a position lie, in units of the pages' drawings.

    Args:
        rows: as in a state.
        half: half the width of a floe.

    Attributes:
        middles: the middle of each floe.
        width, height: of the whole board.
    """

    def __init__(self, rows: Sequence[Any], half: float) -> None:
        places = centres(read_rows(rows, _MOST_FLOES))
        west, east = min(x for _, x in places), max(x for _, x in places)
        self.radius = radius = 2 * half / math.sqrt(3)
        self.middles = [
            (half * (1 + x - west), radius + 8 + row * 1.5 * radius) for row, x in places
        ]
        self.width = half * (east - west + 2)
        self.height = radius * (2 + 1.5 * (len(rows) - 1)) + 16

    def slab(self, canvas: Canvas, cell: int) -> None:
        """A floe, seen a little from the south."""
        corners = hexagon(*self.middles[cell], self.radius * _GAP)
        wall = [*corners[:3], *[(x, y + _SLAB) for x, y in reversed(corners[:3])]]
        canvas.polygon(wall, _FLOE_WALL)
        canvas.polygon(corners, _FLOE, _FLOE_EDGE, 1.2)

    def gone(self, canvas: Canvas, cell: int, edge: str = SEA_LINE, width: float = 1) -> None:
        """Where a floe has been."""
        corners = hexagon(*self.middles[cell], self.radius * _GAP * 0.93)
        canvas.polygon(corners, "#ffffff0a", edge, width)

    def here(self, canvas: Canvas, cell: int) -> None:
        """A mark around a floe."""
        canvas.polygon(hexagon(*self.middles[cell], self.radius * 0.88), None, LAST, 3.5)

    def arrow(self, canvas: Canvas, start: int, goal: int) -> None:
        """The arrow of a move."""
        arrow(canvas, self.middles[start], self.middles[goal], self.radius * 0.8)


def arrow(canvas: Canvas, start: Point, goal: Point, short: float) -> None:
    """An arrow that ends ``short`` units before its goal, with a white casing."""
    length = math.dist(start, goal) or 1.0
    along_x, along_y = (goal[0] - start[0]) / length, (goal[1] - start[1]) / length
    tip = goal[0] - along_x * short, goal[1] - along_y * short
    neck = tip[0] - along_x * 13, tip[1] - along_y * 13
    head = [
        tip,
        (neck[0] - along_y * 8, neck[1] + along_x * 8),
        (neck[0] + along_y * 8, neck[1] - along_x * 8),
    ]
    canvas.line([start, neck], "#ffffff", 8)
    canvas.polygon(head, "#ffffff", "#ffffff", 6)
    canvas.line([start, neck], LAST, 4.5)
    canvas.polygon(head, LAST)
