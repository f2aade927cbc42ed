"""The set-up: where the seed puts the fish, and how many penguins each player has."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from polynya_games.packeis.bits import BIT
from polynya_games.packeis.board import USUAL, Board
from polynya_games.packeis.layout import Layout
from polynya_games.randomness import SplitMix64

FLOES: Final = {1: 30, 2: 20, 3: 10}
"""Fish on a floe: the number of such floes."""

PENGUINS: Final = {2: 4, 3: 3, 4: 2}
"""Players: the penguins of each."""

_HALF: Final = (
    (0, 1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 22, 23, 24, 25),
    (4, 5, 6, 11, 12, 13, 14, 18, 19, 20, 21, 26, 27, 28, 29),
)
"""The cells of the north-western and of the north-eastern quarter of the usual board."""

QUARTERS: Final = (*_HALF, *[tuple([cell + 30 for cell in quarter]) for quarter in _HALF])
"""The cells of the four quarters (rules, "Set-up", ``layout``)."""


@lru_cache(maxsize=1024)
def usual_layout(seed: int) -> Layout:
    """The usual board with the fish that a seed puts there.

    Some are remembered: all matches of a block have the same seed.
    """
    return Layout(random_fish(seed, USUAL))


@lru_cache(maxsize=1024)
def even_layout(seed: int) -> Layout:
    """The usual board with fish that are evenly distributed over its quarters."""
    return Layout(even_fish(seed))


def random_fish(seed: int, board: Board) -> tuple[int, ...]:
    """The fish on each floe; every distribution that the rules allow is equally likely."""
    generator = SplitMix64(seed)
    fish = [number for number, floes in FLOES.items() for _ in range(floes)]
    while True:
        generator.shuffle(fish)
        if _is_allowed(fish, board):
            return tuple(fish)


def even_fish(seed: int) -> tuple[int, ...]:
    """The same, with five twos and two or three threes in each quarter, equally likely again."""
    generator = SplitMix64(seed)
    fish = [0] * len(BIT)
    threes = [2, 2, 3, 3]
    while True:
        generator.shuffle(threes)
        for cells, number in zip(QUARTERS, threes, strict=True):
            there = [1] * (len(cells) - 5 - number) + [2] * 5 + [3] * number
            generator.shuffle(there)
            for cell, carried in zip(cells, there, strict=True):
                fish[cell] = carried
        if _is_allowed(fish, USUAL):
            return tuple(fish)


def _is_allowed(fish: list[int], board: Board) -> bool:
    threes = [bit for bit, number in zip(BIT, fish, strict=True) if number == 3]
    return not board.has_group_of_three(sum(threes))
