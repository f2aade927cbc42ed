"""Boards: fields as numbers, their neighbours, and where snakes and food begin.

A field ``[x, y]`` is the number ``(x + 1) * (size + 2) + y + 1``: so the fields are in the order of
their coordinates, a step adds the same number everywhere, and the fields beyond the edge have
numbers of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

import msgspec

LEAST_SIZE: Final = 7
MOST_SIZE: Final = 25
DIRECTIONS: Final = ("down", "left", "right", "up")


class Board(msgspec.Struct, frozen=True):
    """A board of one size.

    Attributes:
        size: the fields each way.
        fields: all fields, ascending.
        inside: the same, to ask whether a field is on the board.
        deltas: by direction, what a step adds to a field.
    """

    size: int
    fields: tuple[int, ...]
    inside: frozenset[int]
    deltas: dict[str, int]

    def field(self, x: int, y: int) -> int:
        """The number of a field."""
        return (x + 1) * (self.size + 2) + y + 1

    def point(self, field: int) -> list[int]:
        """The coordinates of a field."""
        x, y = divmod(field, self.size + 2)
        return [x - 1, y - 1]

    def points(self, fields: Sequence[int]) -> list[list[int]]:
        """The coordinates of fields."""
        width = self.size + 2
        return [[field // width - 1, field % width - 1] for field in fields]

    def neighbours(self, field: int) -> list[int]:
        """The four fields beside a field, some perhaps beyond the edge."""
        return [field + delta for delta in self.deltas.values()]

    def corners(self) -> list[int]:
        """The four starts in the corners, one field from two edges."""
        ends = (1, self.size - 2)
        return [self.field(x, y) for x in ends for y in ends]

    def sides(self) -> list[int]:
        """The four starts in the middle of the sides, one field from an edge."""
        middle, ends = self.size // 2, (1, self.size - 2)
        ways = [(end, middle) for end in ends] + [(middle, end) for end in ends]
        return sorted(self.field(x, y) for x, y in ways)

    @property
    def middle(self) -> int:
        """The field in the middle."""
        return self.field(self.size // 2, self.size // 2)

    def first_food(self, start: int) -> list[int]:
        """The fields diagonal to a start, further from the middle than it, in no corner."""
        x, y = self.point(start)
        middle, last = self.size // 2, self.size - 1
        found = []
        for other_x in (x - 1, x + 1):
            for other_y in (y - 1, y + 1):
                further = _is_further(x, other_x, middle) or _is_further(y, other_y, middle)
                if further and not {other_x, other_y} <= {0, last}:
                    found.append(self.field(other_x, other_y))
        return found


def _is_further(start: int, other: int, middle: int) -> bool:
    """Whether ``other`` is further from the middle than ``start``, strictly on the same side."""
    return other < start < middle or middle < start < other


@lru_cache(maxsize=MOST_SIZE)
def board_of(size: int) -> Board:
    """The board of a size."""
    width = size + 2
    columns = range(1, size + 1)
    fields = tuple([x * width + y for x in columns for y in columns])
    deltas = dict(zip(DIRECTIONS, (-1, -width, width, 1), strict=True))
    return Board(size, fields, frozenset(fields), deltas)
