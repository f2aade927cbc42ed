"""The tables ``swiss`` and ``double_swiss`` of a description."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar, Literal

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_common.extras import require_packages
from polynya_contest.pairing.formats.format_settings import (
    Seeding,
    check_ranges,
    check_tie_breaks,
    in_range,
)
from polynya_contest.pairing.formats.interface import Entrant, Format
from polynya_contest.pairing.formats.swiss.swiss import Swiss, SwissParameters
from polynya_contest.pairing.tie_breaks.tie_breaks import TieBreak
from polynya_server.settings import ranged


class PairedRoundsSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys that the tables ``swiss`` and ``double_swiss`` share.

    Attributes:
        rounds: how many.
        tie_breaks: what orders bots with the same score, the weightiest first.
        seeding: see ``FormatSettings``.
        forbidden: pairs of names that are not to meet.
        half_point_byes: by name the rounds in which a bot has half a point instead of a meeting.
    """

    table: ClassVar[str]

    rounds: Annotated[int, ranged(1, 1_000)]
    tie_breaks: tuple[TieBreak, ...] = ("buchholz", "sonneborn_berger", "direct_encounter")
    seeding: Seeding = "order"
    forbidden: tuple[tuple[str, str], ...] = ()
    half_point_byes: dict[str, tuple[int, ...]] = {}

    @property
    def takes_cycles(self) -> bool:
        """No: ``rounds`` sets the number of meetings."""
        return False

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse matches of more than two, and unknown names and rounds.

        Raises:
            ConfigurationError: the message names the key.
            TournamentError: the package that draws pairs is not installed.
        """
        require_packages("py4swiss")
        if players != 2:
            raise ConfigurationError(
                f"format: {self.table} is for matches of two, not of {players}; "
                "round_robin, gauntlet and knockout take more"
            )
        check_ranges(self, f"{self.table}.")
        check_tie_breaks(self.table, self.tie_breaks)
        check_pairs(self.table, self.forbidden, names)
        check_byes(self.table, self.half_point_byes, names, self.rounds)

    def refuses_late_entry(self, number: int) -> str:
        """It enters in the next round, if there is one."""
        return "" if number <= self.rounds else "the last round has been drawn"

    def doubt(self, bots: int) -> str:
        """A sentence why it may end before its last round; empty if it cannot.

        With at most half as many rounds as bots each bot has not met at least half of the others,
        and then there are always pairs (Dirac's theorem).
        """
        most = (bots + 1) // 2
        if self.rounds <= most:
            return ""
        return (
            f"{self.table}.rounds: {self.rounds} rounds are many for {bots} bots; only {most} can "
            "surely be drawn, and the tournament ends when all remaining bots have met"
        )


class SwissSettings(PairedRoundsSettings, frozen=True, kw_only=True):
    """The table ``swiss``.

    Attributes:
        blocks: how many blocks a meeting has.
        system: the rules of pairing, as they are recorded.
    """

    table: ClassVar[str] = "swiss"

    blocks: Annotated[int, ranged(1, 1_000)] = 1
    system: Literal["FIDE C.04.3 (2026)"] = "FIDE C.04.3 (2026)"

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:  # noqa: ARG002
        """The format itself."""
        forbidden = {frozenset(pair) for pair in self.forbidden}
        plan = SwissParameters(
            self.rounds, self.blocks, self.tie_breaks, forbidden, self.half_point_byes
        )
        return Swiss(entrants, plan)


class DoubleSwissSettings(PairedRoundsSettings, frozen=True, kw_only=True):
    """The table ``double_swiss``: as ``swiss``, but each match counts; a meeting is one block."""

    table: ClassVar[str] = "double_swiss"

    system: Literal["FIDE C.04.5 (2026)"] = "FIDE C.04.5 (2026)"

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:  # noqa: ARG002
        """The format itself."""
        forbidden = {frozenset(pair) for pair in self.forbidden}
        plan = SwissParameters(
            self.rounds, 1, self.tie_breaks, forbidden, self.half_point_byes, double=True
        )
        return Swiss(entrants, plan)


def check_pairs(table: str, pairs: Sequence[tuple[str, str]], names: Sequence[str]) -> None:
    """Refuse pairs that are not two different entrants."""
    for number, pair in enumerate(pairs):
        for name in pair:
            if name not in names:
                raise ConfigurationError(f"{table}.forbidden[{number}]: {name} is none of the bots")
        if pair[0] == pair[1]:
            raise ConfigurationError(f"{table}.forbidden[{number}]: {pair[0]} occurs twice")


def check_byes(
    table: str, byes: Mapping[str, Sequence[int]], names: Sequence[str], rounds: int
) -> None:
    """Refuse half-point byes of unknown bots, in the last round, or too many."""
    for name, numbers in byes.items():
        key = f"{table}.half_point_byes.{name}"
        if name not in names:
            raise ConfigurationError(f"{key}: {name} is none of the bots")
        for number in numbers:
            in_range(key, number, 1, rounds - 1)
        if len(set(numbers)) < len(numbers) or 2 * len(numbers) > rounds:
            raise ConfigurationError(f"{key}: name at most half of the {rounds} rounds, each once")
