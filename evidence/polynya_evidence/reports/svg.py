"""A drawing as the text of an SVG file: shapes in the order in which they are drawn.

Coordinates are pixels from the upper left corner, written with one decimal: the same figures give
the same bytes on every machine. Colours are names of ``_STYLE``, which has them for light pages and
for dark ones; a browser picks them as it does those of the page.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal
from xml.etree import ElementTree as Tree

FONT = 13.0
"""Height of the text."""

_STYLE = """
text { font: 13px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #33414e; }
.number { font-variant-numeric: tabular-nums; }
.soft { fill: #5b6b7a; }
.won { font-weight: 700; }
line, path { fill: none; stroke-linejoin: round; }
.grid { stroke: #d5dde4; }
.axis { stroke: #5b6b7a; }
.value { stroke: #1f78b4; fill: #1f78b4; }
.faint { stroke: #9aa9b8; }
.c0 { stroke: #1f78b4; } .c1 { stroke: #c2570c; } .c2 { stroke: #2f8132; } .c3 { stroke: #c02a2a; }
.c4 { stroke: #7a4fb5; } .c5 { stroke: #84563c; } .c6 { stroke: #bd3f91; } .c7 { stroke: #5f6b78; }
.c8 { stroke: #80770a; } .c9 { stroke: #0b8490; }
@media (prefers-color-scheme: dark) {
text { fill: #dce4ec; } .soft { fill: #9aa9b8; }
.grid { stroke: #2b3743; } .axis { stroke: #9aa9b8; }
.value { stroke: #5cb0ec; fill: #5cb0ec; } .faint { stroke: #5b6b7a; }
.c0 { stroke: #5cb0ec; } .c1 { stroke: #f0954a; } .c2 { stroke: #6cc46f; } .c3 { stroke: #f27b78; }
.c4 { stroke: #b79af0; } .c5 { stroke: #c89b7f; } .c6 { stroke: #ee8dcb; } .c7 { stroke: #a8b4c0; }
.c8 { stroke: #d2c94a; } .c9 { stroke: #4fccd8; }
}
"""

COLOURS = 10
"""Of lines that are told apart: the classes ``c0`` to ``c9``."""

Anchor = Literal["start", "middle", "end"]

_NARROW, _WIDE = frozenset("Iijlrtf.-1"), frozenset("mwMWGOQ@")


def text_width(text: str) -> float:
    """About how wide a text is, rather more than less: fonts differ."""
    widths = (0.4 if one in _NARROW else 0.95 if one in _WIDE else 0.66 for one in text)
    return FONT * sum(widths)


class Drawing:
    """A drawing to which shapes are added.

    Args:
        width, height: its size.
        title: what it shows, for readers who do not see it.
    """

    def __init__(self, width: float, height: float, title: str) -> None:
        size = {"width": _number(width), "height": _number(height)}
        box = f"0 0 {size['width']} {size['height']}"
        self._root = Tree.Element(
            "svg", {"xmlns": "http://www.w3.org/2000/svg", **size, "viewBox": box}
        )
        Tree.SubElement(self._root, "title").text = title
        Tree.SubElement(self._root, "style").text = _STYLE

    def line(
        self, start: tuple[float, float], end: tuple[float, float], kind: str, **style: str
    ) -> None:
        """A straight line; ``style`` are attributes of SVG, with ``_`` for ``-``."""
        (left, top), (right, bottom) = start, end
        ends = {"x1": left, "y1": top, "x2": right, "y2": bottom}
        self._add("line", ends, kind, style)

    def path(self, points: Iterable[tuple[float, float]], kind: str, **style: str) -> None:
        """A line through points."""
        drawn = "L".join(f"{_number(x)} {_number(y)}" for x, y in points)
        self._add("path", {}, kind, {"d": f"M{drawn}", **style})

    def dot(self, centre: tuple[float, float], radius: float, kind: str) -> None:
        """A filled circle."""
        self._add("circle", {"cx": centre[0], "cy": centre[1], "r": radius}, kind, {})

    def text(
        self,
        place: tuple[float, float],
        text: str,
        *,
        anchor: Anchor = "start",
        kind: str = "",
        most: float | None = None,
    ) -> None:
        """A line of text, its middle at the height of ``place``; squeezed into ``most`` pixels."""
        style: dict[str, str] = {"text-anchor": anchor}
        if most is not None and text_width(text) > most:
            style |= {"textLength": _number(most), "lengthAdjust": "spacingAndGlyphs"}
        at = {"x": place[0], "y": place[1] + 0.35 * FONT}
        self._add("text", at, kind, style).text = text

    def encoded(self) -> bytes:
        """The file."""
        return Tree.tostring(self._root)

    def _add(
        self, tag: str, numbers: Mapping[str, float], kind: str, style: Mapping[str, str]
    ) -> Tree.Element:
        written = {key: _number(value) for key, value in numbers.items()}
        written |= {key.replace("_", "-"): value for key, value in style.items()}
        if kind:
            written["class"] = kind
        return Tree.SubElement(self._root, tag, written)


def _number(value: float) -> str:
    """With one decimal, if that is not 0; never "-0"."""
    return f"{round(value * 10) / 10 + 0.0:.1f}".removesuffix(".0")
