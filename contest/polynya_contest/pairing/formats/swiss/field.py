"""A field to be paired: its players, the pairs that may meet, and the best matching of them.

A weight is a plain integer here; a field that counts more stands in higher bits.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Float = Literal["up", "down", ""]


class NoPairingError(Exception):
    """No pairing of the whole round keeps the absolute rules."""


@dataclass(frozen=True, slots=True)
class Player:
    """One player before a round.

    Attributes:
        number: its pairing number (TPN), unique, from 1 for the best seed.
        score: in half points (an integer, so that scores compare exactly).
        opponents: the numbers of those that it must not meet: it has met them, or the host forbids
            it.
        bye: whether it may have the pairing-allocated bye.
        matches: how many rounds it has played.
        floats: what it was in each round so far, the first round first.
    """

    number: int
    score: int = 0
    opponents: Collection[int] = frozenset()
    bye: bool = True
    matches: int = 0
    floats: Sequence[Float] = ()

    def floated(self, rounds_ago: int) -> Float:
        """How it floated this number of rounds ago, 1 for the last round."""
        return self.floats[-rounds_ago] if len(self.floats) >= rounds_ago else ""


@dataclass(frozen=True, slots=True)
class PairedRound:
    """A round: pairs of numbers, the higher ranked first, and the number that has the bye."""

    pairs: tuple[tuple[int, int], ...]
    bye: int | None = None


def ranked(players: Sequence[Player]) -> list[Player]:
    """By score, then by number (C.04.3, 1.2)."""
    return sorted(players, key=lambda player: (-player.score, player.number))


def may_meet(one: Player, other: Player) -> bool:
    """Whether they have not met yet ([C1]), and the host does not forbid it."""
    return other.number not in one.opponents and one.number not in other.opponents


Edge = tuple[int, int]


def best_matching(vertices: int, weights: Mapping[Edge, int]) -> dict[int, int] | None:
    """The partner of each vertex in a perfect matching of the greatest weight; None if none exists.

    Args:
        vertices: their number; they are 0, 1, 2, ...
        weights: of each edge that exists, at least 0.
    """
    from py4swiss.dynamicuint import DynamicUint
    from py4swiss.matching_computer import ComputerDutchOptimality

    if vertices % 2:
        return None
    if not vertices:
        return {}
    # Each edge weighs more than all the given weights together, so the most edges are taken.
    most = max(weights.values(), default=0)
    perfect = 1 << (most.bit_length() + vertices.bit_length())
    words = (perfect.bit_length() + vertices.bit_length()) // 32 + 2
    made: dict[int, DynamicUint] = {}

    def made_of(weight: int) -> DynamicUint:
        if weight not in made:
            number = DynamicUint(0)
            number.shift_grow(32 * (words - 1))
            for part in reversed(range(words)):
                number <<= 32 if part < words - 1 else 0
                number |= (weight >> (32 * part)) & 0xFFFFFFFF
            made[weight] = number
        return made[weight]

    computer = ComputerDutchOptimality(vertices, made_of(perfect + most))
    for _ in range(vertices):
        computer.add_vertex()
    for (one, other), weight in weights.items():
        computer.set_edge_weight(one, other, made_of(perfect + weight))
    computer.compute_matching()
    found = dict(enumerate(computer.get_matching()))
    return None if any(one == other for one, other in found.items()) else found
