"""Formats drawn without results: round robin and gauntlet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Protocol

from polynya_contest.pairing.designs import (
    Neighbours,
    balanced_groups,
    berger_rounds,
    count_groups,
)
from polynya_contest.pairing.formats.interface import (
    Block,
    Entrant,
    Format,
    PlayedBlock,
    key,
    portion,
)
from polynya_contest.pairing.standings import Merit
from polynya_contest.pairing.tie_breaks.opponents import Entry
from polynya_contest.pairing.tie_breaks.tie_breaks import Field, TieBreak, merits
from polynya_contest.ratings.elo import pair_score

Table = Sequence[str]
"""The names of a block's bots."""


class DrawnOnce(Format):
    """Cycles of tables: each cycle has the same bots, or one more that has entered late.

    Args:
        format_name: for the blocks' keys.
        players: in a match.
        cycles: how many there are of each of ``parts``.
        parts: what is drawn for the first entrants, then what each late entrant adds.
        tie_breaks: what orders bots with the same points.
        entrants: all of them, for the tie-breaks.
    """

    def __init__(
        self,
        format_name: str,
        players: int,
        cycles: int,
        parts: Sequence[Part],
        tie_breaks: Sequence[TieBreak] = (),
        entrants: Sequence[Entrant] = (),
    ) -> None:
        self._format = format_name
        self._players = players
        self._cycles = cycles
        self._parts = parts
        self._tie_breaks = tie_breaks
        self._entrants = entrants

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """The next blocks of the schedule, or a portion of them."""
        drawn = len(played)
        size = portion(drawn, self._players, self.undrawn(drawn))
        return list(islice(self.blocks_after(drawn), size))

    @property
    def counts_results(self) -> bool:
        """Yes without tie-breaks, which look at meetings."""
        return not self._tie_breaks

    def merits(self, played: Sequence[PlayedBlock]) -> Mapping[str, Merit]:
        """The points, and the tie-breaks if any were declared."""
        if not self._tie_breaks:
            return {}
        histories: dict[str, list[Entry]] = {one.name: [] for one in self._entrants}
        for block in played:
            for name, entry in _entries(block):
                histories[name].append(entry)
        ratings = {one.name: one.rating for one in self._entrants}
        gone = {one.name for one in self._entrants if one.withdrawn is not None}
        return merits(Field(histories, ratings, scheduled=True), self._tie_breaks, gone)

    def undrawn(self, drawn: int) -> int:
        """The rest of the schedule."""
        return max(0, sum(part.size(self._cycles) for part in self._parts) - drawn)

    def blocks_after(self, drawn: int) -> Iterator[Block]:
        """The rest of the schedule.

        What comes later does not depend on how much is drawn at once. Pairs are found by their
        number; with more players what came before is gone through, as it decides the seats.
        """
        neighbours = Neighbours()
        for part in self._parts:
            size = part.size(self._cycles)
            skipped = min(drawn, size)
            drawn -= skipped
            whole = 0
            if self._players == 2 and size:
                whole, skipped = divmod(skipped, size // self._cycles)
            yield from islice(self._blocks(part, whole, neighbours), skipped, None)

    def _blocks(self, part: Part, first: int, neighbours: Neighbours) -> Iterator[Block]:
        """The blocks of a part, without its first cycles."""
        cycles = islice(part.tables(), self._cycles - first)
        for cycle, tables in enumerate(cycles, start=first + 1):
            occurrences: Counter[frozenset[str]] = Counter()
            for table in tables:
                met = frozenset(table)
                occurrences[met] += 1
                players = neighbours.seat(table)
                yield Block(key(self._format, cycle, occurrences[met], players), players)


class Part(Protocol):
    """Cycles of tables for the same bots."""

    def size(self, cycles: int) -> int:
        """The number of tables in this many cycles."""

    def tables(self) -> Iterator[Sequence[Table]]:
        """The tables of one cycle after another, without end; the same ones for two players."""


@dataclass(frozen=True, slots=True)
class _Same:
    """Each cycle has the same tables."""

    each: Sequence[Table]

    def size(self, cycles: int) -> int:
        return cycles * len(self.each)

    def tables(self) -> Iterator[Sequence[Table]]:
        return repeat(self.each)


@dataclass(frozen=True, slots=True)
class _Pods:
    """Each cycle has balanced pods, which even out what those before it left uneven."""

    names: Sequence[str]
    players: int

    def size(self, cycles: int) -> int:
        return count_groups(len(self.names), self.players, cycles)

    def tables(self) -> Iterator[Sequence[Table]]:
        for cycle in balanced_groups(len(self.names), self.players):
            yield [[self.names[number] for number in pod] for pod in cycle]


def round_robin(
    entrants: Sequence[Entrant], players: int, cycles: int, tie_breaks: Sequence[TieBreak] = ()
) -> DrawnOnce:
    """Each bot meets each other in each cycle; each meeting is a block.

    For two players the blocks follow the Berger tables, for more they are balanced pods
    (``designs.py``). A late entrant meets those that are there when it enters, in each cycle. The
    round in a block's key is the cycle, and the occurrence counts the blocks of the same bots
    within the cycle.
    """
    parts: list[Part] = [_first_of_round_robin(_there(entrants), players)]
    for newcomer, field in _newcomers(entrants):
        parts.append(_Same(list(_tables([newcomer], field, players))))
    return DrawnOnce("round_robin", players, cycles, parts, tie_breaks, entrants)


def _first_of_round_robin(there: Sequence[str], players: int) -> Part:
    if len(there) < players:
        return _Same([])
    if players > 2:
        return _Pods(there, players)
    pairs = (pair for round_ in berger_rounds(len(there)) for pair in round_)
    return _Same([[there[number] for number in pair] for pair in pairs])


def gauntlet(
    entrants: Sequence[Entrant], challengers: Sequence[str], players: int, cycles: int
) -> DrawnOnce:
    """Every challenger meets every bot of the field in each cycle, and no others meet.

    With more than two players a challenger sits with each run of opponents of the field that
    follow each other in a circle; so it meets each of them equally often. A late entrant joins the
    field.
    """
    there = _there(entrants)
    field = [name for name in there if name not in challengers]
    present = [name for name in challengers if name in there]
    parts: list[Part] = [_Same(list(_tables(present, field, players)))]
    for newcomer, others in _newcomers(entrants):
        field = [name for name in others if name not in challengers]
        present = [name for name in challengers if name in others]
        tables = _tables(present, [newcomer, *field], players)
        parts.append(_Same([table for table in tables if newcomer in table]))
    return DrawnOnce("gauntlet", players, cycles, parts)


def _entries(block: PlayedBlock) -> Iterator[tuple[str, Entry]]:
    """Each bot's entries, one for each match of two."""
    for result in block.results:
        one, other = result.names
        score = pair_score(*result.ranking)
        yield one, Entry("played", other, score)
        yield other, Entry("played", one, 1 - score, second_seat_wins=int(score == 0))
    for walkover in block.walkovers:
        for name, points in walkover.points().items():
            (other,) = (each for each in walkover.names if each != name)
            yield name, Entry("missed" if name in walkover.missing else "walkover", other, points)


def _there(entrants: Iterable[Entrant]) -> list[str]:
    """The names of the original entrants."""
    return [one.name for one in entrants if one.is_there_after(0)]


def _newcomers(entrants: Sequence[Entrant]) -> Iterator[tuple[str, list[str]]]:
    """Late entrants in order of entry, each with the bots that were there before it."""
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
