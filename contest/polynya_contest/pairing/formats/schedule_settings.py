"""Settings of formats drawn without results: round robin, gauntlet and SPRT."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.pairing.formats.drawn_once import gauntlet, round_robin
from polynya_contest.pairing.formats.format_settings import (
    MOST_MATCHES,
    Seeding,
    check_ranges,
    check_tie_breaks,
)
from polynya_contest.pairing.formats.interface import Entrant, Format
from polynya_contest.pairing.formats.sprt import Model, Sprt
from polynya_contest.pairing.tie_breaks.tie_breaks import TieBreak
from polynya_server.settings import ranged

MOST_SPRT_BLOCKS = MOST_MATCHES // 2


class RoundRobinSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table ``round_robin``.

    Attributes:
        tie_breaks: what orders bots with the same points, the weightiest first; without any it is
            more wins, then fewer forfeits.
    """

    tie_breaks: tuple[TieBreak, ...] = ()

    @property
    def seeding(self) -> Seeding:
        """The order of the description."""
        return "order"

    @property
    def takes_cycles(self) -> bool:
        """How often all pairs meet."""
        return True

    def check(self, names: Sequence[str], players: int) -> None:  # noqa: ARG002
        """Refuse tie-breaks in matches of more than two, and a tie-break that occurs twice."""
        if self.tie_breaks and players != 2:
            raise ConfigurationError(
                f"round_robin.tie_breaks: they are for matches of two, not of {players}"
            )
        check_tie_breaks("round_robin", self.tie_breaks)

    def refuses_late_entry(self, number: int) -> str:  # noqa: ARG002
        """Its matches are added."""
        return ""

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Format:
        """The format itself."""
        return round_robin(entrants, players, cycles, self.tie_breaks)


class GauntletSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table ``gauntlet``: ``challengers`` are the bots that meet all the others."""

    challengers: list[str]

    @property
    def seeding(self) -> Seeding:
        """The order of the description."""
        return "order"

    @property
    def takes_cycles(self) -> bool:
        """How often the challengers meet all others."""
        return True

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse unknown challengers, and a field that is too small."""
        if not self.challengers:
            raise ConfigurationError("gauntlet.challengers: name at least one of the bots")
        for number, name in enumerate(self.challengers):
            if name not in names or name in self.challengers[:number]:
                wrong = "occurs twice" if name in names else "is none of the bots"
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


class SprtSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table ``sprt``: is the first bot better than the second by ``elo1``, or ``elo0``?

    Attributes:
        elo0, elo1: the two hypotheses, in Elo.
        alpha, beta: how probable a wrong decision for elo1, and for elo0, may be.
        most: the number of blocks after which it ends without a decision.
        model: ``logistic``, ``normalized`` (the hypotheses are in normalized Elo) or ``trinomial``.
    """

    elo0: Annotated[float, ranged(-2_000, 2_000)]
    elo1: Annotated[float, ranged(-2_000, 2_000)]
    alpha: Annotated[float, ranged(0.0001, 0.49)] = 0.05
    beta: Annotated[float, ranged(0.0001, 0.49)] = 0.05
    most: Annotated[int, ranged(1, MOST_SPRT_BLOCKS)] = 100_000
    model: Model = "logistic"

    @property
    def seeding(self) -> Seeding:
        """The order of the description."""
        return "order"

    @property
    def takes_cycles(self) -> bool:
        """No: the test decides how many blocks are played."""
        return False

    def check(self, names: Sequence[str], players: int) -> None:
        """Refuse more than two bots, and invalid hypotheses."""
        if len(names) != 2 or players != 2:
            raise ConfigurationError("sprt: it compares two bots in matches of two")
        check_ranges(self, "sprt.")
        if self.elo0 >= self.elo1:
            raise ConfigurationError(
                f"sprt.elo1: {self.elo1:g} is too low: choose more than elo0, {self.elo0:g}"
            )

    def refuses_late_entry(self, number: int) -> str:  # noqa: ARG002
        """Always: a test compares two bots."""
        return "sprt compares two bots"

    def drawn(self, entrants: Sequence[Entrant], players: int, cycles: int) -> Sprt:  # noqa: ARG002
        """The format itself."""
        names = [one.name for one in entrants]
        hypotheses, errors = (self.elo0, self.elo1), (self.alpha, self.beta)
        return Sprt(names, hypotheses, errors, self.most, self.model)
