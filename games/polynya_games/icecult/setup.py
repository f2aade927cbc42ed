"""The set-up: which block stands where, and in which orientation."""

from __future__ import annotations

from collections.abc import Callable

from polynya_games.icecult.blocks import ORIENTATIONS, standing
from polynya_games.randomness import SplitMix64


def _standard(seed: int) -> tuple[int, ...]:
    del seed
    return tuple([standing(position, position) for position in range(4)])


def _shuffled(seed: int) -> tuple[int, ...]:
    blocks = _order(SplitMix64(seed))
    return tuple([standing(block, position) for position, block in enumerate(blocks)])


def _scrambled(seed: int) -> tuple[int, ...]:
    generator = SplitMix64(seed)
    blocks = _order(generator)
    return tuple([block * ORIENTATIONS + generator.below(ORIENTATIONS) for block in blocks])


def _order(generator: SplitMix64) -> list[int]:
    blocks = [0, 1, 2, 3]
    generator.shuffle(blocks)
    return blocks


SETUPS: dict[str, Callable[[int], tuple[int, ...]]] = {
    "shuffled": _shuffled,
    "standard": _standard,
    "scrambled": _scrambled,
}
"""Values of the option ``setup``: seed to the cube at each position (rules, "Blocks")."""
