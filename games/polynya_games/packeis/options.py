"""The set-up options: which board, and which fish lie on it.

Source: rules, "Set-up".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.errors import InvalidOption
from polynya_games.packeis.bits import CELLS
from polynya_games.packeis.board import board_from, rows_from
from polynya_games.packeis.layout import MOST_FISH, Layout
from polynya_games.packeis.setup import PENGUINS, even_layout, random_fish, usual_layout
from polynya_games.turns import describe

LAYOUTS = ("random", "even")


def layout_of(players: int, seed: int, options: Mapping[str, Any]) -> Layout:
    """The board and its fish.

    Raises:
        InvalidOption: an option has no such value, or one excludes the other.
    """
    chosen = options.get("layout", LAYOUTS[0])
    if type(chosen) is not str or chosen not in LAYOUTS:
        raise InvalidOption(f"layout is one of {', '.join(LAYOUTS)}, not {describe(chosen)}")
    if chosen == "even":
        for other in ("rows", "fish"):
            if other in options:
                raise InvalidOption(f'{other} and layout "even" exclude each other: give one')
        return even_layout(seed)
    rows = rows_from(options["rows"]) if "rows" in options else None
    if "fish" in options:
        return Layout(_fish_from(options["fish"], players), rows)
    if rows is None:
        return usual_layout(seed)
    return Layout(random_fish(seed, board_from(rows)), rows)


def _fish_from(value: object, players: int) -> tuple[int, ...]:
    if not isinstance(value, (list, tuple)):
        raise InvalidOption(
            f"fish is a list of {CELLS} numbers from 1 to {MOST_FISH}, not {describe(value)}"
        )
    if len(value) != CELLS:
        raise InvalidOption(f"fish has {len(value)} numbers, one a floe; there are {CELLS} floes")
    for cell, number in enumerate(value):
        if type(number) is not int or not 1 <= number <= MOST_FISH:
            raise InvalidOption(
                f"fish[{cell}] is an integer from 1 to {MOST_FISH}, not {describe(number)}"
            )
    penguins = PENGUINS[players] * players
    if (ones := value.count(1)) < penguins:
        raise InvalidOption(
            f"fish has {ones} floes with one fish; with {players} players there are {penguins} "
            "penguins, and each needs one"
        )
    return tuple(value)
