"""The interface of every format's table in a description, and the checks that the tables share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Protocol

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.pairing.formats.interface import Entrant, Format
from polynya_contest.pairing.tie_breaks.tie_breaks import TieBreak
from polynya_server.settings import check_range, settings_of

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
"""Maximum number of matches of a test, or of a tournament with as many bots as a match has."""


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
        """Refuse impossible settings; ``ConfigurationError`` names the key."""

    def refuses_late_entry(self, number: int) -> str:
        """Why no bot can enter in this round any more, a sentence; empty if bots can."""

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:
        """The format itself."""


def in_range(key: str, value: float, least: float, most: float) -> None:
    """Refuse a number outside of a range."""
    try:
        check_range(key, value, least, most)
    except ValueError as error:
        raise ConfigurationError(str(error)) from error


def check_ranges(settings: msgspec.Struct, table: str = "") -> None:
    """Refuse numbers outside of the annotated range of their key.

    Args:
        settings: values of the keys.
        table: what the keys begin with, with the dot.

    Raises:
        ConfigurationError: the message has the key, the value and the range.
    """
    for one in settings_of(type(settings)):
        try:
            one.check(getattr(settings, one.name), table)
        except ValueError as error:
            raise ConfigurationError(str(error)) from error


def check_tie_breaks(table: str, tie_breaks: Sequence[TieBreak]) -> None:
    """Refuse a tie-break that occurs twice."""
    for number, tie_break in enumerate(tie_breaks):
        if tie_break in tie_breaks[:number]:
            raise ConfigurationError(f"{table}.tie_breaks[{number}]: {tie_break} occurs twice")
