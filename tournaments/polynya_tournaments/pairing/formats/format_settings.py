"""What every format's table in a description answers, and the checks that the tables share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Protocol

from polynya_tournaments.errors import ConfigurationError
from polynya_tournaments.pairing.formats.interface import Entrant, Format
from polynya_tournaments.pairing.tie_breaks.tie_breaks import TieBreak

FormatName = Literal[
    "round_robin",
    "gauntlet",
    "swiss",
    "double_swiss",
    "knockout",
    "double_elimination",
    "sprt",
]


Seeding = Literal["order", "rating"]


MOST_MATCHES = 10_000_000
"""Of a tournament between as many bots as a match has, and of a test."""


class FormatSettings(Protocol):
    """A format's table in the description.

    Attributes:
        seeding: the order of seeds: ``order``, as the bots stand in the description, or
            ``rating``, those that are rated highest when the tournament begins.
        takes_cycles: whether ``cycles`` means something for the format.
    """

    __struct_fields__: ClassVar[tuple[str, ...]]

    @property
    def seeding(self) -> Seeding:
        """See above."""

    @property
    def takes_cycles(self) -> bool:
        """See above."""

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse what cannot be played; ``ConfigurationError`` names the key."""

    def refuses_late_entry(self, number: int) -> str:
        """Why no bot can enter in this round any more, a sentence; empty if bots can."""

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:
        """The format itself."""


def in_range(key: str, value: float, least: float, most: float) -> None:
    """Refuse a number outside of a range."""
    if not least <= value <= most:
        raise ConfigurationError(f"{key}: {value} is not in the range {least} to {most}")


def check_tie_breaks(table: str, tie_breaks: Sequence[TieBreak]) -> None:
    """Refuse a tie-break that occurs twice."""
    for number, tie_break in enumerate(tie_breaks):
        if tie_break in tie_breaks[:number]:
            raise ConfigurationError(f"{table}.tie_breaks[{number}]: {tie_break} occurs twice")
