"""Removal: what a move cuts off from the largest group of its colour is taken."""

from __future__ import annotations

from collections.abc import Iterable

from polynya_games.arktia.board import Board
from polynya_games.arktia.packing import ALL, CELLS, muglus, without


def is_split(board: Board, packed: int, colour: int) -> bool:
    """Whether a colour has more than one group."""
    return len(board.groups(packed >> CELLS * colour & ALL)) > 1


def split_colour(board: Board, packed: int, colours: Iterable[int]) -> int:
    """The first of ``colours`` that has more than one group; one of them must."""
    return next(colour for colour in colours if is_split(board, packed, colour))


def choices(board: Board, packed: int, colour: int) -> list[int]:
    """The groups of a colour that have the most muglus, by lowest cell: one of them stays."""
    groups = board.groups(packed >> CELLS * colour & ALL)
    sizes = [muglus(packed, colour, group) for group in groups]
    return [group for group, size in zip(groups, sizes, strict=True) if size == max(sizes)]


def keep(packed: int, colour: int, group: int) -> tuple[int, int]:
    """The packed integer and the number of muglus taken when only ``group`` of a colour stays."""
    lost = packed >> CELLS * colour & ALL & ~group
    return without(packed, colour, lost), muglus(packed, colour, lost)


def settle(board: Board, packed: int, colours: Iterable[int]) -> tuple[int, int, bool]:
    """Deal with the colours one after another until one needs a choice.

    Args:
        board: the board.
        packed: the stacks after a move.
        colours: the colours to deal with, ascending, without the mover's.

    Returns:
        The packed integer, the number of muglus taken, and whether a choice is owed.
    """
    taken = 0
    for colour in colours:
        if is_split(board, packed, colour):
            largest = choices(board, packed, colour)
            if len(largest) > 1:
                return packed, taken, True
            packed, lost = keep(packed, colour, largest[0])
            taken += lost
    return packed, taken, False
