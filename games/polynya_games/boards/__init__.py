"""How a game shows a position: as rows of text, as a grid of cells, or as a drawing of shapes.

``Game.board`` gives one of the three. They are values, checked when they are made, and pages draw
them; a terminal shows the rows of text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from polynya_games.boards.drawing import Drawing
from polynya_games.boards.grid import EMPTY, SHAPES, TONES, Cell, Grid
from polynya_games.boards.rows import Rows

__all__ = [
    "EMPTY",
    "SHAPES",
    "TONES",
    "Board",
    "Cell",
    "Drawing",
    "Grid",
    "Rows",
    "document_rows",
    "text_of",
]

Board = Rows | Grid | Drawing
"""The types that ``Game.board`` may give."""


class _Shown(Protocol):
    """The part of a game that shows positions."""

    def board_rows(self, document: Mapping[str, Any]) -> list[str] | None: ...

    def board(self, document: Mapping[str, Any]) -> Board | None: ...


def document_rows(game: _Shown, document: Mapping[str, Any]) -> list[str] | None:
    """The board of a document as rows of text: of ``board_rows``, or else of ``board``.

    Args:
        game: the game.
        document: a state document, or a view.

    Returns:
        The rows; None if the game gives neither, or a drawing alone.

    Raises:
        InvalidBoard: the board is too large, or of another form.
    """
    rows = game.board_rows(document)
    return text_of(game.board(document)) if rows is None else rows


def text_of(board: Board | None) -> list[str] | None:
    """A board as rows of text; None for a drawing, or without a board."""
    if isinstance(board, Rows):
        return list(board.lines)
    return board.rows() if isinstance(board, Grid) else None
