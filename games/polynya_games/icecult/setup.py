"""The set-up: which block stands where, and in which orientation."""

from __future__ import annotations

from collections.abc import Callable

from polynya_games.icecult.blocks import ORIENTATIONS, USUAL, Cube
from polynya_games.randomness import SplitMix64


def _standard(seed: int) -> tuple[Cube, ...]:
    del seed
    return tuple([USUAL[position][position] for position in range(4)])


def _shuffled(seed: int) -> tuple[Cube, ...]:
    blocks = _order(SplitMix64(seed))
    return tuple([USUAL[block][position] for position, block in enumerate(blocks)])


def _scrambled(seed: int) -> tuple[Cube, ...]:
    generator = SplitMix64(seed)
    blocks = _order(generator)
    return tuple([USUAL[block][generator.below(ORIENTATIONS)] for block in blocks])


def _order(generator: SplitMix64) -> list[int]:
    blocks = [0, 1, 2, 3]
    generator.shuffle(blocks)
    return blocks


SETUPS: dict[str, Callable[[int], tuple[Cube, ...]]] = {
    "shuffled": _shuffled,
    "standard": _standard,
    "scrambled": _scrambled,
}
"""Values of the option ``setup``: seed to the cube at each position (rules, "Blocks")."""
