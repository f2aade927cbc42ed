"""Brackets as arithmetic on seeded lists: the byes, the meetings and the next round's seats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pod:
    """Bots that are to meet, the best seed first, and how many of them go on."""

    players: tuple[str, ...]
    advancing: int


@dataclass(frozen=True, slots=True)
class Draw:
    """A round: who has a bye, the best seeds, and the pods of the others."""

    byes: tuple[str, ...]
    pods: tuple[Pod, ...]


def knockout_draw(seeded: Sequence[str], size: int) -> Draw:
    """A round of pods of ``size`` (2 to 4), in which about half of those who play are out.

    The first rounds bring the field to ``size`` times a power of two, which the final needs; the
    best seeds have byes meanwhile. For two players it is the usual bracket: 1 meets the last.
    """
    if len(seeded) == size:
        return Draw((), (Pod(tuple(seeded), 1),))
    left = size
    while 2 * left < len(seeded):
        left *= 2
    return _drawn(seeded, size, out=len(seeded) - left)


def halving_draw(seeded: Sequence[str]) -> Draw:
    """A round of pairs; with an odd number the best seed has a bye."""
    return _drawn(seeded, 2, out=len(seeded) // 2)


def _drawn(seeded: Sequence[str], size: int, out: int) -> Draw:
    count = min(-(-out // (size // 2)), len(seeded) // size)
    first = len(seeded) - count * size
    places: list[list[str]] = [[] for _ in range(count)]
    for number, name in enumerate(seeded[first:]):
        row, column = divmod(number, count)
        places[column if row % 2 == 0 else count - 1 - column].append(name)
    each, more = divmod(out, count)
    pods = tuple(
        Pod(tuple(players), size - each - (number < more)) for number, players in enumerate(places)
    )
    return Draw(tuple(seeded[:first]), pods)


def next_seeds(seeded: Sequence[str], draw: Draw, advancing: Sequence[Sequence[str]]) -> list[str]:
    """Those left, in the order of their seeds: who wins a pod takes over the best seed in it."""
    places = {name: number for number, name in enumerate(seeded)}
    taken = {name: places[name] for name in draw.byes}
    for pod, winners in zip(draw.pods, advancing, strict=True):
        for winner, seed in zip(winners, pod.players, strict=False):
            taken[winner] = places[seed]
    return sorted(taken, key=lambda name: taken[name])
