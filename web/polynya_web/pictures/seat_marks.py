"""The mark of a seat: a shape, a colour and a number, as on the pages (``boards/seats.js``)."""

from __future__ import annotations

from polynya_web.pictures.canvas import Canvas, Point, curve
from polynya_web.pictures.colours import OUTLINE, piece_colour


def seat_mark(canvas: Canvas, seat: int, radius: float) -> None:
    """The mark around the origin; ``radius`` in units."""
    colour, mark = piece_colour(seat), canvas.within(0, 0, radius)
    shape = seat % 4
    if shape == 0:
        mark.box(-0.9, -0.9, 1.8, 1.8, colour, radius=0.3)
    elif shape == 1:
        mark.ellipse(0, 0, 1, 1, colour)
    elif shape == 2:
        mark.ellipse(0, 0, 0.95, 0.95, colour)
        mark.box(-0.95, 0, 1.9, 0.9, colour)
    else:
        mark.polygon(_LEAF, colour)
    mark.text(0, 0.04, str(seat), 1.2, "#ffffff", casing=OUTLINE)


_ROUND = 0.5523
"""How far the control points of a quarter of a circle lie from its ends."""
_LEAF: list[Point] = curve(
    (-1, 1),
    ((-1, 0),),
    ((-1, -_ROUND), (-_ROUND, -1), (0, -1)),
    ((1, -1),),
    ((1, 0),),
    ((1, _ROUND), (_ROUND, 1), (0, 1)),
)
