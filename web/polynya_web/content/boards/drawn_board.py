"""Turns a document of a position into what a page draws: rows of text, a grid or a drawing.

A game may come from any author: a board that it cannot make, or that is refused, costs the page
the board and nothing else, and the log says why.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from polynya_games import Game
from polynya_games.boards import Board, Cell, Drawing, Grid, Rows, text_of
from polynya_server.log import log
from polynya_web.content.boards.board_types import BoardView, CellKind, DrawingView, GridView

_REMEMBERED = 256


class DrawnBoard(NamedTuple):
    """The board of a position as a page draws it.

    Attributes:
        rows: the board as rows of text, None where the game has none.
        board: the board as a grid or a drawing, None where the game gives neither.
    """

    rows: list[str] | None
    board: BoardView | None


def drawn_board(game: Game, document: Mapping[str, Any]) -> DrawnBoard:
    """Give the board of a document as a page draws it.

    Args:
        game: the game.
        document: a state document, or the view of a seat or of the public.
    """
    board: Board | None = _tried(game, "board", lambda: game.board(document))
    if isinstance(board, Rows):
        return DrawnBoard(list(board.lines), None)
    rows = _tried(game, "board_rows", lambda: game.board_rows(document))
    return DrawnBoard(text_of(board) if rows is None else rows, _view_of(board))


def _view_of(board: Board | None) -> BoardView | None:
    if isinstance(board, Grid):
        return _grid_view(board)
    return DrawingView(board.svg, board.title) if isinstance(board, Drawing) else None


def _grid_view(grid: Grid) -> GridView:
    numbers: dict[Cell, int] = {}
    cells = [[numbers.setdefault(cell, len(numbers)) for cell in row] for row in grid.cells]
    kinds = [
        CellKind(cell.colour, cell.shape, cell.label, cell.ground, cell.joins) for cell in numbers
    ]
    return GridView(cells, kinds, list(grid.row_labels), list(grid.column_labels), grid.title)


def _tried(game: Game, method: str, make: Callable[[], Any]) -> Any:
    """Call a method of a game; None, with a line in the log, if it fails."""
    try:
        return make()
    except Exception as error:  # it is the author's code, and what it draws is refused
        _report(game.name, method, f"{type(error).__name__}: {error}")
        return None


@lru_cache(_REMEMBERED)
def _report(game: str, method: str, error: str) -> None:
    """Log a failure, once for each game and reason and not for each position."""
    log.warning("a game's board cannot be shown", game=game, method=method, error=error)
