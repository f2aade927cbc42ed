"""Knockout and double elimination: a bot is out after its first, or its second, lost meeting."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_common.reasons import Cause, Reason
from polynya_contest.pairing.formats.brackets.bracket import (
    Bracket,
    BracketRound,
    double_bracket,
    knockout_bracket,
)
from polynya_contest.pairing.formats.brackets.course import Course, Walk
from polynya_contest.pairing.formats.brackets.series import Series
from polynya_contest.pairing.formats.format_settings import (
    Seeding,
    check_ranges,
)
from polynya_contest.pairing.formats.interface import Block, Entrant, Format, PlayedBlock
from polynya_contest.pairing.standings import Merit, Round
from polynya_server.settings import ranged


class Elimination(Format):
    """The base of knockout and double elimination: a bracket that is fixed by the seeds.

    Each bot keeps its own seed. The bracket holds all bots that had not withdrawn before the first
    round was drawn.
    """

    def __init__(self, entrants: Sequence[Entrant], players: int, series: Series) -> None:
        self._entrants = entrants
        self._players = players
        self._series = series

    @property
    def bracket(self) -> Bracket:
        """The fixtures, those to come too."""
        return self._bracket(len(self._field()))

    @property
    def seeds(self) -> tuple[str, ...]:
        """The bots in the bracket, the best seed first."""
        return tuple(one.name for one in self._field())

    def next_blocks(self, played: Sequence[PlayedBlock]) -> list[Block]:
        """The next round's first blocks, or more for meetings that are not decided yet."""
        return self._course(played).pending

    @property
    def rounds_planned(self) -> int:
        """The rounds up to the final, without the round that only some finals need."""
        return max((one.number for one in self._certain()), default=0)

    def blocks_to_come(self, last_round: int) -> int:
        """Those that decide each meeting at the earliest."""
        meetings = (
            fixture
            for round_ in self._certain()
            for fixture in round_.fixtures
            if round_.number > last_round and not fixture.is_bye
        )
        return self._series.fewest_blocks * sum(1 for _ in meetings)

    def _certain(self) -> list[BracketRound]:
        return [one for one in self.bracket.rounds if one.part != "deciding final"]

    def rounds(self, played: Sequence[PlayedBlock]) -> tuple[Round, ...]:
        """The rounds of the bracket so far."""
        return tuple(self._course(played).rounds)

    def merits(self, played: Sequence[PlayedBlock]) -> Mapping[str, Merit]:
        """Rank bots by the round they went out in; bots of one round share a place."""
        course, field = self._course(played), self._field_names()
        last = 1 + max((round_.number for round_ in course.rounds), default=0)
        merits = {}
        for name in (one.name for one in self._entrants):
            if name == course.champion:
                merits[name] = Merit((last, 1), {"out": "winner"})
            elif name in course.out:
                out = course.out[name]
                merits[name] = Merit(out.order, {"out": out.round})
            elif name in field:
                merits[name] = Merit((last, 0), {"out": ""})
            else:
                merits[name] = Merit((0, 0), {"out": "before the start"})
        return merits

    def verdict(self, played: Sequence[PlayedBlock]) -> Cause:
        """Says that there is no winner, if so; else empty."""
        course = self._course(played)
        if not course.over or course.champion is not None:
            return ""
        if all(one.withdrawn is not None for one in self._entrants):
            return Reason.of("all_withdrawn")
        return Reason.of("all_gone")

    def _field(self) -> list[Entrant]:
        """The bots in the bracket, the best seed first."""
        return [one for one in self._entrants if one.withdrawn_after != 0]

    def _field_names(self) -> set[str]:
        return {one.name for one in self._field()}

    def _course(self, played: Sequence[PlayedBlock]) -> Course:
        field = self._field()
        return Walk(self.bracket, field, self._series).through(played)

    @abstractmethod
    def _bracket(self, bots: int) -> Bracket:
        """The bracket for this many bots."""


class Knockout(Elimination):
    """Pods of which the better half goes on, and from the final the winner.

    Args:
        third_place: whether the losers of the semi-finals meet, too.
    """

    def __init__(
        self,
        entrants: Sequence[Entrant],
        players: int,
        series: Series,
        *,
        third_place: bool = False,
    ) -> None:
        super().__init__(entrants, players, series)
        self._third_place = third_place

    def _bracket(self, bots: int) -> Bracket:
        return knockout_bracket(bots, self._players, third_place=self._third_place)


class DoubleElimination(Elimination):
    """Pairs; a bot that loses goes on among the losers, and is out when it loses again.

    At last the two that are left meet; if the one without a loss loses, they meet again.
    """

    def _bracket(self, bots: int) -> Bracket:
        return double_bracket(bots)


class BracketSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys that the tables ``knockout`` and ``double_elimination`` share.

    Attributes:
        best_of: the blocks of a meeting.
        tie_breaks: the most blocks that follow if it is level then; after them the bot goes on
            that missed fewer matches, at last the better seed.
        seeding: see ``FormatSettings``.
    """

    table: ClassVar[str]

    best_of: Annotated[int, ranged(1, 999)] = 1
    tie_breaks: Annotated[int, ranged(0, 999)] = 2
    seeding: Seeding = "order"

    @property
    def takes_cycles(self) -> bool:
        """No: ``best_of`` sets the number of blocks."""
        return False

    def check(self, names: Sequence[str], players: int) -> None:  # noqa: ARG002
        """Refuse numbers outside of their ranges."""
        check_ranges(self, f"{self.table}.")

    def refuses_late_entry(self, number: int) -> str:  # noqa: ARG002
        """Always: the bracket is drawn once, for its entrants."""
        return "a bracket has no place for more bots than it was drawn for"


class KnockoutSettings(BracketSettings, frozen=True, kw_only=True):
    """The table ``knockout``.

    Attributes:
        third_place: whether the losers of the semi-finals meet for the third place.
    """

    table: ClassVar[str] = "knockout"

    third_place: bool = False

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse a match for the third place where the final decides it, too."""
        super().check(names, players)
        if self.third_place and players > 2:
            raise ConfigurationError(
                f"knockout.third_place: a final of {players} bots decides the third place itself; "
                "leave it out"
            )

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:  # noqa: ARG002
        """The format itself."""
        series = Series("knockout", self.best_of, self.tie_breaks)
        return Knockout(entrants, players, series, third_place=self.third_place)


class DoubleEliminationSettings(BracketSettings, frozen=True, kw_only=True):
    """The table ``double_elimination``."""

    table: ClassVar[str] = "double_elimination"

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse matches of more than two, too."""
        if players != 2:
            raise ConfigurationError(
                f"format: double_elimination is for matches of two, not of {players}; "
                "knockout takes more"
            )
        super().check(names, players)

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:  # noqa: ARG002
        """The format itself."""
        series = Series("double_elimination", self.best_of, self.tie_breaks)
        return DoubleElimination(entrants, players, series)
