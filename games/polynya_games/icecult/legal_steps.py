"""The steps of Ice Cult: tuples made once, and which of them a position allows."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from polynya_games.game import Step
from polynya_games.icecult.blocks import Cube
from polynya_games.icecult.paths import pawns

PAIRS = {"N": (0, 1), "E": (1, 2), "S": (3, 2), "W": (0, 3)}
"""The pairs of adjacent blocks: the positions of the two."""

DIRECTIONS = {"N": "NS", "S": "NS", "E": "EW", "W": "EW"}
"""Pair: the directions in which it can be tipped, in ascending order."""

OPPOSITE = {"N": "S", "S": "N", "E": "W", "W": "E"}

END: Step = ("end",)

FIRST_TIPS: tuple[Step, ...] = tuple(
    [("tip", pair, direction) for pair in sorted(PAIRS) for direction in DIRECTIONS[pair]]
)


def _undoing(tip: Step) -> Step:
    return ("tip", tip[1], OPPOSITE[str(tip[2])])


SECOND_TIPS: dict[Step, tuple[Step, ...]] = {
    first: tuple([step for step in FIRST_TIPS if step != _undoing(first)]) for first in FIRST_TIPS
}
"""First tip: the second tips that do not undo it."""

ROTATIONS: tuple[Step, ...] = tuple(
    [("rotate", position, turn) for position in range(4) for turn in ("ccw", "cw")]
)

ENTRIES: tuple[Step, ...] = tuple([("advance", position, 0, 0) for position in range(4)])
"""Per position the advance of a pawn from the start area."""


class Arrow(NamedTuple):
    """An arrow on top."""

    position: int
    colour: int
    path: int


@lru_cache(1 << 15)
def arrows(cubes: tuple[Cube, ...]) -> tuple[Arrow, ...]:
    """The arrows on top of the four blocks, by position."""
    tops = enumerate(cubes)
    return tuple(
        [Arrow(at, cube.symbol, path) for at, cube in tops if (path := cube.path) is not None]
    )


def arcs(cubes: tuple[Cube, ...]) -> int:
    """The number of arcs on top."""
    one, two, three, four = cubes
    return one.arcs + two.arcs + three.arcs + four.arcs


def circles(cubes: tuple[Cube, ...]) -> int:
    """The number of circles on top."""
    one, two, three, four = cubes
    return one.circles + two.circles + three.circles + four.circles


@lru_cache(1 << 15)
def advances(path: str, colour: int, position: int) -> tuple[Step, ...]:
    """The advances of pawns on a path by the arrow of their colour at ``position``, sorted."""
    return tuple([("advance", position, field, index) for field, index in pawns(path, colour)])
