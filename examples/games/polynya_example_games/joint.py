"""Positions of the games in which all seats choose at once, and only what is to come is hidden."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NoReturn, Self

import msgspec
from msgspec.structs import replace

from polynya_games import IllegalStep, InvalidState, Step
from polynya_games.chance import MOST_DRAWN, deal_from_hex, guessed_deal
from polynya_games.errors import describe
from polynya_games.randomness import SplitMix64
from polynya_games.reading import read_groups, read_integer
from polynya_games.steps import Forms


class JointPosition(msgspec.Struct, frozen=True, kw_only=True):
    """The common part of such positions.

    Attributes:
        forms: the forms of the steps.
        deal: 32 bytes that decide what is to come.
        drawn: the values of the deal that are used up.
        gone: the groups of seats that forfeited together, in that order.
    """

    forms: ClassVar[Forms]
    deal: bytes
    drawn: int
    gone: tuple[tuple[int, ...], ...] = ()

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now."""
        raise NotImplementedError

    def to_json(self) -> dict[str, Any]:
        """The whole position."""
        raise NotImplementedError

    @property
    def forfeited(self) -> tuple[int, ...]:
        """The seats that forfeited, in that order."""
        return tuple([seat for group in self.gone for seat in group])

    @property
    def to_move(self) -> int | None:
        """The least acting seat, None when the match is over."""
        return min(self.acting, default=None)

    @property
    def turn_over(self) -> bool:
        """True: a turn is always one step of each seat."""
        return True

    def apply(self, step: object) -> NoReturn:
        """Refuse: all turns are of two or more seats.

        Raises:
            InvalidStep: it is not of the form of a step of this game.
            IllegalStep: else, always.
        """
        checked = self.forms.read(step)
        raise IllegalStep(f"{describe(checked)} is the step of one seat, and all choose at once")

    def apply_legal(self, step: Step) -> NoReturn:
        """Refuse, as :meth:`apply` does."""
        self.apply(step)

    def view(self, seat: int | None) -> dict[str, Any]:
        """The document without what decides the future: all else is seen by everybody."""
        del seat
        document = self.to_json()
        del document["deal"], document["drawn"]
        return document

    def guess(self, seat: int | None, seed: int) -> Self:
        """The position with another deal."""
        del seat
        return replace(self, deal=guessed_deal(SplitMix64(seed)))


def read_common(document: Mapping[str, Any], players: int) -> dict[str, Any]:
    """The fields of :class:`JointPosition` from a document that has their keys.

    Raises:
        InvalidState: a value has another form, or a seat forfeits twice.
    """
    deal = deal_from_hex(document["deal"])
    if deal is None:
        raise InvalidState("deal is 64 hexadecimal digits in lower case")
    gone = read_groups(document["forfeited"], "forfeited", players)
    drawn = read_integer(document["drawn"], "drawn", 0, MOST_DRAWN)
    return {"deal": deal, "drawn": drawn, "gone": gone}
