"""Draws the pictures of Ice Cult's rules from the tables and the positions of the code.

Run it from anywhere: ``python docs/rules/draw_icecult.py`` writes ``icecult-*.svg`` beside it.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from polynya_games import Step
from polynya_games.icecult import ICECULT, IceCultState
from polynya_games.icecult.board import CIRCLE, USUAL, Cube, Face

Vector = tuple[int, int]

TILE = 70
"""The side of a face, in pixels."""
FIELD = 40

STYLE = """
  text { font-family: "DejaVu Sans", Verdana, Helvetica, Arial, sans-serif; text-anchor: middle; }
  .sea { fill: #12344d; }
  .face { fill: #eaf4fa; stroke: #7fb0cf; stroke-width: 1.5; }
  .field { fill: #c3e2f4; stroke: #12344d; stroke-width: 2; }
  .goal { fill: #ffd479; stroke: #12344d; stroke-width: 2; }
  .circle { fill: none; stroke: #8a3fb5; stroke-width: 6; }
  .arc { fill: none; stroke: #14202b; stroke-width: 6; }
  .c0 { fill: #f0b400; }
  .c1 { fill: #cf3a2e; }
  .c2 { fill: #2b6cb8; }
  .c3 { fill: #2f8f4e; }
  .pawn { stroke: #14202b; stroke-width: 1; }
  .dark { fill: #14202b; font-size: 13px; font-weight: bold; }
  .light { fill: #ffffff; font-size: 13px; font-weight: bold; }
  .side { fill: #2f5873; font-size: 9.5px; }
  .corner { text-anchor: start; }
  .number { fill: #12344d; font-size: 14px; }
  .note { fill: #cfe3f0; font-size: 14px; }
  .strong { fill: #ffffff; font-size: 15px; font-weight: bold; }
"""

NET: dict[str, tuple[Vector, dict[str, Vector]]] = {
    "U": ((1, 1), {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}),
    "D": ((1, 3), {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}),
    "N": ((1, 0), {"U": (0, 1), "D": (0, -1), "E": (1, 0), "W": (-1, 0)}),
    "E": ((2, 1), {"U": (-1, 0), "D": (1, 0), "N": (0, -1), "S": (0, 1)}),
    "S": ((1, 2), {"U": (0, -1), "D": (0, 1), "E": (1, 0), "W": (-1, 0)}),
    "W": ((0, 1), {"U": (1, 0), "D": (-1, 0), "N": (0, -1), "S": (0, 1)}),
}
"""Per face, in the order of a state: its place in the net (column, row), and where a direction in
the room points on the paper when the sides are folded up around the top."""

NAMES = ("top", "bottom", "north", "east", "south", "west")


def text(x: float, y: float, kind: str, words: object) -> str:
    """Words centred at a point."""
    return f'  <text class="{kind}" x="{x:g}" y="{y:g}">{words}</text>'


def arrow(x: float, y: float, colour: int, way: Vector, size: float) -> Iterator[str]:
    """An arrow of a colour around a point, with the colour's number in it."""
    along, across = way, (-way[1], way[0])
    outline = [(0.5, 0), (0.05, 0.38), (0.05, 0.17), (-0.45, 0.17)]
    outline += [(forward, -aside) for forward, aside in reversed(outline[1:])]
    points = " ".join(
        f"{x + size * (f * along[0] + a * across[0]):.1f},"
        f"{y + size * (f * along[1] + a * across[1]):.1f}"
        for f, a in outline
    )
    yield f'  <polygon class="c{colour}" points="{points}"/>'
    kind = "dark" if colour == 0 else "light"
    yield text(x - 0.08 * size * along[0], y - 0.08 * size * along[1] + 5, kind, colour)


def arc(x: float, y: float, quarters: int, size: float) -> str:
    """A quarter of a circle around the south-east corner of a face, turned clockwise."""
    half, near = size / 2, size * 0.12
    return (
        f'  <path class="arc" transform="translate({x:g} {y:g}) rotate({90 * quarters})"'
        f' d="M {half:g} {-near:g} A {half + near:g} {half + near:g} 0 0 0 {-near:g} {half:g}"/>'
    )


def face(
    x: float, y: float, shown: Face, ways: dict[str, Vector], size: float = TILE, quarters: int = 0
) -> Iterator[str]:
    """A face with its upper left corner at a point.

    Args:
        x: pixels from the left.
        y: pixels from the top.
        shown: symbol and direction.
        ways: where a direction in the room points on the paper.
        size: its side, in pixels.
        quarters: how an arc is turned.
    """
    symbol, direction = shown
    middle_x, middle_y = x + size / 2, y + size / 2
    yield f'  <rect class="face" x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}" rx="5"/>'
    if direction is not None:
        yield from arrow(middle_x, middle_y, symbol, ways[direction], size * 0.62)
    elif symbol == CIRCLE:
        yield f'  <circle class="circle" cx="{middle_x:g}" cy="{middle_y:g}" r="{size * 0.26:g}"/>'
    else:
        yield arc(middle_x, middle_y, quarters, size)


def quarters_of(cube: Cube) -> int:
    """How an arc on top is turned: a state does not say it, so it is as the set-up puts it."""
    for block in USUAL:
        if cube in block:
            return block.index(cube) % 4
    return 0


def net(x: float, y: float, cube: Cube) -> Iterator[str]:
    """The unfolded faces of a cube, with the name of each."""
    for (place, ways), shown, name in zip(NET.values(), cube.faces, NAMES, strict=True):
        left, upper = x + place[0] * TILE, y + place[1] * TILE
        quarters = quarters_of(cube) if name == "top" else 0
        yield from face(left, upper, shown, ways, quarters=quarters)
        yield text(left + 5, upper + 11, "side corner", name)


def document(width: float, height: float, title: str, parts: Sequence[str]) -> str:
    """A whole SVG document."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
            f' viewBox="0 0 {width:g} {height:g}" role="img">',
            f"  <title>{title}</title>",
            f"  <style>{STYLE}  </style>",
            f'  <rect class="sea" width="{width:g}" height="{height:g}" rx="14"/>',
            *parts,
            "</svg>\n",
        ]
    )


def blocks() -> str:
    """The four blocks in their own frames, unfolded."""
    parts = []
    for block in range(4):
        left = 20 + block * (3 * TILE + 26)
        parts.append(text(left + 1.5 * TILE, 34, "strong", f"block {block}"))
        parts += net(left, 50, USUAL[block][0])
    width = 40 + 4 * 3 * TILE + 3 * 26
    caption = "the sides are folded up around the top; U points to it, D away from it"
    parts.append(text(width / 2, 50 + 4 * TILE + 30, "note", caption))
    return document(width, 50 + 4 * TILE + 48, "The faces of the four blocks of Ice Cult", parts)


GIVEN = [
    [[0, "N"], [5, None], [0, "U"], [1, "D"], [4, None], [2, "S"]],
    [[5, None], [5, None], [3, "E"], [1, "N"], [2, "D"], [0, "U"]],
    [[4, None], [4, None], [4, None], [3, "S"], [2, "U"], [1, "D"]],
    [[2, "W"], [2, "E"], [2, "D"], [5, None], [0, "W"], [3, "N"]],
]
"""The option ``blocks`` of the picture."""


def given() -> str:
    """Blocks that the option ``blocks`` gives, as they stand at the beginning."""
    cubes = ICECULT.setup(2, 0, {"blocks": GIVEN}).cubes
    parts = []
    for position, cube in enumerate(cubes):
        left = 20 + position * (3 * TILE + 26)
        parts.append(text(left + 1.5 * TILE, 34, "strong", f"at position {position}"))
        parts += net(left, 50, cube)
    width = 40 + 4 * 3 * TILE + 3 * 26
    return document(width, 50 + 4 * TILE + 24, "Given blocks of Ice Cult", parts)


def tipping() -> str:
    """Block 0 in its frame, and what turning it makes of it."""
    shown = [
        ("block 0", "in its own frame", USUAL[0][0]),
        ("tipped N", "top → north → bottom → south", USUAL[0][0].turned["N"]),
        ("tipped E", "top → east → bottom → west", USUAL[0][0].turned["E"]),
        ("rotated cw", "north → east → south → west", USUAL[0][0].turned["cw"]),
    ]
    parts = []
    step = 3 * TILE + 50
    for number, (name, cycle, cube) in enumerate(shown):
        left = 34 + number * step
        parts.append(text(left + 1.5 * TILE, 32, "strong", name))
        parts.append(text(left + 1.5 * TILE, 54, "note", cycle))
        parts += net(left, 70, cube)
    width = 68 + 3 * step + 3 * TILE
    caption = (
        "the side that faced the other way comes on top: south when tipped N, west when tipped E"
    )
    parts.append(text(width / 2, 70 + 4 * TILE + 30, "note", caption))
    return document(width, 70 + 4 * TILE + 48, "Tipping and rotating a block", parts)


def square(x: float, y: float, state: IceCultState, size: float = TILE) -> Iterator[str]:
    """The four blocks from above, around a point."""
    ways = NET["U"][1]
    corners = ((-1, -1), (0, -1), (0, 0), (-1, 0))
    for position, (column, row) in enumerate(corners):
        cube = state.cubes[position]
        left, upper = x + column * size, y + row * size
        yield from face(left, upper, cube.faces[0], ways, size, quarters_of(cube))
        yield text(left + 6, upper + 14, "number corner", position)


def stack(x: float, y: float, colours: str) -> Iterator[str]:
    """Pawns on a field around a point, the lowest below."""
    for height, colour in enumerate(colours):
        lower = y + FIELD / 2 - 5 - 11 * height
        yield (
            f'  <rect class="pawn c{colour}" x="{x - 13:g}" y="{lower - 10:g}" width="26"'
            ' height="10" rx="4"/>'
        )


def field(x: float, y: float, kind: str) -> str:
    """A field around a point."""
    half = FIELD / 2
    return (
        f'  <rect class="{kind}" x="{x - half:g}" y="{y - half:g}" width="{FIELD}"'
        f' height="{FIELD}" rx="6"/>'
    )


def path(
    x: float, y: float, way: Vector, content: Callable[[float, float, int], Iterator[str]]
) -> Iterator[str]:
    """The five fields and the goal of a path that leaves the square around a point."""
    for number in range(1, 7):
        distance = TILE + 6 + FIELD * (number - 0.5)
        at_x, at_y = x + way[0] * distance, y + way[1] * distance
        yield field(at_x, at_y, "goal" if number == 6 else "field")
        yield from content(at_x, at_y, number)


def numbers(x: float, y: float, number: int) -> Iterator[str]:
    """The number of a field."""
    yield text(x, y + 5, "side" if number == 6 else "number", "goal" if number == 6 else number)


def layout() -> str:
    """The square, the positions, the paths and the pairs."""
    middle = TILE + 6 + 6 * FIELD + 52
    state = ICECULT.setup(2, 0, {"setup": "standard"})
    parts = [*square(middle, middle, state)]
    for way in NET["U"][1].values():
        parts += path(middle, middle, way, numbers)
    edge = middle - 28
    parts += [
        text(middle, middle - edge + 4, "strong", "path N"),
        text(middle, middle + edge + 10, "strong", "path S"),
        text(72, middle - 28, "strong", "path W"),
        text(2 * middle - 72, middle - 28, "strong", "path E"),
    ]
    far = TILE + 96
    left, lower = middle - 200, middle + 220
    parts += [field(left, lower, "field"), *stack(left, lower, "031")]
    parts.append(text(left, lower + 44, "note", "a stack, [0, 3, 1]:"))
    parts.append(text(left, lower + 64, "note", "bottom to top"))
    for x, y, words in [
        (-far, -TILE - 40, "pair N is 0 and 1"),
        (far, -TILE - 40, "pair E is 1 and 2"),
        (far, TILE + 48, "pair S is 3 and 2"),
        (-far, TILE + 48, "pair W is 0 and 3"),
    ]:
        parts.append(text(middle + x, middle + y, "note", words))
    return document(2 * middle, 2 * middle, "The square of blocks and the paths of Ice Cult", parts)


WORKED_SETUP = (2, 2, {"setup": "scrambled"})
"""Players, seed and options of the turn that the page goes through."""

WORKED_TURN: tuple[tuple[str, tuple[Step, ...]], ...] = (
    ("before the turn", ()),
    ("both tips", (("tip", "N", "N"), ("tip", "W", "E"))),
    ("advance 0, 0, 0", (("advance", 0, 0, 0),)),
    ("rotate 1, ccw", (("rotate", 1, "ccw"),)),
    ("advance 1, 0, 0", (("advance", 1, 0, 0),)),
    ("advance 0, 1, 0", (("advance", 0, 1, 0),)),
)


def worked_turn() -> str:
    """The square and the path N after each step of a turn."""
    state = ICECULT.setup(*WORKED_SETUP)
    panel = 2 * TILE + 26
    upper = 60 + 6 * FIELD + 6 + TILE
    parts = []
    for number, (caption, steps) in enumerate(WORKED_TURN):
        for step in steps:
            state = state.apply(step)
        stacks = state.paths[0].split("/")

        def content(
            x: float, y: float, field_number: int, stacks: list[str] = stacks
        ) -> Iterator[str]:
            if field_number == 6:
                yield text(x, y + 4, "side", "goal")
            else:
                yield from stack(x, y, stacks[field_number - 1])

        x = 20 + panel * number + TILE
        parts.append(text(x, 32, "strong", caption))
        parts += square(x, upper, state)
        parts += path(x, upper, (0, -1), content)
    return document(
        40 + 6 * panel - 26, upper + TILE + 20, "A turn of Ice Cult, step by step", parts
    )


EXAMPLES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "games" / "vectors" / "icecult-examples.json").read_text("utf-8")
)
"""The numbered examples of the booklet."""


def on_path(state: IceCultState, x: float, y: float, name: str) -> Iterator[str]:
    """A path of a position with its pawns."""
    stacks = state.paths["NESW".index(name)].split("/")

    def content(at_x: float, at_y: float, number: int) -> Iterator[str]:
        if number == 6:
            yield text(at_x, at_y + 4, "side", "goal")
        else:
            yield from stack(at_x, at_y, stacks[number - 1])

    yield from path(x, y, NET["U"][1][name], content)


def example(shown: dict[str, Any]) -> str:
    """The position before an example's turn, and the one after it."""
    middle = TILE + 6 + 6 * FIELD + 24
    parts = []
    for number, (caption, key) in enumerate((("before", "state"), ("after", "after"))):
        state = ICECULT.state_from_json(shown[key])
        x, y = middle + number * 2 * middle, middle + 20
        parts.append(text(x - middle / 2 - 40, 32, "strong", caption))
        parts += square(x, y, state)
        for name in "NESW":
            parts += on_path(state, x, y, name)
    height = 2 * middle + 52
    words = "yellow 0, red 1, blue 2, green 3; pawns that are not shown are in the start area"
    parts.append(text(2 * middle, height - 16, "note", words))
    title = f"Example {shown['example']} of the booklet of Ice Cult"
    return document(4 * middle, height, title, parts)


PICTURES: dict[str, Callable[[], str]] = {
    "icecult-blocks.svg": blocks,
    "icecult-square.svg": layout,
    "icecult-tipping.svg": tipping,
    "icecult-turn.svg": worked_turn,
    "icecult-given.svg": given,
    **{
        f"icecult-example{shown['example']}.svg": functools.partial(example, shown)
        for shown in EXAMPLES
    },
}
"""File name: what draws it."""


if __name__ == "__main__":
    for name, draw in PICTURES.items():
        Path(__file__).with_name(name).write_text(draw(), encoding="utf-8")
