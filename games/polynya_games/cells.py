"""Cells of boards: sets of them as integers, and hexagonal tiles in rows.

In a set of cells bit ``c`` stands for cell ``c``.

A row is ``[length, indent]`` or a list of such segments from west to east; indents are half tiles.
Source: rules, Arktia, "Geometry", which Packeis's option ``rows`` follows too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from polynya_games.errors import InvalidOption, describe
from polynya_games.refusals import COMMON, refusal

MOST_INDENT: Final = 1_000
"""The greatest indent, in half tiles."""

Segment = tuple[int, int]
"""Length in tiles and indent in half tiles."""

Row = Segment | tuple[Segment, ...]
"""A row in the form in which it was given."""

Rows = tuple[Row, ...]

Centre = tuple[int, int]
"""The row, from 0 in the north, and the x of a tile's centre in half tiles."""

WAYS: Final = ((-1, -1), (-1, 1), (0, -2), (0, 2), (1, -1), (1, 1))
"""NW, NE, W, E, SW, SE: how many rows down and how many half tiles east."""


def bitset(cells: Iterable[int]) -> int:
    """The integer that stands for some cells."""
    bits = 0
    for cell in cells:
        bits |= 1 << cell
    return bits


def cells_of(bits: int) -> Iterator[int]:
    """The cells that an integer stands for, in ascending order."""
    while bits:
        lowest = bits & -bits
        yield lowest.bit_length() - 1
        bits ^= lowest


def read_rows(value: object, most: int) -> Rows:
    """The rows of a board, in the form in which they were given.

    Args:
        value: any value, as a host or a peer sent it.
        most: the most tiles that a board may have.

    Raises:
        InvalidOption: it is no such list, or has more tiles; whether the tiles hang together is not
            looked at.
    """
    if not isinstance(value, (list, tuple)) or not value:
        raise _invalid("rows_no_list", value=describe(value))
    if len(value) > most:
        raise _invalid("many_rows", count=len(value), most=most)
    rows = tuple(_read_row(row, f"rows[{number}]", most) for number, row in enumerate(value))
    tiles = sum(length for row in rows for length, _ in segments(row))
    if tiles > most:
        raise _invalid("many_tiles", count=tiles, most=most)
    return rows


def _read_row(row: object, path: str, most: int) -> Row:
    if not isinstance(row, (list, tuple)) or not row or not isinstance(row[0], (list, tuple)):
        return _read_segment(row, path, most)
    if len(row) > most:
        raise _invalid("many_segments", key=path, count=len(row), most=most)
    read = tuple(_read_segment(part, f"{path}[{index}]", most) for index, part in enumerate(row))
    free = 0
    for index, (length, indent) in enumerate(read):
        if indent < free:
            raise _invalid("segments_overlap", key=f"{path}[{index}]", indent=indent, least=free)
        free = indent + 2 * length
    return read


def _read_segment(value: object, path: str, most: int) -> Segment:
    if isinstance(value, (list, tuple)) and len(value) == 2:
        length, indent = value
        fits = type(length) is int and type(indent) is int
        if fits and 1 <= length <= most and 0 <= indent <= MOST_INDENT:
            return length, indent
    raise _invalid(
        "wrong_segment", key=path, most=most, most_indent=MOST_INDENT, value=describe(value)
    )


def _invalid(code: str, **fields: Any) -> InvalidOption:
    return refusal(InvalidOption, COMMON, code, **fields)


def segments(row: Row) -> tuple[Segment, ...]:
    """The segments of a row of either form."""
    return row if isinstance(row[0], tuple) else (row,)


def centres(rows: Rows) -> tuple[Centre, ...]:
    """The centre of each cell: numbered along the rows, west to east, north to south."""
    return tuple(
        (number, indent + 2 * position)
        for number, row in enumerate(rows)
        for length, indent in segments(row)
        for position in range(length)
    )


def is_connected(cells: Sequence[Centre]) -> bool:
    """Whether every tile can be reached from every other over neighbours."""
    left = set(cells)
    waiting = [left.pop()]
    while waiting:
        row, x = waiting.pop()
        around = {(row + down, x + east) for down, east in WAYS} & left
        left -= around
        waiting += around
    return not left


def has_gaps(rows: Rows) -> bool:
    """Whether some row has more than one segment."""
    return any(len(segments(row)) > 1 for row in rows)


def written(rows: Rows) -> list[Any]:
    """The rows as JSON, in the form in which they were given."""
    return [[list(part) if isinstance(part, tuple) else part for part in row] for row in rows]
