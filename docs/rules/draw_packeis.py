"""Draws the cell numbers of Packeis am Pol, on the usual and on a shifted board, from the code.

Run it from anywhere: ``python docs/rules/draw_packeis.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

from polynya_games.packeis.board import DIRECTIONS, USUAL, Board, board_from
from polynya_games.packeis.document import rows_from

WIDTH = 64
"""The distance of neighbouring floes' centres, in pixels."""
RADIUS = WIDTH / math.sqrt(3)
LEFT, TOP = 86, 66
EXAMPLE = 33

SHIFTED = [[7, 1], [8, 2], [7, 3], [8, 2], [7, 1], [8, 0], [7, 1], [8, 2]]
"""A board with shifted rows."""

STYLE = """
  text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; text-anchor: middle; }
  .sea { fill: #12344d; }
  .floe { fill: #eaf4fa; stroke: #a9cbe0; stroke-width: 1.5; }
  .ray { fill: #c3e2f4; }
  .example { fill: #ffd479; stroke: #e0a52e; }
  .cell { fill: #12344d; font-size: 19px; }
  .note { fill: #cfe3f0; font-size: 14px; }
  .direction { fill: #2d6a94; font-size: 11px; font-weight: bold; }
"""


def centre(board: Board, cell: int) -> tuple[float, float]:
    """The middle of a floe."""
    row, x = board.centres[cell]
    return LEFT + x * WIDTH / 2, TOP + row * RADIUS * 1.5


def hexagon(x: float, y: float, kind: str) -> str:
    """A floe with a gap to its neighbours."""
    size = RADIUS * 0.94
    angles = [math.radians(60 * corner + 30) for corner in range(6)]
    corners = [(x + size * math.cos(angle), y + size * math.sin(angle)) for angle in angles]
    points = " ".join(f"{corner_x:.1f},{corner_y:.1f}" for corner_x, corner_y in corners)
    return f'  <polygon class="{kind}" points="{points}"/>'


def text(x: float, y: float, kind: str, words: str) -> str:
    """Words centred at a point."""
    return f'  <text class="{kind}" x="{x:.1f}" y="{y:.1f}">{words}</text>'


def floes(board: Board) -> Iterator[str]:
    """All floes with their numbers; the example and the rays from it in colours."""
    rays = board.rays[EXAMPLE]
    on_rays = {cell for ray in rays for cell in ray}
    nearest = {ray[0]: name for name, ray in zip(DIRECTIONS, rays, strict=True) if ray}
    for cell in range(len(board.centres)):
        x, y = centre(board, cell)
        kind = "floe example" if cell == EXAMPLE else "floe ray" if cell in on_rays else "floe"
        yield hexagon(x, y, kind)
        yield text(x, y + 7, "cell", str(cell))
        if cell in nearest:
            yield text(x, y - 14, "direction", nearest[cell])


def row_names(names: Sequence[str], right: float) -> Iterator[str]:
    """The name of each row, on both sides."""
    for row, name in enumerate(names):
        y = TOP + row * RADIUS * 1.5 + 5
        yield text(LEFT - WIDTH * 0.82, y, "note", name)
        yield text(right, y, "note", name)


def picture(board: Board, names: Sequence[str], title: str, caption: str) -> str:
    """A whole SVG document.

    Args:
        board: the board.
        names: what each row is called at its sides.
        title: what the picture shows.
        caption: what stands below it.
    """
    east = LEFT + max(x for _, x in board.centres) * WIDTH / 2
    width = east + LEFT
    bottom = TOP + (len(names) - 1) * RADIUS * 1.5 + RADIUS
    height = bottom + 52
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:.0f}"'
            f' viewBox="0 0 {width:g} {height:.0f}" role="img">',
            f"  <title>{title}</title>",
            f"  <desc>60 hexagonal floes in {len(names)} rows, numbered row by row from 0</desc>",
            f"  <style>{STYLE}  </style>",
            f'  <rect class="sea" width="{width:g}" height="{height:.0f}" rx="14"/>',
            text(width / 2, 22, "note", "north"),
            *row_names(names, east + WIDTH * 0.82),
            *floes(board),
            text(width / 2, bottom + 24, "note", "south"),
            text(width / 2, bottom + 44, "note", caption),
            "</svg>\n",
        ]
    )


def cells() -> str:
    """The usual board."""
    names = [str(row) for row in range(8)]
    caption = (
        f"rows at the sides; from {EXAMPLE}: the six directions, and where a penguin could slide"
    )
    return picture(USUAL, names, "The cells of Packeis am Pol", caption)


def shifted() -> str:
    """A board with shifted rows."""
    names = [f"{length}@{indent}" for length, indent in SHIFTED]
    caption = f"rows as length@indent; from {EXAMPLE}: where a penguin could slide"
    return picture(board_from(rows_from(SHIFTED)), names, "A board with shifted rows", caption)


PICTURES = {"packeis-cells.svg": cells, "packeis-shifted.svg": shifted}
"""File name: what draws it."""


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        Path(__file__).with_name(name).write_text(draw(), encoding="utf-8")
