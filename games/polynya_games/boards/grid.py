"""A board as a grid of square cells: colours of seats or of a palette, shapes and short labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from polynya_games.boards.rows import check_text
from polynya_games.errors import InvalidBoard, describe

MAX_SIDE = 64
"""Maximum number of rows and of columns."""
MAX_LABEL = 3
MAX_TITLE = 200
MAX_SEAT = 15

TONES = ("plain", "dark", "gray", "water", "ice", "gold", "green", "red")
"""The palette; each name is a colour of its own in light and in dark pages."""
SHAPES = ("fill", "square", "disc", "ring", "diamond", "triangle", "cross", "dot")
"""``fill`` fills the cell up to its edges; the others leave its ground visible."""
DIRECTIONS = "NESW"

Colour = int | str
"""A seat, for its colour on all pages, or a name of :data:`TONES`."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        colour: the colour of the piece: a seat's number, or a name of ``TONES``; None for no piece.
        shape: of the piece, one of ``SHAPES``.
        label: up to three printable characters, shown in the middle.
        ground: the colour of the cell behind the piece, as ``colour``.
        joins: the sides to which the piece reaches, letters of ``NESW``: two neighbours with
            joins to each other look like one body.

    Raises:
        InvalidBoard: one of these is something else.
    """

    colour: Colour | None = None
    shape: str = "fill"
    label: str = ""
    ground: Colour = "plain"
    joins: str = ""

    def __post_init__(self) -> None:
        if self.colour is not None:
            _check_colour(self.colour)
        _check_colour(self.ground)
        if self.shape not in SHAPES:
            names = ", ".join(SHAPES)
            raise InvalidBoard(f"{describe(self.shape)} is no shape of a cell; there are {names}")
        if not set(str(self.joins)) <= set(DIRECTIONS):
            raise InvalidBoard(f"joins has letters of NESW, and not {describe(self.joins)}")
        check_text(self.label, "a label", MAX_LABEL)


@dataclass(frozen=True, slots=True)
class Grid:
    """A board of square cells.

    Attributes:
        cells: the rows of cells, from top to bottom, all of one length; 1 to 64 rows of 1 to 64.
        row_labels: a label of up to three characters for each row; empty for none.
        column_labels: the same for each column.
        title: what the board shows, in a sentence for readers who cannot see it; may be empty.

    Raises:
        InvalidBoard: the rows differ in length, there are too many, or labels are missing.
    """

    cells: Sequence[Sequence[Cell]]
    row_labels: Sequence[str] = ()
    column_labels: Sequence[str] = ()
    title: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", tuple(map(tuple, self.cells)))
        object.__setattr__(self, "row_labels", tuple(self.row_labels))
        object.__setattr__(self, "column_labels", tuple(self.column_labels))
        height, widths = len(self.cells), {len(row) for row in self.cells}
        if len(widths) != 1:
            raise InvalidBoard("the rows of a grid have one length; there is at least one row")
        [width] = widths
        if not 1 <= height <= MAX_SIDE or not 1 <= width <= MAX_SIDE:
            raise InvalidBoard(
                f"the grid has {height} rows and {width} columns; a side has 1 to {MAX_SIDE}"
            )
        if not all(isinstance(cell, Cell) for row in self.cells for cell in row):
            raise InvalidBoard("the cells of a grid are of the type Cell")
        _check_labels(self.row_labels, "row_labels", height)
        _check_labels(self.column_labels, "column_labels", width)
        check_text(self.title, "the title", MAX_TITLE)

    def rows(self) -> list[str]:
        """The grid as rows of text: each cell by its label, or else by a sign of its colour."""
        texts = [[_sign(cell) for cell in row] for row in self.cells]
        widest = max(len(text) for row in (*texts, self.column_labels) for text in row)
        lines = [" ".join(text.rjust(widest) for text in row) for row in texts]
        columns = " ".join(text.rjust(widest) for text in self.column_labels)
        if self.row_labels:
            edge = max(map(len, self.row_labels))
            pairs = zip(self.row_labels, lines, strict=True)
            lines = [f"{label.rjust(edge)}  {line}" for label, line in pairs]
            columns = f"{'' if not columns else ' ' * (edge + 2)}{columns}"
        return [line.rstrip() for line in ([columns, *lines] if columns else lines)]


def _sign(cell: Cell) -> str:
    """A cell in a terminal: its label, the seat's number, the first letter of the colour."""
    if cell.label:
        return cell.label
    colour = cell.colour if cell.colour is not None else cell.ground
    if colour == "plain":
        return "."
    return str(colour)[:1] if isinstance(colour, str) else str(colour)


def _check_colour(colour: object) -> None:
    if type(colour) is int and 0 <= colour <= MAX_SEAT:
        return
    if type(colour) is not str or colour not in TONES:
        raise InvalidBoard(
            f"{describe(colour)} is no colour: give a seat, 0 to {MAX_SEAT}, or one of "
            + ", ".join(TONES)
        )


def _check_labels(labels: Sequence[str], name: str, count: int) -> None:
    if labels and len(labels) != count:
        raise InvalidBoard(f"{name} has {len(labels)} labels; the grid needs {count} or none")
    for label in labels:
        check_text(label, f"a label in {name}", MAX_LABEL)


EMPTY = Cell()
"""A cell with nothing in it."""
