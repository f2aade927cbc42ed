"""Cards: pictures of 1200 by 630 pixels for links, drawn one at a time and kept as PNG."""

from __future__ import annotations

import io
from collections import OrderedDict
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

import msgspec
import trio
from PIL import Image, ImageDraw, ImageFont

from polynya_web.content.background import BackgroundSlices, DatabaseThreads

WIDTH, HEIGHT = 1200, 630
_LEFT, _RIGHT = 70, WIDTH - 40
_SEA, _SEA_LINE, _OUTLINE, _ICE = "#12344d", "#4f7590", "#10293c", "#7cc3e3"
_INK, _MUTED = "#ffffff", "#b9d3e4"
_SEATS = (
    "#e8951f",
    "#2f74c8",
    "#b8302a",
    "#46b59b",
    "#8a5bc0",
    "#2f9150",
    "#b84a91",
    "#76832d",
)
"""The colours of the pages' boards (``static/boards.css``)."""
_MARK = 36
_MAX_PLAYERS = 6
_MAX_LINES = 4
_MAX_CHARACTERS = 300
_PALETTE = 128


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a card.

    Attributes:
        heading: the words above all others.
        title: the largest words.
        players: lines, each with the seat whose mark stands before it, or None.
        text: a sentence below.
        foot: the site's name.
    """

    heading: str
    title: str
    players: tuple[tuple[int | None, str], ...]
    text: str
    foot: str


class CardPainter:
    """Draws a card, step by step, so that no match waits for it.

    Args:
        card: its contents.

    Attributes:
        paper: the picture.
    """

    def __init__(self, card: Card) -> None:
        self._card = card
        self.paper = Image.new("RGB", (WIDTH, HEIGHT), _SEA)
        self._pen = ImageDraw.Draw(self.paper)

    def steps(self) -> Iterator[None]:
        """Draw one line of words between the steps of this iterator."""
        card, y = self._card, 92
        self._pen.rectangle((0, 0, 14, HEIGHT), _ICE)
        self._line(y, card.heading, 28, _MUTED, bold=False)
        yield
        y += 20
        for line in _lines(card.title, 46, 2):
            y += 54
            self._line(y, line, 46)
            yield
        y += 64
        for seat, name in card.players[:_MAX_PLAYERS]:
            self._player(y, seat, name)
            y += 50
            yield
        for line in _lines(card.text, 28, _MAX_LINES):
            self._line(y + 10, line, 28, _MUTED, bold=False)
            y += 40
            yield
        self._pen.line((_LEFT, HEIGHT - 78, _RIGHT, HEIGHT - 78), _SEA_LINE, 2)
        self._line(HEIGHT - 40, card.foot, 26, _MUTED)

    def png(self) -> bytes:
        """Encode as PNG, mostly without the interpreter's lock."""
        flat = self.paper.quantize(_PALETTE, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
        file = io.BytesIO()
        flat.save(file, "PNG", compress_level=6)
        return file.getvalue()

    def _player(self, y: int, seat: int | None, name: str) -> None:
        if seat is None:
            self._line(y, name, 32)
            return
        mark = (_LEFT, y - 30, _LEFT + _MARK, y - 30 + _MARK)
        self._pen.rounded_rectangle(mark, 8, _SEATS[seat % len(_SEATS)])
        middle = (_LEFT + _MARK / 2, y - 30 + _MARK / 2)
        font = _font(22, bold=True)
        self._pen.text(middle, str(seat), _INK, font, "mm", stroke_width=2, stroke_fill=_OUTLINE)
        self._line(y, name, 32, indent=_MARK + 16)

    def _line(
        self,
        y: int,
        words: str,
        size: int,
        colour: str = _INK,
        *,
        bold: bool = True,
        indent: int = 0,
    ) -> None:
        """Words on the base line ``y``, as far as they fit."""
        fitting = _fitted(words, size, _RIGHT - _LEFT - indent)
        self._pen.text((_LEFT + indent, y), fitting, colour, _font(size, bold), "ls")


def _fitted(words: str, size: int, room: int) -> str:
    """Words that fit into a line; longer ones are cut and end with an ellipsis."""
    words = _drawable(words)
    if _width(words, size) <= room:
        return words
    while words and _width(words + "…", size) > room:
        words = words[:-1]
    return words.rstrip() + "…"


def _drawable(words: str) -> str:
    """The beginning of some words, without what controls how text is laid out."""
    return "".join(char if char.isprintable() else " " for char in words[:_MAX_CHARACTERS])


def _lines(words: str, size: int, most: int) -> list[str]:
    """Words in lines that fit; the last line takes all the rest."""
    lines: list[str] = []
    left = _drawable(words).split()
    while left and len(lines) < most - 1:
        count = 1
        while count < len(left) and _width(" ".join(left[: count + 1]), size) <= _RIGHT - _LEFT:
            count += 1
        lines.append(" ".join(left[:count]))
        left = left[count:]
    return [*lines, " ".join(left)] if left else lines


def _width(words: str, size: int) -> float:
    """The width of words in the bold font, in pixels."""
    return _font(size, bold=True).getlength(words)


@cache
def _font(size: int, bold: bool) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    content = files("polynya_web.pictures").joinpath("fonts", name).read_bytes()
    return ImageFont.truetype(io.BytesIO(content), size, layout_engine=ImageFont.Layout.BASIC)


MAX_KEPT_BYTES = 8 * 1024 * 1024
"""About 500 pictures."""
MAX_WAITING = 16
"""Maximum number of waiting requests; a picture takes 20 ms of processor time."""


class TooManyPicturesError(Exception):
    """Too many requests wait for pictures."""


class PictureCache:
    """The pictures of one site.

    Args:
        ask: the threads in which they become PNG.
        background: the time in which they are drawn.
    """

    def __init__(self, ask: DatabaseThreads, background: BackgroundSlices) -> None:
        self._ask = ask
        self._background = background
        self._kept: OrderedDict[Card, bytes] = OrderedDict()
        self._kept_bytes = 0
        self._drawing = trio.Lock()

    async def picture(self, card: Card) -> bytes:
        """The picture of a card.

        Raises:
            TooManyPicturesError: try again later.
        """
        kept = self._kept.get(card)
        if kept is not None:
            self._kept.move_to_end(card)
            return kept
        queue = self._drawing.statistics()
        if queue.locked and queue.tasks_waiting >= MAX_WAITING:
            raise TooManyPicturesError
        async with self._drawing:
            return self._kept.get(card) or await self._draw(card)

    async def _draw(self, card: Card) -> bytes:
        painter = CardPainter(card)
        await self._background.each(painter.steps(), lambda _: None)
        picture = await self._ask(painter.png)
        self._kept[card] = picture
        self._kept_bytes += len(picture)
        while self._kept_bytes > MAX_KEPT_BYTES:
            _, oldest = self._kept.popitem(last=False)
            self._kept_bytes -= len(oldest)
        return picture
