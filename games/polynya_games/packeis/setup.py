"""The set-up: where the seed puts the fish, and how many penguins each player has."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from polynya_games.packeis.board import BIT, has_group_of_three
from polynya_games.randomness import SplitMix64

FLOES: Final = {1: 30, 2: 20, 3: 10}
"""Fish on a floe: the number of such floes."""

PENGUINS: Final = {2: 4, 3: 3, 4: 2}
"""Players: the penguins of each."""


@lru_cache(maxsize=1024)
def fish_layout(seed: int) -> tuple[int, ...]:
    """The fish on each of the 60 floes; every layout that the rules allow is equally likely.

    Some are remembered: all matches of a block have the same seed.
    """
    generator = SplitMix64(seed)
    fish = [number for number, floes in FLOES.items() for _ in range(floes)]
    while True:
        generator.shuffle(fish)
        threes = [bit for bit, number in zip(BIT, fish, strict=True) if number == 3]
        if not has_group_of_three(sum(threes)):
            return tuple(fish)
