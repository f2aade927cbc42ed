"""Draws Arktia's pictures from the code: cell numbers, towers, what melts, and the worked turn.

Run it from anywhere: ``python docs/rules/draw_arktia.py``. The worked turn is the one of
``arktia.md``: the position is its ``json`` block, the steps are its ``turn`` line.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from polynya_games.arktia import ARKTIA, ArktiaState
from polynya_games.turns import apply_turn

HERE = Path(__file__).parent
HALF = 30
"""Half the distance of neighbouring tiles' centres, in pixels."""
RADIUS = 2 * HALF / math.sqrt(3)
MARGIN = 46
COLOURS = ("#3f7fd6", "#e08a1e", "#3d9a52", "#9a4fb5", "#8b8f94")
"""Seats 0 to 3; the last is the neutral colour."""
KINDS = {"G": "globe", "D": "disc", "T": "torus"}
TOWERS = (("A", "DG"), ("B", "TD"), ("C", "GT"), ("D", "TDG"))

STYLE = """
  text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; text-anchor: middle; }
  .sea { fill: #12344d; }
  .tile { fill: #eaf4fa; stroke: #a9cbe0; stroke-width: 1.5; }
  .good { fill: #b9e6c0; stroke: #5fae6e; }
  .bad { fill: #f6c9c4; stroke: #cf7a70; }
  .gone { fill: none; stroke: #4f7590; stroke-dasharray: 4 4; }
  .cell { fill: #12344d; font-size: 19px; }
  .small { fill: #4a6f88; font-size: 11px; }
  .note { fill: #cfe3f0; font-size: 14px; }
  .name { fill: #ffffff; font-size: 16px; font-weight: bold; }
  .arrow { stroke: #d22f4f; stroke-width: 4; fill: none; }
  .muglu { stroke: #12344d; stroke-width: 1.8; }
"""

Point = tuple[float, float]


def centre(state: ArktiaState, cell: int) -> Point:
    """The middle of a tile: x in half tiles from the westernmost one, rows from north to south."""
    centres = state.rules.board.centres
    row, x = centres[cell]
    west = min(other for _, other in centres)
    return MARGIN + HALF + (x - west) * HALF, MARGIN + RADIUS + row * RADIUS * 1.5


def size(state: ArktiaState) -> Point:
    """The width and height of a board with its margin."""
    points = [centre(state, cell) for cell in range(state.rules.board.cells)]
    return max(x for x, _ in points) + HALF + MARGIN, max(y for _, y in points) + RADIUS + MARGIN


def hexagon(x: float, y: float, kind: str) -> str:
    """A tile with a gap to its neighbours."""
    angles = [math.radians(60 * corner + 30) for corner in range(6)]
    reach = RADIUS * 0.94
    corners = [(x + reach * math.cos(angle), y + reach * math.sin(angle)) for angle in angles]
    points = " ".join(f"{corner_x:.1f},{corner_y:.1f}" for corner_x, corner_y in corners)
    return f'  <polygon class="{kind}" points="{points}"/>'


def text(x: float, y: float, kind: str, words: str) -> str:
    """Words centred at a point."""
    return f'  <text class="{kind}" x="{x:.1f}" y="{y:.1f}">{words}</text>'


def from_above(x: float, y: float, stack: Sequence[Sequence[Any]]) -> Iterator[str]:
    """A stack as it is seen from above: ring, disc and ball are nested, so all are visible."""
    order = sorted(stack, key=lambda muglu: "TDG".index(muglu[1]))
    for colour, kind in order:
        if kind == "T":
            ring = f'r="17" fill="none" stroke="{COLOURS[colour]}" stroke-width="8"'
            yield f'  <circle cx="{x:.1f}" cy="{y:.1f}" {ring}/>'
            for edge in (13, 21):
                yield f'  <circle class="muglu" cx="{x:.1f}" cy="{y:.1f}" r="{edge}" fill="none"/>'
        else:
            radius = 15 if kind == "D" else 8
            place = f'cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{COLOURS[colour]}"'
            yield f'  <circle class="muglu" {place}/>'
            if kind == "G":
                yield f'  <circle cx="{x - 2.5:.1f}" cy="{y - 2.5:.1f}" r="2.4" fill="#ffffff"/>'


def from_the_side(x: float, floor: float, stack: Sequence[Sequence[Any]]) -> Iterator[str]:
    """A stack as it is seen from the side; the globe inside a torus shows through a gap."""
    for colour, kind in sorted(stack, key=lambda muglu: muglu[1] == "T" and stack[0][1] == "G"):
        fill = f'fill="{COLOURS[colour]}"'
        if kind == "G":
            yield f'  <circle class="muglu" cx="{x:.1f}" cy="{floor - 12:.1f}" r="12" {fill}/>'
            floor -= 0 if stack[-1][1] == "T" else 24
        elif kind == "D":
            box = f'x="{x - 26:.1f}" y="{floor - 12:.1f}" width="52" height="12" rx="6"'
            yield f'  <rect class="muglu" {box} {fill}/>'
            floor -= 12
        else:
            yield from _torus(x, floor, fill, open_=len(stack) > 1 and stack[-1][1] == "T")
            floor -= 18


def _torus(x: float, floor: float, fill: str, open_: bool) -> Iterator[str]:
    """A torus from the side: whole, or its two halves beside the muglu between them."""
    parts = [(x - 38, 22), (x + 16, 22)] if open_ else [(x - 38, 76)]
    for left, width in parts:
        box = f'x="{left:.1f}" y="{floor - 18:.1f}" width="{width}" height="18" rx="9"'
        yield f'  <rect class="muglu" {box} {fill}/>'


def board(
    state: ArktiaState, kinds: Mapping[int, str] | None = None, numbers: str = "small"
) -> Iterator[str]:
    """The tiles with their numbers and what stands on them."""
    document = state.to_json()
    for cell, there in enumerate(document["ice"]):
        kind = f"tile {(kinds or {}).get(cell, '')}".rstrip()
        yield hexagon(*centre(state, cell), kind if there else "gone")
    for cell, stack in enumerate(document["stacks"]):
        x, y = centre(state, cell)
        yield text(x, y + (7 if numbers == "cell" else 28), numbers, str(cell))
        yield from from_above(x, y - 5, stack)


def svg(width: float, height: float, title: str, lines: Sequence[str]) -> str:
    """A whole SVG document on a dark ground of its own, for light and dark pages."""
    shape = f'width="{width:.0f}" height="{height:.0f}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {shape}'
            f' viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
            f"  <title>{title}</title>",
            f"  <style>{STYLE}  </style>",
            f'  <rect class="sea" {shape} rx="14"/>',
            *lines,
            "</svg>\n",
        ]
    )


def numbers(players: int) -> str:
    """The cell numbers of the usual board."""
    state = ARKTIA.setup(players)
    width, height = size(state)
    named = "4 players, or 3 with neutral muglus" if players == 4 else f"{players} players"
    caption = f"{named}: {state.rules.board.cells} tiles"
    lines = [*board(state, numbers="cell"), text(width / 2, height - 16, "note", caption)]
    return svg(
        width,
        height,
        f"The cell numbers for {named}",
        [text(width / 2, 26, "note", "north"), *lines],
    )


def towers() -> str:
    """The three kinds and the four towers, from the side and from above."""
    shapes = [
        *((KINDS[kind], kind) for kind in "GDT"),
        *((f"tower {name}", kinds) for name, kinds in TOWERS),
    ]
    lines = [
        text(52, 100, "note", "side"),
        text(52, 174, "note", "above"),
        text(52, 232, "note", "written"),
    ]
    for number, (name, kinds) in enumerate(shapes):
        x = 150 + 110 * number
        colours = {"G": 1, "D": 2, "T": 0}
        stack = [[colours[kind], kind] for kind in kinds]
        lines += [text(x, 32, "name", name), *from_the_side(x, 112, stack)]
        lines += [*from_above(x, 168, stack), text(x, 232, "note", kinds)]
    return svg(150 + 110 * 7 - 40, 256, "Globe, disc, torus, and the towers A to D", lines)


def turn() -> tuple[ArktiaState, list[list[Any]]]:
    """The position and the steps of the worked turn in ``arktia.md``."""
    page = (HERE / "arktia.md").read_text(encoding="utf-8")
    position = re.search(r"^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    steps = re.search(r"^```turn\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    if position is None or steps is None:
        raise ValueError("arktia.md has a ```json block and a ```turn block")
    return ARKTIA.state_from_json(json.loads(position[1])), json.loads(steps[1])


def worked_turn() -> str:
    """The position before the worked turn, with the move, and the one after it."""
    before, steps = turn()
    after = apply_turn(before, steps)
    width, height = size(before)
    _, start, _, goal = steps[0]
    (x1, y1), (x2, y2) = centre(before, start), centre(before, goal)
    arrow = f'  <path class="arrow" d="M{x1:.1f},{y1:.1f} L{x2:.1f},{y2:.1f}"/>'
    dot = f'  <circle cx="{x2:.1f}" cy="{y2:.1f}" r="6" fill="#d22f4f"/>'
    lines = [text(width / 2, 26, "name", "before"), *board(before), arrow, dot]
    lines += [f'  <g transform="translate({width:.0f} 0)">']
    lines += [text(width / 2, 26, "name", "after"), *board(after), "  </g>"]
    lines += [text(width, height - 16, "note", "blue: seat 0, orange: seat 1, green: seat 2")]
    return svg(2 * width, height, "A turn with a move, a keep and a melt", lines)


def melting() -> str:
    """The tiles that may be melted in the middle of the worked turn."""
    state, steps = turn()
    for step in steps[:-1]:
        state = state.apply(step)
    free = [cell for cell, stack in enumerate(state.to_json()["stacks"]) if not stack]
    good = {cell for _, cell in state.legal_steps() if isinstance(cell, int)}
    edge = [
        cell for cell in free if (state.rules.board.neighbours[cell] & state.ice).bit_count() < 6
    ]
    kinds = {cell: "good" if cell in good else "bad" for cell in edge}
    width, height = size(state)
    caption = "green: may be melted; red: the ice would fall apart"
    return svg(
        width,
        height + 22,
        "What may be melted",
        [
            *board(state, kinds),
            text(width / 2, height - 18, "note", caption),
            text(width / 2, height + 2, "note", "white and free: not at the edge"),
        ],
    )


FIGURES: list[dict[str, Any]] = json.loads(
    (HERE.parents[1] / "games" / "vectors" / "arktia-figures.json").read_text("utf-8")
)
"""The towers and their control, as the source shows them."""


def figures() -> str:
    """The tiles of each figure with their neighbours, before and after its steps."""
    cells = (3, 4, 5, 6, 8, 9, 10, 11, 14, 15, 16)
    lines = []
    for number, shown in enumerate(FIGURES):
        left, upper = number % 3 * 720, number // 3 * 300
        lines.append(text(left + 350, upper + 32, "name", shown["example"]))
        for index, key in enumerate(("state", "after")):
            state = ARKTIA.state_from_json(shown[key])
            x, y = centre(state, 3)
            to_x, to_y = left + 70 + index * 350 - x, upper + 96 - y
            lines.append(f'  <g transform="translate({to_x:.0f} {to_y:.0f})">')
            for cell in cells:
                at_x, at_y = centre(state, cell)
                lines += [hexagon(at_x, at_y, "tile"), text(at_x, at_y + 28, "small", str(cell))]
                lines += from_above(at_x, at_y - 5, shown[key]["stacks"][cell])
            lines.append("  </g>")
    rows = -(-len(FIGURES) // 3)
    return svg(3 * 720, rows * 300 + 10, "Towers and control: before and after each step", lines)


RING = [[4, 4], [5, 3], [[2, 2], [2, 10]], [[2, 1], [2, 11]], [[2, 2], [2, 10]], [5, 3], [4, 4]]
"""A board with a lake in the middle."""


def ring() -> str:
    """The cell numbers of a ring."""
    state = ARKTIA.setup(2, 0, {"rows": RING})
    width, height = size(state)
    caption = f"a ring of {state.rules.board.cells} tiles: the lake has no cells"
    lines = [*board(state, numbers="cell"), text(width / 2, height - 16, "note", caption)]
    return svg(width, height, "A ring in Arktia", lines)


def pictures() -> dict[str, str]:
    """Each file's name and its SVG document."""
    return {
        **{f"arktia-cells-{players}.svg": numbers(players) for players in (2, 3, 4)},
        "arktia-towers.svg": towers(),
        "arktia-turn.svg": worked_turn(),
        "arktia-melting.svg": melting(),
        "arktia-figures.svg": figures(),
        "arktia-ring.svg": ring(),
    }


if __name__ == "__main__":
    for name, document in pictures().items():
        (HERE / name).write_text(document, encoding="utf-8")
