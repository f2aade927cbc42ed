"""A field to be paired: a pairing system's data on each player, and the pairs that may meet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
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
