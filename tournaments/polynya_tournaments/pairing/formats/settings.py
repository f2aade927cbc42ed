"""The formats by name, with the settings that a description may give each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol

import msgspec

from polynya_tournaments.errors import ConfigurationError
from polynya_tournaments.pairing.formats import rules1
from polynya_tournaments.pairing.formats.drawn_once import gauntlet, round_robin
from polynya_tournaments.pairing.formats.interface import Entrant, Format
from polynya_tournaments.pairing.formats.knockout import DoubleElimination, Knockout
from polynya_tournaments.pairing.formats.series import Series
from polynya_tournaments.pairing.formats.sprt import Sprt
from polynya_tournaments.pairing.formats.swiss import Swiss, SwissParameters
from polynya_tournaments.pairing.formats.tie_breaks import TieBreak

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

MOST_SPRT_BLOCKS = MOST_MATCHES // 2


class FormatSettings(Protocol):
    """A format's table in the description.

    Attributes:
        seeding: who is seeded first: ``order``, those that stand first in the description, or
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


class RoundRobinSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A round robin has no table of its own."""

    @property
    def seeding(self) -> Seeding:
        """The order of the description."""
        return "order"

    @property
    def takes_cycles(self) -> bool:
        """How often everybody meets everybody."""
        return True

    def check(self, names: Sequence[str], players: int) -> None:
        """Everything can be played."""

    def refuses_late_entry(self, number: int) -> str:  # noqa: ARG002
        """Its matches are added."""
        return ""

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:
        """The format itself."""
        return round_robin(entrants, players, cycles)


class GauntletSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table ``gauntlet``: ``challengers`` are the names of those who meet all the others."""

    challengers: list[str]

    @property
    def seeding(self) -> Seeding:
        """The order of the description."""
        return "order"

    @property
    def takes_cycles(self) -> bool:
        """How often the challengers meet everybody."""
        return True

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse challengers that are not there, and a field that is too small."""
        if not self.challengers:
            raise ConfigurationError("gauntlet.challengers: name at least one of the bots")
        for number, name in enumerate(self.challengers):
            if name not in names or name in self.challengers[:number]:
                wrong = "is there twice" if name in names else "is none of the bots"
                raise ConfigurationError(f"gauntlet.challengers[{number}]: {name} {wrong}")
        field = len(names) - len(self.challengers)
        if field < players - 1:
            raise ConfigurationError(
                f"gauntlet.challengers: {field} bots are left for them to meet, "
                f"but a match of {players} needs {players - 1}"
            )

    def refuses_late_entry(self, number: int) -> str:  # noqa: ARG002
        """It joins the field, and its matches are added."""
        return ""

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:
        """The format itself."""
        return gauntlet(entrants, self.challengers, players, cycles)


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

    rounds: int
    tie_breaks: tuple[TieBreak, ...] = ("buchholz", "sonneborn_berger", "direct_encounter")
    seeding: Seeding = "order"
    forbidden: tuple[tuple[str, str], ...] = ()
    half_point_byes: dict[str, tuple[int, ...]] = {}

    @property
    def takes_cycles(self) -> bool:
        """The number of rounds says how much is played."""
        return False

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse matches of more than two, and names and rounds that are not there."""
        if players != 2:
            raise ConfigurationError(
                f"format: {self.table} is for matches of two, not of {players}; "
                "round_robin, gauntlet and knockout take more"
            )
        in_range(f"{self.table}.rounds", self.rounds, 1, 1_000)
        if len(set(self.tie_breaks)) < len(self.tie_breaks):
            raise ConfigurationError(f"{self.table}.tie_breaks: one is there twice")
        check_pairs(self.table, self.forbidden, names)
        check_byes(self.table, self.half_point_byes, names, self.rounds)

    def refuses_late_entry(self, number: int) -> str:
        """It enters in the next round, if there is one."""
        return "" if number <= self.rounds else "the last round has been drawn"

    def doubt(self, bots: int) -> str:
        """Why it may end before its last round, a sentence; empty if it surely does not.

        With at most half as many rounds as bots each bot has not met at least half of the others,
        and then there are always pairs (Dirac's theorem).
        """
        most = (bots + 1) // 2
        if self.rounds <= most:
            return ""
        return (
            f"{self.table}.rounds: {self.rounds} rounds are many for {bots} bots; only {most} can "
            "surely be drawn, and the tournament ends when all who are left have met"
        )


class SwissSettings(PairedRoundsSettings, frozen=True, kw_only=True):
    """The table ``swiss``.

    Attributes:
        blocks: how many blocks a meeting has.
        system: the rules of pairing, as they are recorded.
    """

    table: ClassVar[str] = "swiss"

    blocks: int = 1
    system: Literal["FIDE C.04.3 (2026)"] = "FIDE C.04.3 (2026)"

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse a number of blocks that is none, too."""
        super().check(names, players)
        in_range("swiss.blocks", self.blocks, 1, 1_000)

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


class BracketSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys that the tables ``knockout`` and ``double_elimination`` share.

    Attributes:
        best_of: the blocks of a meeting.
        tie_breaks: the most blocks that follow if it is level then; after them the bot goes on
            that missed fewer matches, at last the better seed.
        seeding: see ``FormatSettings``.
    """

    best_of: int = 1
    tie_breaks: int = 2
    seeding: Seeding = "order"

    @property
    def takes_cycles(self) -> bool:
        """``best_of`` says how much is played."""
        return False

    def check(self, names: Sequence[str], players: int) -> None:  # noqa: ARG002
        """Refuse numbers outside of their ranges."""
        in_range("best_of", self.best_of, 1, 999)
        in_range("tie_breaks", self.tie_breaks, 0, 999)

    def refuses_late_entry(self, number: int) -> str:  # noqa: ARG002
        """The bracket is drawn for its entrants."""
        return "a bracket has no place for more bots than it was drawn for"


class KnockoutSettings(BracketSettings, frozen=True, kw_only=True):
    """The table ``knockout``.

    Attributes:
        third_place: whether the losers of the semi-finals meet for the third place.
    """

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


class SprtSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table ``sprt``: is the first bot better than the second by ``elo1``, or ``elo0``?

    Attributes:
        elo0, elo1: the two hypotheses, in logistic Elo.
        alpha, beta: how probable a wrong decision for elo1, and for elo0, may be.
        most: the number of blocks after which it ends without a decision.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05
    most: int = 100_000

    @property
    def seeding(self) -> Seeding:
        """The order of the description."""
        return "order"

    @property
    def takes_cycles(self) -> bool:
        """The test says how much is played."""
        return False

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse more than two bots, and hypotheses that are none."""
        if len(names) != 2 or players != 2:
            raise ConfigurationError("sprt: it compares two bots in matches of two")
        in_range("sprt.elo0", self.elo0, -2_000, 2_000)
        in_range("sprt.elo1", self.elo1, -2_000, 2_000)
        if self.elo0 >= self.elo1:
            raise ConfigurationError(f"sprt.elo1: it is more than elo0, {self.elo0:g}")
        in_range("sprt.alpha", self.alpha, 0.0001, 0.49)
        in_range("sprt.beta", self.beta, 0.0001, 0.49)
        in_range("sprt.most", self.most, 1, MOST_SPRT_BLOCKS)

    def refuses_late_entry(self, number: int) -> str:  # noqa: ARG002
        """It compares two bots."""
        return "sprt compares two bots"

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Sprt:  # noqa: ARG002
        """The format itself."""
        names = [one.name for one in entrants]
        return Sprt(names, (self.elo0, self.elo1), (self.alpha, self.beta), self.most)


def check_pairs(table: str, pairs: Sequence[tuple[str, str]], names: Sequence[str]) -> None:
    """Refuse pairs of names that are not two of the bots."""
    for number, pair in enumerate(pairs):
        for name in pair:
            if name not in names:
                raise ConfigurationError(f"{table}.forbidden[{number}]: {name} is none of the bots")
        if pair[0] == pair[1]:
            raise ConfigurationError(f"{table}.forbidden[{number}]: {pair[0]} is there twice")


def check_byes(
    table: str, byes: Mapping[str, Sequence[int]], names: Sequence[str], rounds: int
) -> None:
    """Refuse half-point byes of bots that are not there, in the last round, or too many."""
    for name, numbers in byes.items():
        key = f"{table}.half_point_byes.{name}"
        if name not in names:
            raise ConfigurationError(f"{key}: {name} is none of the bots")
        for number in numbers:
            in_range(key, number, 1, rounds - 1)
        if len(set(numbers)) < len(numbers) or 2 * len(numbers) > rounds:
            raise ConfigurationError(f"{key}: name at most half of the {rounds} rounds, each once")


def in_range(key: str, value: float, least: float, most: float) -> None:
    """Refuse a number outside of a range."""
    if not least <= value <= most:
        raise ConfigurationError(f"{key}: {value} is not in the range {least} to {most}")


SETTINGS: Mapping[str, type[FormatSettings]] = {
    "round_robin": RoundRobinSettings,
    "gauntlet": GauntletSettings,
    "swiss": SwissSettings,
    "double_swiss": DoubleSwissSettings,
    "knockout": KnockoutSettings,
    "double_elimination": DoubleEliminationSettings,
    "sprt": SprtSettings,
}


def format_of(description: Mapping[str, Any], entrants: Sequence[Entrant]) -> Format:
    """The format of a tournament, from what determines its matches (as it is recorded)."""
    if description.get("rules", 1) == 1:
        return rules1.format_of(description, entrants)
    name = description["format"]
    settings = msgspec.convert(description.get(name, {}), SETTINGS[name])
    return settings.drawn(entrants, description["players"], description["cycles"])
