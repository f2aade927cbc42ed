"""Pawns: the paths they stand on, what an advance makes of a path, and counts of pawns.

A path is a string: the stacks of the fields 1 to 5, each the colours from bottom to top, with
``/`` between them, so ``"2/31///"`` is a pawn of colour 2 on field 1 and one of colour 1 on top of
one of colour 3 on field 2. The results are kept for later: in a search the same few paths
come again and again.

Four small counts are packed into one integer, cheap to change, to compare and to hash: the count of
``i`` (a colour or a position, 0 to 3) lies in bits ``4 * i`` to ``4 * i + 3``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from polynya_games.icecult.rules_config import FIELDS, PAWNS

EMPTY = "/" * (FIELDS - 1)

_KEPT = 1 << 15

ONE = (0x1, 0x10, 0x100, 0x1000)
"""Per index the packed counts that are 1 there and 0 elsewhere: add it to count one more."""

BITS = (0xF, 0xF0, 0xF00, 0xF000)
"""Per index the bits of its count: not 0 in ``packed & BITS[i]`` means a count of at least 1."""


class Advanced(NamedTuple):
    """The effect of an advance.

    Attributes:
        path: the path afterwards.
        reached: how many pawns of each colour reach the goal, packed.
        towers: the bits ``1 << colour`` of the colours whose five pawns stand in the stack that
            the advance has changed.
    """

    path: str
    reached: int
    towers: int


def pawns(path: str, colour: int) -> list[tuple[int, int]]:
    """Field (1 to 5) and index (0 = lowest) of each pawn of a colour, in ascending order."""
    wanted = "0123"[colour]
    if wanted not in path:
        return []
    return [
        (field, index)
        for field, stack in enumerate(path.split("/"), 1)
        if wanted in stack
        for index, pawn in enumerate(stack)
        if pawn == wanted
    ]


@lru_cache(_KEPT)
def advanced(path: str, colour: int, field: int, index: int) -> Advanced:
    """The advance of a pawn of ``colour`` that stands there, or comes from the start (field 0)."""
    stacks = path.split("/")
    moving = "0123"[colour]
    if field:
        stack = stacks[field - 1]
        stacks[field - 1], moving = stack[:index], stack[index:]
    if field == FIELDS:
        return Advanced("/".join(stacks), sum(ONE[int(pawn)] for pawn in moving), 0)
    stacks[field] += moving
    return Advanced("/".join(stacks), 0, towers(stacks[field]))


def towers(stack: str) -> int:
    """The bits ``1 << colour`` of the colours all of whose pawns stand in ``stack``."""
    if len(stack) < PAWNS:
        return 0
    return sum(1 << colour for colour in range(4) if stack.count(str(colour)) == PAWNS)


def pack(counts: Iterable[int]) -> int:
    """Four counts of 0 to 15 as one integer."""
    return sum(count * one for count, one in zip(counts, ONE, strict=True))


def unpack(packed: int) -> list[int]:
    """The four counts in ``packed``."""
    return [packed >> shift & 15 for shift in (0, 4, 8, 12)]
