"""The set-up's randomness: a documented generator, so that a recorded seed means the same for ever.

Python promises the same ``random.random()`` for a seed, but not the same shuffles; a ladder that
runs for years needs both, so the few lines are here: SplitMix64 (Steele, Lea and Flood, "Fast
splittable pseudorandom number generators", 2014) and a Fisher-Yates shuffle with rejection.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import TypeVar

_RANGE = 2**64
_MASK = _RANGE - 1
T = TypeVar("T")


class SplitMix64:
    """A stream of 64-bit numbers that a 64-bit seed determines."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """The next number, 0 to 2**64 - 1."""
        self._state = mixed = (self._state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``, each equally likely."""
        while (number := self.next()) >= _RANGE - _RANGE % bound:
            pass
        return number % bound

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Put ``items`` into a random order, in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]
