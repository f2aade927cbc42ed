"""Grids and rows: their limits, and a grid as text."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from polynya_games.boards import EMPTY, Board, Cell, Drawing, Grid, Rows, document_rows
from polynya_games.errors import InvalidBoard
from polynya_games.packeis import Packeis


def test_a_grid_is_an_immutable_value() -> None:
    cells = [[EMPTY, Cell(3)]]
    grid = Grid(cells)
    cells[0][0] = Cell(1)
    assert grid == Grid(((EMPTY, Cell(3)),))
    with pytest.raises(dataclasses.FrozenInstanceError):
        grid.title = "another"  # type: ignore[misc]


WRONG: list[tuple[Callable[[], object], str]] = [
    (lambda: Cell(16), "16 is no colour: give a seat, 0 to 15, or one of plain, dark"),
    (lambda: Cell(True), "true is no colour"),
    (lambda: Cell("#ff0000"), '"#ff0000" is no colour'),
    (lambda: Cell(ground="pink"), '"pink" is no colour'),
    (lambda: Cell(0, "star"), '"star" is no shape of a cell; there are fill, square, disc'),
    (lambda: Cell(0, label="1234"), "a label of the board has 4 characters; the most is 3"),
    (lambda: Cell(0, label="\u202e"), "a label of the board is no printable text"),
    (lambda: Cell(0, joins="X"), 'joins has letters of NESW, and not "X"'),
    (lambda: Grid([]), "there is at least one row"),
    (lambda: Grid([[]]), "1 rows and 0 columns; a side has 1 to 64"),
    (lambda: Grid([[EMPTY], [EMPTY, EMPTY]]), "the rows of a grid have one length"),
    (lambda: Grid([[EMPTY] * 65]), "1 rows and 65 columns"),
    (lambda: Grid([[EMPTY]] * 65), "65 rows and 1 columns"),
    (lambda: Grid([["x"]]), "the cells of a grid are of the type Cell"),  # type: ignore[list-item]
    (lambda: Grid([[EMPTY]], row_labels=["a", "b"]), "row_labels has 2 labels; the grid needs 1"),
    (lambda: Grid([[EMPTY]], column_labels=["long"]), "a label in column_labels of the board"),
    (lambda: Grid([[EMPTY]], title="x" * 201), "the title of the board has 201 characters"),
    (lambda: Rows(["a"] * 257), "the board has 257 rows; the most is 256"),
    (lambda: Rows(["a" * 513]), "row 0 of the board has 513 characters; the most is 512"),
    (lambda: Rows(["a\nb"]), "row 0 of the board is no printable text"),
    (lambda: Rows([7]), "row 0 of the board is no printable text"),  # type: ignore[list-item]
]


@pytest.mark.parametrize(("make", "why"), WRONG, ids=[why for _, why in WRONG])
def test_a_value_that_pages_cannot_show_is_refused(make: Callable[[], object], why: str) -> None:
    with pytest.raises(InvalidBoard) as refused:
        make()
    assert why in str(refused.value)


def test_a_grid_is_text_in_a_terminal() -> None:
    grid = Grid(
        [[EMPTY, Cell(0, label="A"), Cell(12)], [Cell("gold", "disc"), Cell(ground="red"), EMPTY]],
        row_labels=["1", "10"],
        column_labels=["a", "b", "c"],
    )
    assert grid.rows() == ["     a  b  c", " 1   .  A 12", "10   g  r  ."]
    assert Grid(grid.cells).rows() == [" .  A 12", " g  r  ."]


class Shown(Packeis):
    """A game that shows what the test wants."""

    name = "shown"

    def __init__(self, rows: list[str] | None, board: Board | None) -> None:
        self._rows, self._board = rows, board

    def board_rows(self, _document: Mapping[str, Any]) -> list[str] | None:
        return self._rows

    def board(self, document: Mapping[str, Any]) -> Board | None:
        return self._board or super().board(document)


SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'


def test_rows_of_text_are_the_board_of_a_game_without_another() -> None:
    assert Shown(["a", "b"], None).board({}) == Rows(("a", "b"))
    assert Shown(None, None).board({}) is None


@pytest.mark.parametrize(
    ("rows", "board", "text"),
    [
        (["text"], Grid([[EMPTY]]), ["text"]),
        (None, Grid([[EMPTY]]), ["."]),
        (None, Rows(["text"]), ["text"]),
        (None, Drawing(SVG), None),
        (["text"], Drawing(SVG), ["text"]),
        (None, None, None),
    ],
)
def test_a_document_has_rows_of_text_from_either_method(
    rows: list[str] | None, board: Board | None, text: list[str] | None
) -> None:
    assert document_rows(Shown(rows, board), {}) == text
