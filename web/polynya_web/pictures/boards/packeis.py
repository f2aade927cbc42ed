"""The board of Packeis am Pol: floes with fish, penguins, and the last move."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from polynya_web.pictures.canvas import Canvas, Point, curve
from polynya_web.pictures.colours import LAST, OUTLINE, piece_colour
from polynya_web.pictures.hexagons import HexBoard, Step
from polynya_web.pictures.seat_marks import seat_mark

_USUAL_ROWS = [[7, 1], [8, 0]] * 4
_SHOALS: Mapping[int, Sequence[Point]] = {
    1: [(0, -2)],
    2: [(-4, -11), (4, 8)],
    3: [(0, -17), (-6, -1), (6, 15)],
}


def _floes(state: Mapping[str, Any]) -> HexBoard:
    """The floes of a position."""
    return HexBoard(state.get("rows", _USUAL_ROWS), 32)


def size(state: Mapping[str, Any]) -> tuple[float, float]:
    """Width and height of a position."""
    floes = _floes(state)
    return floes.width, floes.height


def draw(canvas: Canvas, state: Mapping[str, Any], step: Step | None) -> Iterator[None]:
    """A position of Packeis am Pol, piece by piece."""
    floes = _floes(state)
    standing = {cell: seat for seat, cells in enumerate(state["penguins"]) for cell in cells}
    for cell, count in enumerate(state["fish"]):
        if count:
            floes.slab(canvas, cell)
            _shoal(canvas, floes.middles[cell], count, cell in standing)
        else:
            floes.gone(canvas, cell)
        yield
    if step is not None and step[0] == "move":
        floes.arrow(canvas, step[1], step[2])
    if step is not None:
        x, y = floes.middles[step[-1]]
        canvas.ellipse(x, y, floes.radius * 0.8, floes.radius * 0.8, None, LAST, 3.5)
    for cell, seat in standing.items():
        _penguin(canvas, floes.middles[cell], seat)
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
