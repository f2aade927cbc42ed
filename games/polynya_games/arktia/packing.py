"""All stacks of a board packed into one integer, so that a step is a few exclusive ors.

The integer holds, from the lowest bit up, one layer of 127 bits (one per cell, no board has more)
for each question that the rules ask of all cells at once, then the code of each cell's stack:

- layers 0 to 3: the cell holds a muglu of that colour;
- layers 4 to 7: that colour controls the cell;
- layers 8 to 11: the stack has the shape G, D, T or TD, on which something may land;
- layer 12: the cell is occupied;
- above them 7 bits per cell: the stack's code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polynya_games.arktia.stacks import CODES, COLOURS, COUNT, OWNER, STACKS, WITHOUT, Stack, shape

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


def cells_of(mask: int) -> Iterator[int]:
    """The cells of a mask, ascending."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


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
