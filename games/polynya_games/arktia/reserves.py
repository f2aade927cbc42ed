"""A reserve as one small number: globes + 4 discs + 16 tori, three of each at most."""

from __future__ import annotations

from polynya_games.arktia.stacks import KINDS

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
    """The number of a reserve of so many globes, discs and tori."""
    return sum(count * UNIT[kind] for kind, count in zip(KINDS, counts, strict=True))


def taken_from(reserves: tuple[int, ...], seat: int, kind: str) -> tuple[int, ...]:
    """The reserves of all seats when one has placed a muglu of ``kind``."""
    return (*reserves[:seat], reserves[seat] - UNIT[kind], *reserves[seat + 1 :])


def added(counts: tuple[int, ...], seat: int, number: int) -> tuple[int, ...]:
    """The counts of all seats when one has ``number`` more."""
    return (*counts[:seat], counts[seat] + number, *counts[seat + 1 :])
