"""Keyset paging: a page is found by the row at which the last one ended, not by counting."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, NamedTuple, TypeVar

Row = TypeVar("Row")


class Cut(NamedTuple, Generic[Row]):
    """The rows of a page, and the places of its neighbours.

    Attributes:
        rows: at most the size of a page, in the order of the list.
        first: the first row, if there is a page before it; else None.
        last: the last row, if there is a page after it; else None.
    """

    rows: list[Row]
    first: Row | None
    last: Row | None


def cut(read: Sequence[Row], size: int, *, place: object, backwards: bool) -> Cut[Row]:
    """A page of the rows that were read from a place on, one more than the page holds.

    Args:
        read: at most ``size + 1`` rows; with ``backwards`` the last of the page first.
        size: how many rows a page has at the most.
        place: the place at which the reading began; None at the beginning of the list.
        backwards: whether the page ends before the place, instead of beginning after it.
    """
    rows, more = list(read[:size]), len(read) > size
    if backwards:
        rows.reverse()
    has_before, has_after = (more, True) if backwards else (place is not None, more)
    return Cut(
        rows,
        rows[0] if rows and has_before else None,
        rows[-1] if rows and has_after else None,
    )
