"""Formats that need no results to be drawn: round robin and gauntlet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from polynya_tournaments.designs import Neighbours, berger_rounds, pods
from polynya_tournaments.formats.values import Block, Entrant, Format, PlayedBlock, key

Table = Sequence[str]
"""The names of the bots that a block brings together."""


class DrawnOnce(Format):
    """All of ``blocks`` at first; what a late entrant adds follows."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._blocks = list(blocks)

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """What has not been drawn yet."""
        drawn = {block.key for block in played}
        return [block for block in self._blocks if block.key not in drawn]


def round_robin_blocks(entrants: Sequence[Entrant], players: int, cycles: int) -> list[Block]:
    """Each bot meets each other in each cycle; each meeting is a block.

    For two players the blocks follow the Berger tables, for more they are balanced pods
    (``designs.py``). A late entrant meets those that are there when it enters, in each cycle. The
    round in a block's key is the cycle, and the occurrence counts the blocks of the same bots
    within the cycle.
    """
    there = _there(entrants)
    drawing = _Drawing("round_robin")
    blocks = drawing.blocks(
        [[there[number] for number in pod] for pod in cycle]
        for cycle in _round_robin(len(there), players, cycles)
    )
    for newcomer, field in _newcomers(entrants):
        blocks += drawing.blocks([list(_tables([newcomer], field, players))] * cycles)
    return blocks


def _round_robin(bots: int, players: int, cycles: int) -> list[list[tuple[int, ...]]]:
    if bots < players:
        return []
    if players > 2:
        return pods(bots, players, cycles)
    return [[pair for round_ in berger_rounds(bots) for pair in round_] for _ in range(cycles)]


def gauntlet_blocks(
    entrants: Sequence[Entrant], challengers: Sequence[str], players: int, cycles: int
) -> list[Block]:
    """Every challenger meets every bot of the field in each cycle, and no others meet.

    With three and four players a challenger sits with each run of so many bots of the field that
    follow each other in a circle; so it meets each of them equally often. A late entrant joins the
    field.
    """
    there = _there(entrants)
    field = [name for name in there if name not in challengers]
    drawing = _Drawing("gauntlet")
    present = [name for name in challengers if name in there]
    blocks = drawing.blocks([list(_tables(present, field, players))] * cycles)
    for newcomer, others in _newcomers(entrants):
        field = [name for name in others if name not in challengers]
        present = [name for name in challengers if name in others]
        tables = [
            table for table in _tables(present, [newcomer, *field], players) if newcomer in table
        ]
        blocks += drawing.blocks([tables] * cycles)
    return blocks


def _there(entrants: Iterable[Entrant]) -> list[str]:
    """The names of those that were there at first."""
    return [one.name for one in entrants if one.is_there_after(0)]


def _newcomers(entrants: Sequence[Entrant]) -> Iterator[tuple[str, list[str]]]:
    """The late entrants in the order in which they entered, each with those that were there."""
    for moment in sorted({one.entered_after for one in entrants if one.entered_after}):
        field = [
            one.name
            for one in entrants
            if one.entered_after < moment and one.is_there_after(moment)
        ]
        for one in entrants:
            if one.entered_after == moment and one.is_there_after(moment):
                yield one.name, list(field)
                field.append(one.name)


def _tables(challengers: Sequence[str], field: Sequence[str], players: int) -> Iterator[Table]:
    """Each challenger with each run of the field, challenger by challenger within a run."""
    for opponents in _circle(field, players - 1):
        for challenger in challengers:
            yield (challenger, *opponents)


def _circle(field: Sequence[str], opponents: int) -> list[Table]:
    if len(field) < opponents:
        return []
    if len(field) == opponents:
        return [field]
    return [
        [field[(first + step) % len(field)] for step in range(opponents)]
        for first in range(len(field))
    ]


class _Drawing:
    """Gives blocks their keys and their orders, in the order in which they are drawn."""

    def __init__(self, format_name: str) -> None:
        self._format = format_name
        self._occurrences: Counter[tuple[int, frozenset[str]]] = Counter()
        self._neighbours = Neighbours()

    def blocks(self, cycles: Iterable[Sequence[Table]]) -> list[Block]:
        """The blocks of the tables of each cycle."""
        return [
            self._block(cycle, table)
            for cycle, tables in enumerate(cycles, start=1)
            for table in tables
        ]

    def _block(self, cycle: int, table: Table) -> Block:
        met = (cycle, frozenset(table))
        self._occurrences[met] += 1
        players = self._neighbours.seat(table)
        return Block(key(self._format, cycle, self._occurrences[met], players), players)
