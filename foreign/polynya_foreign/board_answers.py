"""Reads the boards that a rules process gives: rows of text, a grid of cells or an SVG drawing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from polynya_games.boards import EMPTY, Board, Cell, Drawing, Grid, Rows
from polynya_games.errors import InvalidBoard


class CellAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cell of a grid, as :class:`~polynya_games.boards.Cell`."""

    colour: int | str | None = None
    shape: str = "fill"
    label: str = ""
    ground: int | str = "plain"
    joins: str = ""


class BoardAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A board: exactly one of ``rows``, ``grid`` and ``svg``, with the keys that belong to it."""

    rows: tuple[str, ...] | None = None
    grid: tuple[tuple[CellAnswer | None, ...], ...] | None = None
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    svg: str | None = None
    title: str = ""


def board_of(value: Mapping[str, Any]) -> Board:
    """The board that a value of an answer describes.

    Raises:
        InvalidBoard: it has another form, is too large, or a drawing has more than shapes.
    """
    try:
        told = msgspec.convert(value, BoardAnswer)
    except msgspec.ValidationError as error:
        raise InvalidBoard(f"the board has another form: {error}") from error
    if [told.rows, told.grid, told.svg].count(None) != 2:
        raise InvalidBoard("a board has one of rows, grid and svg")
    if told.rows is not None:
        return Rows(told.rows)
    if told.svg is not None:
        return Drawing(told.svg, told.title)
    cells = [[_cell(cell) for cell in row] for row in told.grid or ()]
    return Grid(cells, told.row_labels, told.column_labels, told.title)


def _cell(told: CellAnswer | None) -> Cell:
    if told is None:
        return EMPTY
    return Cell(told.colour, told.shape, told.label, told.ground, told.joins)
