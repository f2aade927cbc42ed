"""Stacks of muglus and reserves as numbers, and all stacks of a board packed into one integer.

A stack is a tuple of muglus ``(colour, kind)``, bottom to top; its *code* is a number below 128.
A reserve is globes + 4 discs + 16 tori, three of each at most. All tables are indexed by these
numbers, so that a step is a few look-ups and exclusive ors.

The packed integer holds, from the lowest bit up, one layer of 127 bits (one per cell, no board has
more) for each question that the rules ask of all cells at once, then the code of each cell's stack:

- layers 0 to 3: the cell holds a muglu of that colour;
- layers 4 to 7: that colour controls the cell;
- layers 8 to 11: the stack has the shape G, D, T or TD, on which something may land;
- layer 12: the cell is occupied;
- above them 7 bits per cell: the stack's code.

Source: rules, "Muglus and towers".
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from polynya_games.arktia.board import KINDS, Board
from polynya_games.cells import cells_of

COLOURS = 4
"""The most colours in play: four players, or fewer and the neutral one."""
SHAPES = ("", "G", "D", "T", "DG", "TD", "GT", "TDG")

Muglu = tuple[int, str]
Stack = tuple[Muglu, ...]


def shape(stack: Stack) -> str:
    """The kinds of a stack, bottom to top."""
    return "".join(kind for _, kind in stack)


STACKS: tuple[Stack, ...] = tuple(
    tuple(zip(colours, kinds, strict=True))
    for kinds in SHAPES
    for colours in itertools.product(range(COLOURS), repeat=len(kinds))
)
"""Each stack by its code; code 0 is the empty one."""
CODES: dict[Stack, int] = {stack: code for code, stack in enumerate(STACKS)}
SINGLE: tuple[dict[str, int], ...] = tuple(
    {kind: CODES[((colour, kind),)] for kind in KINDS} for colour in range(COLOURS)
)
"""The code of a muglu that stands alone, by colour and kind."""


def _settled(muglus: Stack) -> Stack:
    """The rest of a stack, with a globe on a torus fallen into it."""
    return tuple(reversed(muglus)) if shape(muglus) == "TG" else muglus


def _heights(stack: Stack) -> range:
    return range(len(stack) + 1)


def _carried(stack: Stack, count: int) -> tuple[int, ...]:
    """The colours other than the controlling one among the top ``count`` muglus."""
    lifted = stack[len(stack) - count :]
    return tuple(sorted({colour for colour, _ in lifted} - {stack[-1][0]} if lifted else ()))


LIFTED: tuple[tuple[int, ...], ...] = tuple(
    tuple(CODES[stack[len(stack) - count :]] for count in _heights(stack)) for stack in STACKS
)
"""By code and count: the code of the top ``count`` muglus."""
LEFT: tuple[tuple[int, ...], ...] = tuple(
    tuple(CODES[stack[: len(stack) - count]] for count in _heights(stack)) for stack in STACKS
)
"""By code and count: the code of the rest when the top ``count`` muglus are lifted."""
CARRIED: tuple[tuple[tuple[int, ...], ...], ...] = tuple(
    tuple(_carried(stack, count) for count in _heights(stack)) for stack in STACKS
)
"""By code and count: the other colours that are lifted, ascending; only these can be split."""
MERGED: tuple[bytes, ...] = tuple(
    bytes(CODES.get(below + above, 0) for above in STACKS) for below in STACKS
)
"""By code below and code above: the code of both together, 0 where that may not exist."""
OWNER: tuple[int, ...] = tuple(stack[-1][0] if stack else -1 for stack in STACKS)
"""The colour that controls the stack, -1 for the empty one."""
COUNT: tuple[tuple[int, ...], ...] = tuple(
    tuple(sum(muglu[0] == colour for muglu in stack) for stack in STACKS)
    for colour in range(COLOURS)
)
"""By colour and code: how many muglus of the colour are in the stack."""
WITHOUT: tuple[tuple[int, ...], ...] = tuple(
    tuple(CODES[_settled(tuple(m for m in stack if m[0] != colour))] for stack in STACKS)
    for colour in range(COLOURS)
)
"""By colour and code: the code of the stack when the colour's muglus are taken."""

LANDING = {"G": 0, "D": 1, "DG": 1, "T": 2}
"""By the shape that is lifted: which kind of landing it needs; others land on empty tiles (3)."""
LIFTS: tuple[tuple[tuple[int, int, bool], ...], ...] = tuple(
    tuple(
        (
            count,
            LANDING.get(shape(stack[len(stack) - count :]), 3),
            OWNER[code] in {colour for colour, _ in stack[: len(stack) - count]},
        )
        for count in range(1, len(stack) + 1)
    )
    for code, stack in enumerate(STACKS)
)
"""By code: each count that can be lifted, its landing, and whether the controlling colour stays."""

UNIT = {"G": 1, "D": 4, "T": 16}
FULL = 3 * sum(UNIT.values())
NEUTRAL_FULL = sum(UNIT.values())
COUNTS: tuple[tuple[int, int, int], ...] = tuple(
    (code & 3, code >> 2 & 3, code >> 4) for code in range(FULL + 1)
)
"""By reserve: how many globes, discs and tori."""
SIZE: tuple[int, ...] = tuple(sum(counts) for counts in COUNTS)
"""By reserve: how many muglus."""
HELD: tuple[tuple[str, ...], ...] = tuple(
    tuple(sorted(kind for kind, count in zip(KINDS, counts, strict=True) if count))
    for counts in COUNTS
)
"""By reserve: the kinds in it, in the order of legal steps."""


def reserve_of(counts: tuple[int, ...]) -> int:
    """The number of a reserve of these globes, discs and tori."""
    return sum(count * UNIT[kind] for kind, count in zip(KINDS, counts, strict=True))


def taken_from(reserves: tuple[int, ...], seat: int, kind: str) -> tuple[int, ...]:
    """The reserves of all seats when one has placed a muglu of ``kind``."""
    return (*reserves[:seat], reserves[seat] - UNIT[kind], *reserves[seat + 1 :])


def added(counts: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    """The counts of all seats when one has ``number`` more."""
    return (*counts[:seat], counts[seat] + number, *counts[seat + 1 :])


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
