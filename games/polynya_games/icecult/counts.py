"""Four small counts in one integer, four bits each: cheap to change, to compare and to hash.

The count of ``i`` (a colour or a position, 0 to 3) lies in bits ``4 * i`` to ``4 * i + 3``.
"""

from __future__ import annotations

from collections.abc import Iterable

ONE = (0x1, 0x10, 0x100, 0x1000)
"""Per index the packed counts that are 1 there and 0 elsewhere: add it to count one more."""

BITS = (0xF, 0xF0, 0xF00, 0xF000)
"""Per index the bits of its count: not 0 in ``packed & BITS[i]`` means a count of at least 1."""


def pack(counts: Iterable[int]) -> int:
    """Four counts of 0 to 15 as one integer."""
    return sum(count * one for count, one in zip(counts, ONE, strict=True))


def unpack(packed: int) -> list[int]:
    """The four counts in ``packed``."""
    return [packed >> shift & 15 for shift in (0, 4, 8, 12)]
