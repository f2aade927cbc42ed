"""The board of Ice Cult: the blocks from above, the paths with their stacks, the homes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polynya_web.pictures.canvas import Canvas, Point
from polynya_web.pictures.colours import GOLD, LAST, OUTLINE, piece_colour
from polynya_web.pictures.hexagons import Step, arrow

TILE, FIELD, GAP = 78, 46, 8
MIDDLE = TILE + GAP + 6 * FIELD + 8
_CIRCLE = 4
_WAYS: Mapping[str, Point] = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
_OPPOSITE: Mapping[str, str] = {"N": "S", "S": "N", "E": "W", "W": "E"}
_CORNERS = ((-1, -1), (0, -1), (0, 0), (-1, 0))
"""Column and row of the blocks at positions 0 to 3, seen from the middle."""
_MOST_IN_COLUMN = 5


def size(_state: Mapping[str, Any]) -> tuple[float, float]:
    """Width and height of every position."""
    return 2 * MIDDLE, 2 * MIDDLE


def draw(canvas: Canvas, state: Mapping[str, Any], step: Step | None) -> Iterator[None]:
    """A position of Ice Cult, piece by piece."""
    for path, stacks in state["paths"].items():
        for field, pawns in enumerate(stacks, 1):
            _field(canvas, path, field, pawns)
            yield
        _square(canvas, _field_middle(path, 6), GOLD, "#c99a35")
    for position, faces in enumerate(state["blocks"]):
        left, top = _corner(position)
        _top_face(canvas.within(left, top), faces)
        yield
    for colour in range(4):
        _home(canvas, state, colour)
        yield
    _mark(canvas, state, step)


def _corner(position: int) -> Point:
    column, row = _CORNERS[position]
    return MIDDLE + column * TILE, MIDDLE + row * TILE


def _field_middle(path: str, field: int) -> Point:
    (x, y), distance = _WAYS[path], TILE + GAP + FIELD * (field - 0.5)
    return MIDDLE + x * distance, MIDDLE + y * distance


def _square(
    canvas: Canvas,
    middle: Point,
    fill: str | None,
    edge: str,
    width: float = 1.5,
    size: float = FIELD - 2,
) -> None:
    x, y = middle
    canvas.box(x - size / 2, y - size / 2, size, size, fill, edge, width, 7)


def _field(canvas: Canvas, path: str, field: int, pawns: Sequence[int]) -> None:
    middle = _field_middle(path, field)
    _square(canvas, middle, "#c3e2f4", "#86b6d3")
    columns = max(1, math.ceil(len(pawns) / _MOST_IN_COLUMN))
    width = 39 if columns == 1 else 42 / columns
    tall = 12.5 if len(pawns) <= 3 else 8.4
    for height, colour in enumerate(pawns):
        column, row = divmod(height, _MOST_IN_COLUMN)
        x = middle[0] + (column - (columns - 1) / 2) * width
        _pawn(canvas.within(x, middle[1] + 21 - (row + 0.5) * tall), width - 1, tall - 0.3, colour)


def _pawn(canvas: Canvas, width: float, height: float, colour: int) -> None:
    canvas.box(
        -width / 2, -height / 2, width, height, piece_colour(colour), OUTLINE, 1, height * 0.4
    )
    canvas.text(0, 0, str(colour), height * 0.9, "#ffffff", casing=OUTLINE)


def _top_face(canvas: Canvas, faces: Sequence[Sequence[Any]]) -> None:
    """The upper face of a block from its upper left corner."""
    symbol, direction = faces[0]
    half = TILE / 2
    canvas.box(0, 0, TILE, TILE, "#eaf4fa", "#4f86a8", 2, TILE * 0.09)
    middle = canvas.within(half, half)
    if direction is not None:
        _block_arrow(middle, symbol, _WAYS[direction], TILE * 0.66)
    elif symbol == _CIRCLE:
        middle.ellipse(0, 0, TILE * 0.27, TILE * 0.27, None, "#8a3fb5", 6)
    else:
        right, down = _arc_corner(faces)
        angles = [math.pi * (1 + step / 24) for step in range(1, 12)]
        arc = [(1 + 1.28 * math.cos(a), 1 + 1.28 * math.sin(a)) for a in angles]
        middle.line([(half * right * x, half * down * y) for x, y in arc], "#14202b", 6)


def _arc_corner(faces: Sequence[Sequence[Any]]) -> Point:
    """The corner that the upper face's arc goes around, as the page draws it (``blocks.js``)."""
    looking = {direction: facing for facing, (_, direction) in zip("UDNESW", faces, strict=True)}
    (x1, y1), (x2, y2) = (
        _WAYS.get(_OPPOSITE.get(looking.get(way, ""), ""), (0, 0)) for way in "UD"
    )
    across = x1 * x2 + y1 * y2 == 0 and abs(x1 + x2) == abs(y1 + y2) == 1
    return (x1 + x2, y1 + y2) if across else (1, 1)


def _block_arrow(canvas: Canvas, colour: int, way: Point, size: float) -> None:
    half = [(0.5, 0.0), (0.02, 0.4), (0.02, 0.19), (-0.48, 0.19)]
    outline = half + [(forward, -aside) for forward, aside in reversed(half[1:])]
    x, y = way
    corners = [(size * (f * x - a * y), size * (f * y + a * x)) for f, a in outline]
    canvas.polygon(corners, piece_colour(colour), OUTLINE, 1.2)
    at = -0.1 * size * x, -0.1 * size * y
    canvas.text(*at, str(colour), size * 0.44, "#ffffff", casing=OUTLINE)


def _home(canvas: Canvas, state: Mapping[str, Any], colour: int) -> None:
    """How many pawns of a colour are at the start and in the goal, in the corner of its block."""
    column, row = _CORNERS[colour]
    x = MIDDLE * (0.42 if column < 0 else 1.58)
    y = MIDDLE * (0.42 if row < 0 else 1.58)
    for count, at, full in ((state["start"][colour], -20, None), (state["goal"][colour], 20, GOLD)):
        for index in range(5):
            place = canvas.within(x + (index - 2) * 38, y + at)
            if index < count:
                _pawn(place, 34, 24, colour)
            else:
                place.box(-17, -12, 34, 24, None, full or "#4f7590", 1, 9)


def _mark(canvas: Canvas, state: Mapping[str, Any], step: Step | None) -> None:
    """The effect of the last step."""
    if step is None or step[0] not in ("tip", "rotate", "advance"):
        return
    verb, first, second, *_ = step
    if verb == "tip":
        x, y = _WAYS[first]
        middle = MIDDLE + x * TILE / 2, MIDDLE + y * TILE / 2
        width, height = (2 * TILE, TILE) if x == 0 else (TILE, 2 * TILE)
        corner = middle[0] - width / 2, middle[1] - height / 2
        canvas.box(*corner, width, height, None, LAST, 3.5, 8)
        dx, dy = _WAYS[second]
        goal = middle[0] + dx * 42, middle[1] + dy * 42
        arrow(canvas, (middle[0] - dx * 22, middle[1] - dy * 22), goal, 0)
        return
    left, top = _corner(first)
    _square(canvas, (left + TILE / 2, top + TILE / 2), None, LAST, 3.5, TILE - 4)
    if verb == "advance":
        _square(canvas, _field_middle(state["blocks"][first][0][1], second + 1), None, LAST, 3.5)
