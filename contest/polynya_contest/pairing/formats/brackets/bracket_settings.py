"""The tables ``knockout`` and ``double_elimination`` of a description."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.pairing.formats.brackets.knockout import DoubleElimination, Knockout
from polynya_contest.pairing.formats.brackets.series import Series
from polynya_contest.pairing.formats.format_settings import (
    Seeding,
    check_ranges,
)
from polynya_contest.pairing.formats.interface import Entrant, Format
from polynya_server.settings import ranged


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
        """``best_of`` says how much is played."""
        return False

    def check(self, names: Sequence[str], players: int) -> None:  # noqa: ARG002
        """Refuse numbers outside of their ranges."""
        check_ranges(self, f"{self.table}.")

    def refuses_late_entry(self, number: int) -> str:  # noqa: ARG002
        """The bracket is drawn for its entrants."""
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
