"""The set-up's randomness: a documented generator, so that a recorded seed means the same for ever.

Python promises the same ``random.random()`` for a seed, but not the same shuffles; a ladder that
runs for years needs both, so the few lines are here: SplitMix64 (Steele, Lea and Flood, "Fast
splittable pseudorandom number generators", 2014) and a Fisher-Yates shuffle with rejection.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from operator import mod
from typing import NamedTuple, TypeVar

_RANGE = 2**64
_MASK = _RANGE - 1
_STEP = 0x9E3779B97F4A7C15
_FIRST_FACTOR = 0xBF58476D1CE4E5B9
_SECOND_FACTOR = 0x94D049BB133111EB
_LANE = 128
T = TypeVar("T")


class SplitMix64:
    """A stream of 64-bit numbers that a 64-bit seed determines."""

    def __init__(self, seed: int) -> None:
        self._state = seed & _MASK

    def next(self) -> int:
        """The next number, 0 to 2**64 - 1."""
        self._state = mixed = (self._state + _STEP) & _MASK
        mixed = ((mixed ^ (mixed >> 30)) * _FIRST_FACTOR) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * _SECOND_FACTOR) & _MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound: int) -> int:
        """A number from 0 to ``bound - 1``, each equally likely."""
        while (number := self.next()) >= _RANGE - _RANGE % bound:
            pass
        return number % bound

    def below_each(self, bounds: Sequence[int]) -> list[int]:
        """The results of :meth:`below` for some bounds, all at once."""
        numbers = _numbers_after(self._state, len(bounds))
        if max(numbers, default=0) >= _RANGE - max(bounds, default=0):
            return [self.below(bound) for bound in bounds]  # it may refuse one of them
        self._state = (self._state + len(bounds) * _STEP) & _MASK
        return list(map(mod, numbers, bounds))

    def shuffle(self, items: list[T]) -> None:
        """Put ``items`` into a random order, in place."""
        last = len(items)
        for other in self.below_each(range(last, 1, -1)):
            last -= 1
            items[last], items[other] = items[other], items[last]


class _Lanes(NamedTuple):
    """Many 64-bit numbers in one integer, 128 bits apart so that products do not meet.

    Attributes:
        ones: 1 in each lane.
        steps: what is added to the state for each number.
        masks: the 64 bits of each.
        form: the numbers as bytes.
    """

    ones: int
    steps: int
    masks: int
    form: struct.Struct


@lru_cache(maxsize=16)
def _lanes(count: int) -> _Lanes:
    ones = sum(1 << lane * _LANE for lane in range(count))
    steps = sum((lane + 1) * _STEP % _RANGE << lane * _LANE for lane in range(count))
    return _Lanes(ones, steps, ones * _MASK, struct.Struct("<" + "Q8x" * count))


def _numbers_after(state: int, count: int) -> tuple[int, ...]:
    """The next ``count`` numbers, all at once: the same arithmetic, with long integers."""
    ones, steps, masks, form = _lanes(count)
    mixed = (ones * state + steps) & masks
    mixed = ((mixed ^ (mixed >> 30 & masks)) * _FIRST_FACTOR) & masks
    mixed = ((mixed ^ (mixed >> 27 & masks)) * _SECOND_FACTOR) & masks
    return form.unpack(((mixed ^ mixed >> 31) & masks).to_bytes(form.size, "little"))
