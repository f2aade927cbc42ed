"""Draws ``packeis-cells.svg``: the cell numbers of Packeis am Pol, from the geometry of the code.

Run it from anywhere: ``python docs/rules/draw_packeis.py``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

from polynya_games.packeis.board import CELLS, DIRECTIONS, RAYS, ROW_LENGTHS, row_and_column

WIDTH = 64
"""The distance of neighbouring floes' centres, in pixels."""
RADIUS = WIDTH / math.sqrt(3)
LEFT, TOP = 86, 66
EXAMPLE = 33

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


def centre(cell: int) -> tuple[float, float]:
    """The middle of a floe: rows of 7 are indented by half a floe."""
    row, column = row_and_column(cell)
    indent = 0.5 if ROW_LENGTHS[row] == 7 else 0.0
    return LEFT + (column + indent) * WIDTH, TOP + row * RADIUS * 1.5


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


def floes() -> Iterator[str]:
    """All floes with their numbers; the example and the rays from it in colours."""
    on_rays = {cell for ray in RAYS[EXAMPLE] for cell in ray}
    nearest = {ray[0]: name for name, ray in zip(DIRECTIONS, RAYS[EXAMPLE], strict=True) if ray}
    for cell in range(CELLS):
        x, y = centre(cell)
        kind = "floe example" if cell == EXAMPLE else "floe ray" if cell in on_rays else "floe"
        yield hexagon(x, y, kind)
        yield text(x, y + 7, "cell", str(cell))
        if cell in nearest:
            yield text(x, y - 14, "direction", nearest[cell])


def row_names() -> Iterator[str]:
    """The number of each row on both sides."""
    right = LEFT + 7 * WIDTH + WIDTH * 0.82
    for row in range(len(ROW_LENGTHS)):
        y = TOP + row * RADIUS * 1.5 + 5
        yield text(LEFT - WIDTH * 0.82, y, "note", str(row))
        yield text(right, y, "note", str(row))


def picture() -> str:
    """The whole SVG document."""
    width = 2 * LEFT + 7 * WIDTH
    bottom = TOP + 7 * RADIUS * 1.5 + RADIUS
    height = bottom + 52
    caption = (
        f"rows at the sides; from {EXAMPLE}: the six directions, and where a penguin could slide"
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height:.0f}"'
            f' viewBox="0 0 {width} {height:.0f}" role="img">',
            "  <title>The cells of Packeis am Pol</title>",
            "  <desc>60 hexagonal floes in 8 rows of 7 and 8, numbered row by row from 0</desc>",
            f"  <style>{STYLE}  </style>",
            f'  <rect class="sea" width="{width}" height="{height:.0f}" rx="14"/>',
            text(width / 2, 22, "note", "north"),
            *row_names(),
            *floes(),
            text(width / 2, bottom + 24, "note", "south"),
            text(width / 2, bottom + 44, "note", caption),
            "</svg>\n",
        ]
    )


if __name__ == "__main__":
    Path(__file__).with_name("packeis-cells.svg").write_text(picture(), encoding="utf-8")
