"""A card for a link: the board at the left, words at the right; 1,200 by 630 pixels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec
from PIL import Image

from polynya_web.pictures.boards import board_of
from polynya_web.pictures.canvas import Canvas, blank
from polynya_web.pictures.colours import SEA, SEA_LINE
from polynya_web.pictures.hexagons import Step
from polynya_web.pictures.seat_marks import seat_mark

WIDTH, HEIGHT = 1200, 630
_MARGIN = 40
_BOARD = 660
"""The width of the board at the most."""
_INK, _MUTED = "#ffffff", "#b9d3e4"
_MOST_PLAYERS = 6
_MOST_LINES = 4
_MOST_CHARACTERS = 300


class Position(msgspec.Struct, frozen=True):
    """A position to be drawn: its game, its state as in the rules, and the step that led to it."""

    game: str
    state: Mapping[str, Any]
    step: Step | None


class Card(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a card.

    Attributes:
        heading: what stands above all.
        title: the largest words.
        players: lines, each with the seat whose mark stands before it, or None.
        text: a sentence below.
        foot: the site's name.
        position: the board; None for a card of words only.
    """

    heading: str
    title: str
    players: Sequence[tuple[int | None, str]]
    text: str
    foot: str
    position: Position | None = None

    @property
    def words(self) -> tuple[object, ...]:
        """All that is on it beside the board."""
        return self.heading, self.title, tuple(self.players), self.text, self.foot


class CardPainter:
    """Draws a card, step by step, so that no match waits for it.

    Args:
        card: what is on it.

    Attributes:
        paper: the picture.
    """

    def __init__(self, card: Card) -> None:
        self._card = card
        self.paper: Image.Image
        self.paper, self._canvas = blank(WIDTH, HEIGHT, SEA)

    def steps(self) -> Iterator[None]:
        """Draw on between the steps of this iterator."""
        position = self._card.position
        board = None if position is None else board_of(position.game)
        left = float(_MARGIN)
        if position is not None and board is not None:
            width, height = board.size(position.state)
            scale = min(_BOARD / width, (HEIGHT - 2 * 24) / height)
            place = self._canvas.within(_MARGIN, (HEIGHT - scale * height) / 2, scale)
            yield from board.draw(place, position.state, position.step)
            left += scale * width + _MARGIN
        else:
            self._canvas.box(0, 0, 14, HEIGHT, "#7cc3e3")
        yield
        self._words(left)

    def _words(self, left: float) -> None:
        canvas, card, room = self._canvas, self._card, WIDTH - _MARGIN - left
        y = 92.0
        canvas.text(left, y, _fitted(canvas, card.heading, 28, room), 28, _MUTED, "ls", bold=False)
        y += 20
        for line in _lines(canvas, card.title, 46, room, 2):
            y += 54
            canvas.text(left, y, line, 46, _INK, "ls")
        y += 56
        for seat, name in card.players[:_MOST_PLAYERS]:
            beside = 0 if seat is None else 52
            if seat is not None:
                seat_mark(canvas.within(left + 18, y), seat, 18)
            shown = _fitted(canvas, name, 32, room - beside)
            canvas.text(left + beside, y, shown, 32, _INK, "lm")
            y += 50
        for line in _lines(canvas, card.text, 28, room, _MOST_LINES):
            canvas.text(left, y + 10, line, 28, _MUTED, "lm", bold=False)
            y += 40
        canvas.line([(left, HEIGHT - 78), (WIDTH - _MARGIN, HEIGHT - 78)], SEA_LINE, 2)
        canvas.text(left, HEIGHT - 48, card.foot, 26, _MUTED, "lm")


def _fitted(canvas: Canvas, words: str, size: float, room: float) -> str:
    """Words that fit into a line; what is left of others ends with an ellipsis."""
    words = _drawable(words)
    if canvas.text_width(words, size) <= room:
        return words
    while words and canvas.text_width(words + "…", size) > room:
        words = words[:-1]
    return words.rstrip() + "…"


def _drawable(words: str) -> str:
    """The beginning of some words, without what controls how text is laid out."""
    return "".join(char if char.isprintable() else " " for char in words[:_MOST_CHARACTERS])


def _lines(canvas: Canvas, words: str, size: float, room: float, most: int) -> list[str]:
    """Words in lines; the last one takes all that is left, as far as it fits."""
    lines: list[str] = []
    left = _drawable(words).split()
    while left and len(lines) < most - 1:
        count = 1
        while count < len(left) and canvas.text_width(" ".join(left[: count + 1]), size) <= room:
            count += 1
        lines.append(_fitted(canvas, " ".join(left[:count]), size, room))
        left = left[count:]
    return [*lines, _fitted(canvas, " ".join(left), size, room)] if left else lines
