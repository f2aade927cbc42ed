"""A board as a drawing: SVG of plain shapes, so that a page can show it as its own.

A drawing with anything but the shapes and attributes below is refused, never trimmed: no script,
style, link, image, animation, entity or reference passes. The text is read by expat, which is told
to accept no document type.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NoReturn
from xml.parsers import expat

from polynya_games.boards.grid import MAX_TITLE, TONES
from polynya_games.boards.rows import check_text
from polynya_games.errors import InvalidBoard, describe

MAX_BYTES = 100_000
MAX_DEPTH = 32
NAMESPACE = "http://www.w3.org/2000/svg"
SEAT_COLOURS = 8
"""The pages have this many colours of seats; seat 8 has the colour of seat 0."""

_SHAPES = {"g", "path", "rect", "circle", "ellipse", "line", "polyline", "polygon"}
_TEXTS = {"text", "tspan", "title", "desc"}
_CLASSES = {f"seat-{seat}" for seat in range(SEAT_COLOURS)} | {f"tone-{tone}" for tone in TONES}

# Each pattern matches a text in one way only: no hostile value takes more than linear time.
_NUMBER = r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?"
_NUMBERS = rf"\s*{_NUMBER}(?:[\s,]+{_NUMBER})*\s*"
_NUMBER_PATTERN = re.compile(_NUMBER, re.ASCII)
_LENGTHS = re.compile(rf"(?:{_NUMBERS})?", re.ASCII)
_COLOUR = re.compile(r"none|currentColor|[a-z]{3,24}|#[0-9a-fA-F]{3}(?:[0-9a-fA-F]{3})?")
_PATH = re.compile(r"[MmLlHhVvCcSsQqTtAaZz0-9eE+\-.,\s]*", re.ASCII)
_TRANSFORM = re.compile(
    rf"\s*(?:(?:translate|rotate|scale|skewX|skewY|matrix)\({_NUMBERS}\)[\s,]*)+",
    re.ASCII,
)
_WORD = re.compile(r"[a-z0-9-]{1,24}")

_ATTRIBUTES: Mapping[str, re.Pattern[str]] = {
    **dict.fromkeys(
        ("x", "y", "width", "height", "cx", "cy", "r", "rx", "ry", "x1", "y1", "x2", "y2"),
        _NUMBER_PATTERN,
    ),
    **dict.fromkeys(("dx", "dy", "points", "stroke-dasharray"), _LENGTHS),
    **dict.fromkeys(("fill", "stroke"), _COLOUR),
    **dict.fromkeys(
        ("stroke-width", "opacity", "fill-opacity", "stroke-opacity", "font-size"),
        _NUMBER_PATTERN,
    ),
    **dict.fromkeys(
        (
            "stroke-linecap",
            "stroke-linejoin",
            "fill-rule",
            "font-weight",
            "text-anchor",
            "dominant-baseline",
        ),
        _WORD,
    ),
    "d": _PATH,
    "transform": _TRANSFORM,
}


@dataclass(frozen=True, slots=True)
class Drawing:
    """A board as SVG.

    Attributes:
        svg: the text, an element ``svg`` with a ``viewBox``, of at most 100,000 bytes: shapes and
            text only. The classes ``seat-0`` to ``seat-7`` and ``tone-NAME``, of the grid's
            tones, set ``currentColor``.
        title: what it shows, in a sentence for readers who cannot see it; may be empty.

    Raises:
        InvalidBoard: there is anything else in it; the message names that.
    """

    svg: str
    title: str = ""

    def __post_init__(self) -> None:
        check_text(self.title, "the title", MAX_TITLE)
        _check(self.svg)


def _check(svg: object) -> None:
    try:
        content = svg.encode() if isinstance(svg, str) else b""
    except UnicodeEncodeError as error:
        raise InvalidBoard("the drawing is no text of Unicode characters") from error
    if not 0 < len(content) <= MAX_BYTES:
        raise InvalidBoard(f"the drawing is text of 1 to {MAX_BYTES} bytes, not {len(content)}")
    reader = _Reader()
    parser = expat.ParserCreate("UTF-8")
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.text
    parser.XmlDeclHandler = _refuses("an XML declaration")
    parser.StartDoctypeDeclHandler = _refuses("a document type")
    parser.EntityDeclHandler = _refuses("an entity")
    parser.ProcessingInstructionHandler = _refuses("a processing instruction")
    parser.CommentHandler = _refuses("a comment")
    parser.StartCdataSectionHandler = _refuses("a CDATA section")
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        raise InvalidBoard(f"the drawing is not well-formed XML: {error}") from error


class _Reader:
    """Follows a drawing from element to element."""

    def __init__(self) -> None:
        self._open: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if not self._open:
            _check_root(name, attributes)
        elif name not in _SHAPES and name not in _TEXTS:
            _refuse(f"the element {describe(name, 40)}")
        if self._open and self._open[-1] in _TEXTS and name != "tspan":
            _refuse(f"an element {name} within {self._open[-1]}")
        self._open.append(name)
        if len(self._open) > MAX_DEPTH:
            _refuse(f"more than {MAX_DEPTH} elements within each other")
        for attribute, value in attributes.items():
            _check_attribute(name, attribute, value)

    def end(self, _name: str) -> None:
        self._open.pop()

    def text(self, text: str) -> None:
        if self._open[-1] not in _TEXTS and text.strip():
            _refuse(f"text within {self._open[-1]}")
        if not all(char.isprintable() or char in "\n\t" for char in text):
            _refuse("a character that is not printable")


def _check_root(name: str, attributes: dict[str, str]) -> None:
    """Check the outermost element, and take its own two attributes from the others."""
    if name != "svg" or attributes.pop("xmlns", None) != NAMESPACE:
        raise InvalidBoard(f'the drawing is no element svg with xmlns="{NAMESPACE}"')
    box = attributes.pop("viewBox", "").replace(",", " ").split()
    numbers = [float(one) for one in box if _NUMBER_PATTERN.fullmatch(one)]
    if len(box) != 4 or len(numbers) != 4 or max(map(abs, numbers)) > 1e6:
        raise InvalidBoard("the drawing needs a viewBox of four numbers within a million")
    width, height = numbers[2:]
    if min(width, height) <= 0 or not 1 / 8 <= width / height <= 8:
        raise InvalidBoard(
            "a side of the drawing's viewBox is at most 8 times as long as the other"
        )
    if attributes.keys() & {"width", "height"}:
        raise InvalidBoard("the drawing has no width and height of its own: its viewBox is enough")


def _check_attribute(element: str, name: str, value: str) -> None:
    if name == "class":
        fits = set(value.split()) <= _CLASSES
    elif name not in _ATTRIBUTES:
        _refuse(f"the attribute {describe(name, 40)} of {element}")
    else:
        fits = _ATTRIBUTES[name].fullmatch(value) is not None
    if not fits:
        _refuse(f"{name}={describe(value, 60)} of {element}")


def _refuse(what: str) -> NoReturn:
    raise InvalidBoard(f"a drawing has shapes only, and not {what}")


def _refuses(what: str) -> Callable[..., NoReturn]:
    def handler(*_: object) -> NoReturn:
        _refuse(what)

    return handler
