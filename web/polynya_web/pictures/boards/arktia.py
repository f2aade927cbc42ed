"""The board of Arktia: floes, and the stacks of muglus on them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from polynya_web.pictures.canvas import Canvas
from polynya_web.pictures.colours import LAST, OUTLINE, lighter, piece_colour
from polynya_web.pictures.hexagons import HexBoard, Step


def _floes(state: Mapping[str, Any]) -> HexBoard:
    """The floes of a position."""
    return HexBoard(state["rows"], 35)


def size(state: Mapping[str, Any]) -> tuple[float, float]:
    """Width and height of a position."""
    floes = _floes(state)
    return floes.width, floes.height


def draw(canvas: Canvas, state: Mapping[str, Any], step: Step | None) -> Iterator[None]:
    """A position of Arktia, piece by piece."""
    floes, players = _floes(state), state["players"]
    for cell, there in enumerate(state["ice"]):
        (floes.slab if there else floes.gone)(canvas, cell)
        yield
    _marks(canvas, floes, step)
    for cell, stack in enumerate(state["stacks"]):
        if stack:
            x, y = floes.middles[cell]
            _tower(canvas.within(x, y + 9), stack, players)
            yield


def _marks(canvas: Canvas, floes: HexBoard, step: Step | None) -> None:
    verb = None if step is None else step[0]
    if step is None or verb in (None, "retire"):
        return
    if verb == "melt":
        floes.gone(canvas, step[1], LAST, 3)
        return
    cell = step[3] if verb == "move" else step[2]
    floes.here(canvas, cell)
    if verb == "move":
        floes.arrow(canvas, step[1], cell)


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
    """The front half of a torus' upper side, which hides the lower part of the muglu inside."""
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
