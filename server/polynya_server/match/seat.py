"""The seat: the one way in which the referee meets a player, wherever that player is.

A seat turns everything that a player can do wrong into a :class:`Fault`; the referee sees no
exception, no socket and no message.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import msgspec

from polynya_games import State
from polynya_protocol.messages import ForfeitReason
from polynya_server.match.answer import Answer, Timing
from polynya_server.records.replay import ForfeitRecord, TurnRecord


class Fault(msgspec.Struct, frozen=True, gc=False):
    """What a player did wrong otherwise: why he forfeits.

    Attributes:
        reason: the contract's word.
        detail: one sentence for the players.
        timing: of the turn it happened in, if this seat was being asked.
    """

    reason: ForfeitReason
    detail: str
    timing: Timing | None = None


Reply = Answer | Fault | None
"""What a turn ends with; None when the question was withdrawn."""

OnReply = Callable[[Reply], None]


class Listener(Protocol):
    """Somebody who is told what happens in a match."""

    def moved(self, turn: TurnRecord) -> None:
        """A turn was played."""

    def forfeited(self, forfeit: ForfeitRecord) -> None:
        """A seat has forfeited."""


class Seat(Listener, Protocol):
    """A player at the table."""

    def ask(self, number: int, limit_ms: int, state: State, on_reply: OnReply) -> None:
        """Ask for turn ``number`` in ``state``, which may take ``limit_ms``.

        ``on_reply`` is called once, later and at the latest a little after the limit: with an
        answer, which may be late; a fault, ``timeout`` if no answer came; None when the question
        was withdrawn. What it calls may ask this seat again.
        """

    def withdraw(self) -> None:
        """End the turn that is being asked for, if one is: the match has ended without it."""
