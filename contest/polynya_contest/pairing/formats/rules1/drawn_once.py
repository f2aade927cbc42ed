"""Formats whose blocks are all drawn before the first is played: round robin and gauntlet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from polynya_contest.pairing.designs import balanced_groups, berger_rounds
from polynya_contest.pairing.formats.interface import Block, Format, PlayedBlock, key


class DrawnOnce(Format):
    """All of ``blocks``, and then no more."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = list(blocks)

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """Everything at first, and then nothing."""
        return [] if played else self._blocks


def round_robin_blocks(names: Sequence[str], players: int, cycles: int) -> list[Block]:
    """Everybody meets everybody in each cycle; each meeting is a block.

    For two players the blocks follow the Berger tables, for more they are balanced pods
    (``designs.py``). The round in a block's key is the cycle, and the occurrence counts the blocks
    of the same bots within the cycle.
    """
    return list(_blocks("round_robin", names, _round_robin(len(names), players, cycles)))


def _round_robin(bots: int, players: int, cycles: int) -> list[list[tuple[int, ...]]]:
    if players > 2:
        return balanced_groups(bots, players, cycles)
    return [[pair for round_ in berger_rounds(bots) for pair in round_] for _ in range(cycles)]


def gauntlet_blocks(
    challengers: Sequence[str], field: Sequence[str], players: int, cycles: int
) -> list[Block]:
    """Every challenger meets every bot of the field in each cycle, and no other bots meet.

    With three and four players a challenger sits with each run of two or three bots of the field
    that follow each other in a circle; so it meets each of them equally often.
    """
    names = [*challengers, *field]
    drawn = [
        (challenger, *(len(challengers) + one for one in opponents))
        for opponents in _circle(len(field), players - 1)
        for challenger in range(len(challengers))
    ]
    return list(_blocks("gauntlet", names, [drawn] * cycles))


def _circle(bots: int, opponents: int) -> list[tuple[int, ...]]:
    if bots == opponents:
        return [tuple(range(bots))]
    return [tuple((first + step) % bots for step in range(opponents)) for first in range(bots)]


def _blocks(
    format_name: str, names: Sequence[str], cycles: Sequence[Sequence[tuple[int, ...]]]
) -> Iterator[Block]:
    for cycle, drawn in enumerate(cycles, start=1):
        occurrences: Counter[frozenset[str]] = Counter()
        for numbers in drawn:
            players = tuple(names[number] for number in numbers)
            occurrences[frozenset(players)] += 1
            occurrence = occurrences[frozenset(players)]
            yield Block(key(format_name, cycle, occurrence, players), players)
