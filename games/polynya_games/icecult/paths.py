"""A path and the pawns on it: who can advance there, and what an advance makes of it.

A path is a string: the stacks of the fields 1 to 5, each the colours from bottom to top, with
``/`` between them, so ``"2/31///"`` is a pawn of colour 2 on field 1 and one of colour 1 on top of
one of colour 3 on field 2. What is computed here is kept for later: in a search the same few paths
come again and again.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from polynya_games.icecult.counts import ONE

FIELDS = 5
PAWNS = 5
"""Of each colour."""

EMPTY = "/" * (FIELDS - 1)

_KEPT = 1 << 15


class Advanced(NamedTuple):
    """What an advance does.

    Attributes:
        path: the path afterwards.
        reached: how many pawns of each colour reach the goal, packed as in ``counts``.
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
