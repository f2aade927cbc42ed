"""The types of boards in the API, for games without a module of their own on the pages."""

from __future__ import annotations

import msgspec


class CellKind(msgspec.Struct, frozen=True, omit_defaults=True):
    """A look of cells.

    Attributes:
        colour: of the piece: a seat, or the name of a tone; null for no piece.
        shape: of the piece.
        label: what stands in the middle.
        ground: the colour of the cell behind the piece, as ``colour``.
        joins: the sides to which the piece reaches, of the letters ``NESW``.
    """

    colour: int | str | None = None
    shape: str = "fill"
    label: str = ""
    ground: int | str = "plain"
    joins: str = ""


class GridView(msgspec.Struct, frozen=True, tag_field="kind", tag="grid"):
    """A board as a grid of square cells.

    Attributes:
        cells: the rows from top to bottom; each cell is an index into ``kinds``.
        kinds: the looks of cells that occur.
        row_labels, column_labels: empty without labels.
        title: what it shows, in a sentence; may be empty.
    """

    cells: list[list[int]]
    kinds: list[CellKind]
    row_labels: list[str]
    column_labels: list[str]
    title: str


class DrawingView(msgspec.Struct, frozen=True, tag_field="kind", tag="drawing"):
    """A board as a drawing.

    Attributes:
        svg: an element ``svg`` of shapes and text, without references, scripts and styles.
        title: what it shows, in a sentence; may be empty.
    """

    svg: str
    title: str


BoardView = GridView | DrawingView
