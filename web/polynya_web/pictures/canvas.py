"""A drawing in its own units, on a picture that is drawn larger and then made smaller."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from itertools import pairwise

from PIL import Image, ImageDraw, ImageFont

Point = tuple[float, float]

OVERSIZE = 2
"""Pillow draws hard edges: they become soft when the picture is made smaller."""
_PALETTE = 128
_CORNERS = 6


class Canvas:
    """A part of a picture: a place on it, and the size of a unit.

    Args:
        paper: the whole picture.
        left, top: where the origin lies, in pixels of the paper.
        scale: pixels a unit.
    """

    def __init__(
        self, paper: Image.Image, left: float = 0, top: float = 0, scale: float = OVERSIZE
    ) -> None:
        self._paper = paper
        self._left, self._top, self._scale = left, top, scale
        self._pen = ImageDraw.Draw(paper, "RGBA")

    def within(self, x: float, y: float, scale: float = 1) -> Canvas:
        """A canvas whose origin is a point of this one; its unit is ``scale`` of this one's."""
        left, top = self._at((x, y))
        return Canvas(self._paper, left, top, self._scale * scale)

    def _at(self, point: Point) -> Point:
        return self._left + self._scale * point[0], self._top + self._scale * point[1]

    def _width(self, units: float) -> int:
        return max(1, round(units * self._scale)) if units else 0

    def polygon(
        self, corners: Sequence[Point], fill: str | None, edge: str | None = None, width: float = 1
    ) -> None:
        """A polygon; colours as ``#rrggbb`` or ``#rrggbbaa``."""
        points = [self._at(corner) for corner in corners]
        if fill is not None:
            self._pen.polygon(points, fill)
        if edge is not None:
            self._pen.line([*points, points[0], points[1]], edge, self._width(width), "curve")

    def line(self, points: Sequence[Point], colour: str, width: float) -> None:
        """A line with round ends."""
        self._pen.line([self._at(point) for point in points], colour, self._width(width), "curve")
        for x, y in (points[0], points[-1]):
            self.ellipse(x, y, width / 2, width / 2, colour)

    def ellipse(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        fill: str | None,
        edge: str | None = None,
        width: float = 1,
    ) -> None:
        """An ellipse around a point."""
        box = (*self._at((x - rx, y - ry)), *self._at((x + rx, y + ry)))
        self._pen.ellipse(box, fill, edge, self._width(width if edge else 0))

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str | None,
        edge: str | None = None,
        edge_width: float = 1,
        radius: float = 0,
    ) -> None:
        """A rectangle with round corners, from its upper left corner."""
        box = (*self._at((x, y)), *self._at((x + width, y + height)))
        edge_pixels = self._width(edge_width if edge else 0)
        self._pen.rounded_rectangle(box, radius * self._scale, fill, edge, edge_pixels)

    def text(
        self,
        x: float,
        y: float,
        words: str,
        size: float,
        fill: str,
        anchor: str = "mm",
        bold: bool = True,
        casing: str | None = None,
    ) -> None:
        """Words at a point, which is their middle (``mm``), or their left end (``ls``, ``lm``)."""
        stroke = self._width(size / 10) if casing else 0
        self._pen.text(
            self._at((x, y)),
            words,
            fill,
            _font(size * self._scale, bold),
            anchor,
            stroke_width=stroke,
            stroke_fill=casing,
        )

    def text_width(self, words: str, size: float, bold: bool = True) -> float:
        """The width of words, in units."""
        return _font(size * self._scale, bold).getlength(words) / self._scale


def blank(width: int, height: int, colour: str) -> tuple[Image.Image, Canvas]:
    """An empty picture of a size in pixels, and the canvas that covers it."""
    paper = Image.new("RGB", (width * OVERSIZE, height * OVERSIZE), colour)
    return paper, Canvas(paper)


def as_png(paper: Image.Image) -> bytes:
    """The picture in its own size, as PNG; its work is done without the interpreter's lock."""
    small = paper.reduce(OVERSIZE)
    flat = small.quantize(_PALETTE, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    file = io.BytesIO()
    flat.save(file, "PNG", compress_level=6)
    return file.getvalue()


@cache
def _font_bytes(name: str) -> bytes:
    return files("polynya_web.pictures").joinpath("fonts", name).read_bytes()


@cache
def _font(pixels: float, bold: bool) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    return ImageFont.truetype(
        io.BytesIO(_font_bytes(name)), round(pixels), layout_engine=ImageFont.Layout.BASIC
    )


def hexagon(x: float, y: float, radius: float) -> list[Point]:
    """The corners of a hexagon with a point to the north."""
    angles = [math.radians(60 * corner + 30) for corner in range(_CORNERS)]
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in angles]


def curve(start: Point, *pieces: tuple[Point, ...], steps: int = 6) -> list[Point]:
    """An outline of straight lines and Bézier curves: each piece has its control points and end."""
    outline = [start]
    for piece in pieces:
        points = [outline[-1], *piece]
        count = 1 if len(piece) == 1 else steps
        outline += [_bezier(points, step / count) for step in range(1, count + 1)]
    return outline


def _bezier(points: Sequence[Point], t: float) -> Point:
    """De Casteljau's algorithm."""
    while len(points) > 1:
        points = [
            (x1 + (x2 - x1) * t, y1 + (y2 - y1) * t) for (x1, y1), (x2, y2) in pairwise(points)
        ]
    return points[0]
