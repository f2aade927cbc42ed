"""The boards of Packeis am Pol and Arktia: hexagonal floes and what stands on them.

The shapes are those of the pages' drawings (``static/boards``), without what only a reader of the
page needs: numbers of cells, hints, what can be picked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from polynya_games.rows import centres, read_rows
from polynya_web.pictures.canvas import Canvas, Point, curve, hexagon
from polynya_web.pictures.colours import LAST, OUTLINE, SEA_LINE, lighter, piece_colour
from polynya_web.pictures.seat_marks import seat_mark

_FLOE, _FLOE_EDGE, _FLOE_WALL = "#eaf4fa", "#a9cbe0", "#8fb6cf"
_GAP = 0.95
_SLAB = 5
_MOST_FLOES = 1_000
_USUAL_ROWS = [[7, 1], [8, 0]] * 4
_SHOALS: Mapping[int, Sequence[Point]] = {
    1: [(0, -2)],
    2: [(-4, -11), (4, 8)],
    3: [(0, -17), (-6, -1), (6, 15)],
}

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


def packeis_board(state: Mapping[str, Any]) -> HexBoard:
    """The size of a board of Packeis am Pol."""
    return HexBoard(state.get("rows", _USUAL_ROWS), 32)


def packeis(canvas: Canvas, state: Mapping[str, Any], step: Step | None) -> Iterator[None]:
    """A position of Packeis am Pol, piece by piece."""
    board = packeis_board(state)
    standing = {cell: seat for seat, cells in enumerate(state["penguins"]) for cell in cells}
    for cell, count in enumerate(state["fish"]):
        if count:
            board.slab(canvas, cell)
            _shoal(canvas, board.middles[cell], count, cell in standing)
        else:
            board.gone(canvas, cell)
        yield
    if step is not None and step[0] == "move":
        board.arrow(canvas, step[1], step[2])
    if step is not None:
        x, y = board.middles[step[-1]]
        canvas.ellipse(x, y, board.radius * 0.8, board.radius * 0.8, None, LAST, 3.5)
    for cell, seat in standing.items():
        _penguin(canvas, board.middles[cell], seat)
        yield


def _shoal(canvas: Canvas, middle: Point, count: int, taken: bool) -> None:
    x, y = middle
    places = _SHOALS[count]
    if taken:
        places = [(21.5, 3 + (index - (count - 1) / 2) * 11) for index in range(count)]
    for dx, dy in places:
        _fish(canvas.within(x + dx, y + dy, 0.5 if taken else 0.95))


def _fish(canvas: Canvas) -> None:
    body = curve((-12, 0), ((-7, -8), (4, -8), (9, 0)), ((4, 8), (-7, 8), (-12, 0)))
    tail = curve((7, 0), ((15, -6.5),), ((12.5, 0), (15, 6.5)))
    for shape in (tail, body):
        canvas.polygon(shape, "#3f87a6", "#1f5570", 1)
    canvas.ellipse(-7, -1.5, 1.4, 1.4, "#ffffff")


def _penguin(canvas: Canvas, middle: Point, seat: int) -> None:
    figure = canvas.within(middle[0] - 3, middle[1] - 3)
    for x in (-6, 6):
        figure.ellipse(x, 17, 6, 3, "#f2b33d", OUTLINE, 1.3)
    body = curve(
        (0, -22),
        ((8, -22), (9, -15), (10, -9)),
        ((12, -6), (17, 2), (17, 8)),
        ((13, 7), (12.5, 4)),
        ((13, 12), (9, 18), (0, 18)),
        ((-9, 18), (-13, 12), (-12.5, 4)),
        ((-13, 7), (-17, 8)),
        ((-17, 2), (-12, -6), (-10, -9)),
        ((-9, -15), (-8, -22), (0, -22)),
    )
    figure.polygon(body, piece_colour(seat), OUTLINE, 1.8)
    figure.ellipse(0, 4, 9.4, 12, "#ffffff")
    beak = curve(
        (-4, -13.5), ((0, -16), (4, -13.5)), ((2, -9.5), (0, -9)), ((-2, -9.5), (-4, -13.5))
    )
    figure.polygon(beak, "#ffce55", OUTLINE, 1.1)
    for x in (-4, 4):
        figure.ellipse(x, -16.5, 1.5, 1.5, OUTLINE)
    seat_mark(figure.within(0, 4.5), seat, 7.6)


def arktia_board(state: Mapping[str, Any]) -> HexBoard:
    """The size of a board of Arktia."""
    return HexBoard(state["rows"], 35)


def arktia(canvas: Canvas, state: Mapping[str, Any], step: Step | None) -> Iterator[None]:
    """A position of Arktia, piece by piece."""
    board, players = arktia_board(state), state["players"]
    for cell, there in enumerate(state["ice"]):
        (board.slab if there else board.gone)(canvas, cell)
        yield
    _arktia_marks(canvas, board, step)
    for cell, stack in enumerate(state["stacks"]):
        if stack:
            x, y = board.middles[cell]
            _tower(canvas.within(x, y + 9), stack, players)
            yield


def _arktia_marks(canvas: Canvas, board: HexBoard, step: Step | None) -> None:
    verb = None if step is None else step[0]
    if step is None or verb in (None, "retire"):
        return
    if verb == "melt":
        board.gone(canvas, step[1], LAST, 3)
        return
    cell = step[3] if verb == "move" else step[2]
    board.here(canvas, cell)
    if verb == "move":
        board.arrow(canvas, step[1], cell)


_DISC = (18.0, 7.5, 10.0)
_TORUS = (27.0, 11.5, 11.0)
_HOLE = (13.5, 5.6)
_GLOBE = 11.5


def _tower(canvas: Canvas, stack: Sequence[Sequence[Any]], players: int) -> None:
    """A stack from the ground up, the floor at the origin."""
    if len(stack) == 2 and stack[0][1] == "G":  # a globe looks out of the torus around it
        (inner, _), (outer, _) = stack
        _torus(canvas, 0, piece_colour(outer, players))
        _globe(canvas, -5, piece_colour(inner, players))
        _torus_front(canvas, 0, piece_colour(outer, players))
        _label(canvas, -14.5, inner, players, 12)
        _label(canvas, 4, outer, players, 9.5)
        return
    floor = 0.0
    for colour, kind in stack:
        draw, height, label, size = _KINDS[kind]
        draw(canvas, floor, piece_colour(colour, players))
        _label(canvas, floor + label, colour, players, size)
        floor -= height


def _cylinder(canvas: Canvas, floor: float, colour: str, size: tuple[float, float, float]) -> None:
    rx, ry, height = size
    canvas.ellipse(0, floor, rx, ry, colour, OUTLINE, 1.5)
    canvas.box(-rx, floor - height, 2 * rx, height, colour)
    for x in (-rx, rx):
        canvas.line([(x, floor - height), (x, floor)], OUTLINE, 1.5)
    canvas.ellipse(0, floor - height, rx, ry, lighter(colour), OUTLINE, 1.5)


def _disc(canvas: Canvas, floor: float, colour: str) -> None:
    _cylinder(canvas, floor, colour, _DISC)


def _torus(canvas: Canvas, floor: float, colour: str) -> None:
    _cylinder(canvas, floor, colour, _TORUS)
    canvas.ellipse(0, floor - _TORUS[2], *_HOLE, "#1d3f58", OUTLINE, 1.5)


def _torus_front(canvas: Canvas, floor: float, colour: str) -> None:
    """The front half of a torus' upper side, which hides the lower part of what it closes in."""
    top, (rx, ry, _) = floor - _TORUS[2], _TORUS
    angles = [math.pi * step / 16 for step in range(17)]
    outer = [(rx * math.cos(a), top + ry * math.sin(a)) for a in angles]
    inner = [(_HOLE[0] * math.cos(a), top + _HOLE[1] * math.sin(a)) for a in reversed(angles)]
    canvas.polygon([*outer, *inner], lighter(colour))
    for edge in (outer, inner):
        canvas.line(edge, OUTLINE, 1.5)


def _globe(canvas: Canvas, floor: float, colour: str) -> None:
    y = floor - _GLOBE
    canvas.ellipse(0, y, _GLOBE, _GLOBE, colour, OUTLINE, 1.5)
    canvas.ellipse(-4, y - 5.5, 3.4, 2.2, "#ffffffbf")


def _label(canvas: Canvas, y: float, colour: int, players: int, size: float) -> None:
    canvas.text(0, y, str(colour) if colour < players else "n", size, "#ffffff", casing=OUTLINE)


_KINDS: Mapping[str, tuple[Callable[[Canvas, float, str], None], float, float, float]] = {
    "G": (_globe, 2 * _GLOBE, -_GLOBE, 12),
    "D": (_disc, _DISC[2], 1, 9.5),
    "T": (_torus, _TORUS[2], 4, 9.5),
}
"""Per kind: what draws it, what it adds to a tower, and where its label stands, of which size."""
