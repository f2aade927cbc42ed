"""Muglus: the stacks that may exist (rules, "Muglus and towers") and the reserves, as numbers.

A stack is a tuple of muglus ``(colour, kind)``, bottom to top; its *code* is a number below 128.
A reserve is globes + 4 discs + 16 tori, three of each at most. All tables are indexed by these
numbers, so that a step is a few look-ups.
"""

from __future__ import annotations

import itertools

KINDS = "GDT"
"""Globe, disc, torus: the order of a reserve."""
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
