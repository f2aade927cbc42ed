"""The set-up: the options, which block stands where and how, and the initial position."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from polynya_games.errors import InvalidOption, InvalidState, describe
from polynya_games.icecult.board import (
    COLOURS,
    EMPTY,
    MOST_TURNS,
    ORIENTATIONS,
    PAWNS,
    TURN_LIMIT,
    USUAL,
    Cube,
    pack,
)
from polynya_games.icecult.document import read_blocks
from polynya_games.icecult.position import Turn
from polynya_games.icecult.refusals import REFUSALS
from polynya_games.icecult.rules import IceCultState
from polynya_games.randomness import SplitMix64
from polynya_games.refusals import refusal


def initial_state(players: int, seed: int, options: Mapping[str, Any]) -> IceCultState:
    """The position before the first tip.

    Raises:
        InvalidOption: an option has no such value, or one excludes the other.
    """
    return IceCultState(
        turn=Turn(players, _turn_limit(options.get("turn_limit", TURN_LIMIT))),
        cubes=_cubes(seed, options),
        paths=(EMPTY,) * COLOURS,
        start=pack((PAWNS,) * COLOURS),
        goal=0,
    )


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


def _cubes(seed: int, options: Mapping[str, Any]) -> tuple[Cube, ...]:
    """The cubes at the four positions at the beginning."""
    if "blocks" not in options:
        arrangement = options.get("setup", "shuffled")
        if type(arrangement) is not str or arrangement not in SETUPS:
            choices = ", ".join(SETUPS)
            raise _invalid("unknown_setup", choices=choices, value=describe(arrangement))
        return SETUPS[arrangement](seed)
    if "setup" in options:
        raise _invalid("blocks_exclude_setup")
    try:
        return read_blocks(options["blocks"])
    except InvalidState as error:
        raise InvalidOption(str(error), error.code, error.fields) from error


def _turn_limit(limit: object) -> int:
    if type(limit) is int and 1 <= limit <= MOST_TURNS:
        return limit
    raise _invalid(
        "out_of_range", key="turn_limit", least=1, most=MOST_TURNS, value=describe(limit)
    )


def _invalid(code: str, **fields: Any) -> InvalidOption:
    return refusal(InvalidOption, REFUSALS, code, **fields)
