"""The turn that a player is being asked for: runs its clock and calls back with the answer.

The callback runs where the answer is read, or when the clock runs out: a turn needs no task, no
channel and no cancel scope.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from polynya_games import State
from polynya_server.match.seat import OnReply, Reply, TurnTiming
from polynya_server.match.turn_charge import first_late_ns
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.loop_delay import LoopDelay
from polynya_server.timing.monotonic_clock import NS_PER_MS

FREE_QUERIES: Final = 100
"""Free queries for legal steps per turn, at any pace: the bot's own clock runs meanwhile."""


class PendingTurn:
    """The pending turn of one seat; one object serves all its turns.

    Args:
        deadlines: keeps the turn's deadline.
        loop_delay: knows how late the server itself was.
        on_deadline: called when the turn's time is over and no answer has been taken.

    Attributes:
        turn_number: number of the pending turn, 0 for none.
        limit_ms: its time limit.
        state: its position; None while no turn is pending.
        clock_runs: whether its clock has started.
    """

    __slots__ = (
        "_allowance_ns",
        "_asked_ns",
        "_clock_started_ns",
        "_deadline",
        "_free_queries",
        "_largest_delay_since",
        "_now",
        "_on_reply",
        "clock_runs",
        "limit_ms",
        "state",
        "turn_number",
    )

    def __init__(
        self, deadlines: DeadlineQueue, loop_delay: LoopDelay, on_deadline: Callable[[], None]
    ) -> None:
        self.turn_number = 0
        self.limit_ms = 0
        self.state: State | None = None
        self.clock_runs = False
        self._now = deadlines.now
        self._largest_delay_since = loop_delay.largest_since
        self._free_queries = 0
        self._asked_ns = 0
        self._clock_started_ns = 0
        self._allowance_ns = 0
        self._on_reply: OnReply | None = None
        self._deadline = deadlines.new(on_deadline)

    def start(
        self, turn_number: int, limit_ms: int, state: State, allowance_ns: int, on_reply: OnReply
    ) -> None:
        """Ask for a turn, whose reply goes to ``on_reply``; its clock does not run yet."""
        self.turn_number = turn_number
        self.limit_ms = limit_ms
        self.state = state
        self.clock_runs = False
        self._free_queries = FREE_QUERIES
        self._allowance_ns = allowance_ns
        self._on_reply = on_reply
        self._asked_ns = self._now()

    def start_clock(self) -> None:
        """Start the clock, unless it runs: the ``turn`` has been handed to the system."""
        if self.turn_number and not self.clock_runs:
            self.clock_runs = True
            self._clock_started_ns = clock_started_ns = self._now()
            self._deadline.set(first_late_ns(clock_started_ns, self.limit_ms, self._allowance_ns))

    def take_free_query(self) -> bool:
        """Count a query for legal steps; whether it is free."""
        self._free_queries -= 1
        return self._free_queries >= 0

    def is_for(self, turn: object) -> bool:
        """Whether ``turn`` names the pending turn; neither True nor 1.0 counts as 1."""
        return type(turn) is int and turn == self.turn_number != 0

    @property
    def is_open(self) -> bool:
        """Whether a turn is pending."""
        return self._on_reply is not None

    @property
    def left_ms(self) -> int:
        """Remaining time of the turn, in whole ms."""
        return max(0, self.limit_ms - (self.running_ms or 0))

    @property
    def running_ms(self) -> int | None:
        """How long its clock has been running, in whole ms; None while it does not run."""
        if not self.turn_number or not self.clock_runs:
            return None
        return (self._now() - self._clock_started_ns) // NS_PER_MS

    def answered(self, first_ns: int, last_ns: int, by_kernel: bool) -> TurnTiming:
        """The times of a turn whose answer has arrived.

        An answer to a ``turn`` that the bot cannot have read yet counts as instant; a time before
        the clock's start can only be a clock error.
        """
        clock_started_ns = self._clock_started_ns if self.clock_runs else last_ns
        return TurnTiming(
            self._asked_ns,
            clock_started_ns,
            first_ns if first_ns > clock_started_ns else clock_started_ns,
            last_ns if last_ns > clock_started_ns else clock_started_ns,
            self.limit_ms,
            True,
            by_kernel,
            self._allowance_ns,
            self._largest_delay_since(clock_started_ns),
        )

    def answered_now(self) -> TurnTiming:
        """The times of a turn that a call in this process answers now."""
        now_ns = self._now()
        return self.answered(now_ns, now_ns, False)

    def unanswered(self) -> TurnTiming:
        """The times of a turn that ends now without an answer."""
        now_ns = self._now()
        clock_started_ns = self._clock_started_ns if self.clock_runs else now_ns
        return TurnTiming(
            self._asked_ns,
            clock_started_ns,
            now_ns,
            now_ns,
            self.limit_ms,
            answered=False,
            allowance_ns=self._allowance_ns,
            loop_delay_ns=self._largest_delay_since(clock_started_ns),
        )

    def extend(self) -> bool:
        """Extend the deadline if the server's own delay could make the answer late.

        Returns:
            False if the turn had that time already: the server is not to blame.
        """
        late_ns = first_late_ns(self._clock_started_ns, self.limit_ms, self._allowance_ns)
        end_ns = late_ns + 2 * self._largest_delay_since(self._clock_started_ns)
        if self._now() >= end_ns:
            return False
        self._deadline.set(end_ns)
        return True

    def resolve(self, reply: Reply) -> None:
        """End the turn with ``reply``; the callback may start the next one."""
        on_reply = self._on_reply
        if on_reply is not None:
            self._on_reply = None
            self.turn_number = 0
            self.state = None
            self._deadline.clear()
            on_reply(reply)

    def cancel(self) -> None:
        """Cancel the turn for good: the match is over."""
        self._on_reply = None
        self._deadline.close()
