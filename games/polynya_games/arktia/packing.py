"""All stacks of a board packed into one integer, and what is taken out of it again.

With it a step is a few exclusive ors. The integer holds, from the lowest bit up, one layer of 127
bits (one per cell, no board has more) for each question that the rules ask of all cells at once,
then the code of each cell's stack:

- layers 0 to 3: the cell holds a muglu of that colour;
- layers 4 to 7: that colour controls the cell;
- layers 8 to 11: the stack has the shape G, D, T or TD, on which something may land;
- layer 12: the cell is occupied;
- above them 7 bits per cell: the stack's code.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from polynya_games.arktia.board import Board
from polynya_games.arktia.muglus import CODES, COLOURS, COUNT, OWNER, STACKS, WITHOUT, Stack, shape
from polynya_games.bitsets import cells_of

CELLS = 127
"""The most tiles that a board can have."""
ALL = (1 << CELLS) - 1
CONTROL = CELLS * COLOURS
GLOBES, DISCS, TORI, TORI_WITH_DISC = (CELLS * layer for layer in range(8, 12))
OCCUPIED = CELLS * 12
_CODES = CELLS * 13
_CODE_BITS = 7
CODE_AT: tuple[int, ...] = tuple(_CODES + _CODE_BITS * cell for cell in range(CELLS))
"""By cell: how far to shift right for its code, to be masked with ``CODE``."""
CODE = (1 << _CODE_BITS) - 1
_LANDING_LAYERS = {"G": GLOBES, "D": DISCS, "T": TORI, "TD": TORI_WITH_DISC}


def _layers(code: int) -> int:
    """The bits of a stack on cell 0, without its code."""
    stack = STACKS[code]
    if not stack:
        return 0
    bits = {CELLS * colour for colour, _ in stack}
    bits |= {CONTROL + CELLS * OWNER[code], OCCUPIED}
    if shape(stack) in _LANDING_LAYERS:
        bits.add(_LANDING_LAYERS[shape(stack)])
    return sum(1 << bit for bit in bits)


_LAYERS = tuple(_layers(code) for code in range(len(STACKS)))
PUT: tuple[tuple[int, ...], ...] = tuple(
    tuple((layers << cell) | (code << shift) for code, layers in enumerate(_LAYERS))
    for cell, shift in enumerate(CODE_AT)
)
"""By cell and code: the bits of that stack on that cell; exclusive or puts it there or lifts it."""


def pack(stacks: Sequence[Stack]) -> int:
    """The packed integer of one stack per cell."""
    return sum(PUT[cell][CODES[stack]] for cell, stack in enumerate(stacks))


def code_at(packed: int, cell: int) -> int:
    """The code of the stack on a cell."""
    return packed >> CODE_AT[cell] & CODE


def stack_at(packed: int, cell: int) -> Stack:
    """The stack on a cell."""
    return STACKS[packed >> CODE_AT[cell] & CODE]


def muglus(packed: int, colour: int, mask: int = ALL) -> int:
    """How many muglus of a colour stand on the cells of ``mask``."""
    held = packed >> CELLS * colour & mask
    return sum(COUNT[colour][code_at(packed, cell)] for cell in cells_of(held))


def without(packed: int, colour: int, mask: int) -> int:
    """The packed integer when the muglus of a colour on the cells of ``mask`` are taken.

    Globes fall into the tori that they come to lie on.
    """
    for cell in cells_of(mask):
        code = code_at(packed, cell)
        packed ^= PUT[cell][code] ^ PUT[cell][WITHOUT[colour][code]]
    return packed


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
