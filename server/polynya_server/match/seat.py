"""The seat: the interface through which a match talks to a player, wherever that player runs.

A seat turns everything that a player can do wrong into a :class:`Fault`; the referee sees no
exception, no socket and no message. A bot on the network has a
:class:`~polynya_server.sessions.remote_seat.RemoteSeat`; any other object with these methods works
as well.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, Protocol

from polynya_common.reasons import Cause
from polynya_games import State
from polynya_protocol.messages import ForfeitReason, RatingChange, Software
from polynya_server.match.match_setup import MatchTerms
from polynya_server.match.position import Position
from polynya_server.match.turn_charge import charge_ms
from polynya_server.records import ForfeitRecord, MatchRecord, MatchSetup, TurnRecord


class TurnTiming:
    """The times of a turn, in monotonic ns.

    Attributes:
        asked_ns: when the ``turn`` was queued.
        clock_started_ns: when the operating system had taken all of it.
        first_ns: when the answer's first byte arrived; without an answer, when the turn ended.
        last_ns: when its last byte arrived and the clock stopped; without an answer as above.
        limit_ms: the turn's time limit.
        answered: whether there was an answer.
        by_kernel: whether the times of the answer are the kernel's.
        allowance_ns: the lag that is not charged.
        loop_delay_ns: the largest delay of the server's event loop meanwhile.
        charged_ms: the time charged to the player, without the allowance, in whole ms.
    """

    __slots__ = (
        "allowance_ns",
        "answered",
        "asked_ns",
        "by_kernel",
        "charged_ms",
        "clock_started_ns",
        "first_ns",
        "last_ns",
        "limit_ms",
        "loop_delay_ns",
    )

    def __init__(
        self,
        asked_ns: int,
        clock_started_ns: int,
        first_ns: int,
        last_ns: int,
        limit_ms: int,
        answered: bool = True,
        by_kernel: bool = False,
        allowance_ns: int = 0,
        loop_delay_ns: int = 0,
    ) -> None:
        self.asked_ns: Final = asked_ns
        self.clock_started_ns: Final = clock_started_ns
        self.first_ns: Final = first_ns
        self.last_ns: Final = last_ns
        self.limit_ms: Final = limit_ms
        self.answered: Final = answered
        self.by_kernel: Final = by_kernel
        self.allowance_ns: Final = allowance_ns
        self.loop_delay_ns: Final = loop_delay_ns
        self.charged_ms: Final = charge_ms(last_ns - clock_started_ns, allowance_ns)


class Answer:
    """A player's answer to a turn: steps of any form, on time or late.

    Attributes:
        steps: as the player sent them, unchecked.
        info: the bot's remarks, at most 1 KiB as msgpack.
        timing: when the player was asked and answered.
        unnamed: number of messages before it that named no turn.
    """

    __slots__ = ("info", "steps", "timing", "unnamed")

    def __init__(
        self, steps: object, info: dict[str, Any] | None, timing: TurnTiming, unnamed: int = 0
    ) -> None:
        self.steps: Final = steps
        self.info: Final = info
        self.timing: Final = timing
        self.unnamed: Final = unnamed


class Fault:
    """Why a player forfeits, apart from illegal steps and late answers.

    Attributes:
        reason: the contract's word.
        detail: what was wrong.
        timing: of the turn it happened in, if this seat was being asked.
        refused_steps: the steps received instead of a legal turn, if any.
    """

    __slots__ = ("detail", "reason", "refused_steps", "timing")

    def __init__(
        self,
        reason: ForfeitReason,
        detail: Cause,
        timing: TurnTiming | None = None,
        refused_steps: object = None,
    ) -> None:
        self.reason: Final = reason
        self.detail: Final = detail
        self.timing: Final = timing
        self.refused_steps: Final = refused_steps


Reply = Answer | Fault | None
"""A seat's reply to a turn; None if the turn was withdrawn."""

OnReply = Callable[[Reply], None]


class Transition:
    """The context of an event in a match with joint turns or hidden parts.

    Attributes:
        state: the position after the transition.
        is_last: whether this is its last event: then all learn what comes next.
    """

    __slots__ = ("is_last", "state")

    def __init__(self, state: State, is_last: bool) -> None:
        self.state: Final = state
        self.is_last: Final = is_last


class Listener(Protocol):
    """Receives each event of a match.

    ``within`` is the transition that the event belongs to in a match with joint turns or hidden
    parts, None in any other.
    """

    def moved(self, turn: TurnRecord, within: Transition | None = None) -> None:
        """A turn was played."""

    def forfeited(self, forfeit: ForfeitRecord, within: Transition | None = None) -> None:
        """A seat has forfeited."""


class MatchListener(Listener, Protocol):
    """Receives each event of a match and its result."""

    def over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:
        """The match is over and recorded; it has changed these ratings."""


class Seat(Listener, Protocol):
    """A player as the referee sees it."""

    def ask(self, turn_number: int, limit_ms: int, state: State, on_reply: OnReply) -> None:
        """Ask for turn ``turn_number`` in ``state``, which may take ``limit_ms``.

        ``state`` is the whole truth; a seat shows its player no more than the player may know.

        ``on_reply`` is called once, never before this returns and at the latest a little after
        the limit: with an answer, which may be late; with a fault, which is ``timeout`` if no
        answer came; or with None if the turn was withdrawn. It may ask this seat again.
        """

    def withdraw(self) -> None:
        """Cancel the pending turn, if there is one: the match has ended without it."""


class MatchContext(Protocol):
    """The match as its seats see it; they report readiness and faults to it."""

    @property
    def setup(self) -> MatchSetup:
        """The set-up: game, players, clock."""

    @property
    def options(self) -> dict[str, Any]:
        """The game's options with the defaults filled in."""

    @property
    def terms(self) -> MatchTerms:
        """Whether the match has joint turns or hidden parts, and the terms of these."""

    @property
    def initial_state(self) -> State:
        """The initial position."""

    @property
    def initial(self) -> dict[str, Any]:
        """The initial position, as JSON."""

    @property
    def position(self) -> Position:
        """The position and the clocks between two turns."""

    @property
    def is_gathering(self) -> bool:
        """Whether the match still waits until its players are ready."""

    def look_up(self, seat: int, find: Callable[[], Any], tell: Callable[[Any], None]) -> None:
        """In a game with ``waits``: ``find`` something for a seat in a thread, then ``tell`` it."""

    def on_ready(self) -> None:
        """A seat has become ready."""

    def on_fault(self, seat_index: int, fault: Fault) -> None:
        """A seat that is not being asked forfeits."""


class Participant(Seat, MatchListener, Protocol):
    """A player as the match sees it: a seat that is invited, gets ready, and hears the result.

    A match calls :meth:`join` when it is created and :meth:`invite` when it begins. Each method
    returns at once and raises nothing.
    """

    @property
    def software(self) -> Software | None:
        """The player's own name and version."""

    @property
    def ready(self) -> bool:
        """Whether the player has said that it is."""

    @property
    def running_ms(self) -> int | None:
        """Ms for which the turn's clock has been running, None while it does not run."""

    def join(self, match: MatchContext) -> None:
        """Take part in ``match``; from now on readiness and faults are reported to it."""

    def invite(self) -> None:
        """Tell the player that the match begins; call ``match.on_ready()`` now or later."""

    def read_pending(self) -> None:
        """Handle messages that have arrived but are still unread."""

    def why_not_ready(self, ready_ms: int) -> Cause:
        """Reason for the fault of a seat that was not ready in time."""
