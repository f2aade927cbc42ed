"""The set-up: the options, where the seed puts the fish, and the initial position.

Source: rules, "Set-up".
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from polynya_games.errors import InvalidOption, describe
from polynya_games.packeis.board import ALL_CELLS, BIT, CELLS, USUAL, Board, board_from
from polynya_games.packeis.document import rows_from
from polynya_games.packeis.position import MOST_FISH, PENGUINS, Layout
from polynya_games.packeis.refusals import REFUSALS
from polynya_games.packeis.rules import PackeisState
from polynya_games.randomness import SplitMix64
from polynya_games.refusals import refusal

_HALF: Final = (
    (0, 1, 2, 3, 7, 8, 9, 10, 15, 16, 17, 22, 23, 24, 25),
    (4, 5, 6, 11, 12, 13, 14, 18, 19, 20, 21, 26, 27, 28, 29),
)
"""The cells of the north-western and of the north-eastern quarter of the usual board."""

QUARTERS: Final = (*_HALF, *[tuple([cell + 30 for cell in quarter]) for quarter in _HALF])
"""The cells of the four quarters (rules, "Set-up", ``layout``)."""

FLOES: Final = {1: 30, 2: 20, 3: 10}
"""Fish on a floe: the number of such floes."""

LAYOUTS = ("random", "even")
"""The values of the option ``layout``."""


def initial_state(players: int, seed: int, options: Mapping[str, Any]) -> PackeisState:
    """The position before the first penguin is placed.

    Raises:
        InvalidOption: an option has no such value, or one excludes the other.
    """
    return PackeisState(
        layout=layout_of(players, seed, options),
        free=ALL_CELLS,
        penguins=(0,) * players,
        catches=(0,) * players,
        out=(False,) * players,
        forfeited=(),
        phase="placement",
        to_move=0,
        clears=False,
    )


def layout_of(players: int, seed: int, options: Mapping[str, Any]) -> Layout:
    """The board and its fish.

    Raises:
        InvalidOption: an option has no such value, or one excludes the other.
    """
    chosen = options.get("layout", LAYOUTS[0])
    if type(chosen) is not str or chosen not in LAYOUTS:
        raise _invalid("unknown_layout", choices=", ".join(LAYOUTS), value=describe(chosen))
    if chosen == "even":
        for other in ("rows", "fish"):
            if other in options:
                raise _invalid("even_layout_excludes", option=other)
        return even_layout(seed)
    rows = rows_from(options["rows"]) if "rows" in options else None
    if "fish" in options:
        return Layout(_fish_from(options["fish"], players), rows)
    if rows is None:
        return usual_layout(seed)
    return Layout(random_fish(seed, board_from(rows)), rows)


def _fish_from(value: object, players: int) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)):
        raise _invalid("fish_no_list", count=CELLS, most=MOST_FISH, value=describe(value))
    if len(value) != CELLS:
        raise _invalid("fish_wrong_length", count=len(value), floes=CELLS)
    for cell, number in enumerate(value):
        if type(number) is not int or not 1 <= number <= MOST_FISH:
            raise _invalid("fish_wrong_number", cell=cell, most=MOST_FISH, value=describe(number))
    penguins = PENGUINS[players] * players
    if (ones := value.count(1)) < penguins:
        raise _invalid("fish_few_ones", ones=ones, players=players, penguins=penguins)
    return tuple(value)


def _invalid(code: str, **fields: Any) -> InvalidOption:
    return refusal(InvalidOption, REFUSALS, code, **fields)


@lru_cache(maxsize=64)
def usual_layout(seed: int) -> Layout:
    """The usual board with the fish that a seed puts there.

    Some are remembered: all matches of a block have the same seed.
    """
    return Layout(random_fish(seed, USUAL))


@lru_cache(maxsize=64)
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
