"""The turn that a remote bot is being asked for: its clock, and who waits for the answer.

Whoever reads the bot's connection, or the alarm of its clock, calls the referee with the answer: no
task, no channel and no cancel scope per turn.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from polynya_games import State
from polynya_server.match.answer import Timing
from polynya_server.match.seat import OnReply, Reply
from polynya_server.match.time_control import first_late_ns
from polynya_server.services import Services
from polynya_server.timing.monotonic_clock import NS_PER_MS

FREE_QUERIES: Final = 100
"""How often a bot may ask for legal steps in one turn at any pace: its own clock runs."""


class Question:
    """What a seat is asked; one object that is used turn after turn.

    Args:
        services: the server's.
        on_deadline: called when the turn's time is over and no answer has been taken.

    Attributes:
        number: the turn that is asked for, 0 while none is.
        limit_ms: what it may take.
        state: the position; None while no turn is asked for.
        clock_runs: whether its clock has started.
    """

    __slots__ = (
        "_alarm",
        "_allowance_ns",
        "_flushed_ns",
        "_free_queries",
        "_largest_delay_since",
        "_now",
        "_on_reply",
        "_queued_ns",
        "clock_runs",
        "limit_ms",
        "number",
        "state",
    )

    def __init__(self, services: Services, on_deadline: Callable[[], None]) -> None:
        self.number = 0
        self.limit_ms = 0
        self.state: State | None = None
        self.clock_runs = False
        self._now = services.now
        self._largest_delay_since = services.loop_delay.largest_since
        self._free_queries = 0
        self._queued_ns = 0
        self._flushed_ns = 0
        self._allowance_ns = 0
        self._on_reply: OnReply | None = None
        self._alarm = services.timekeeper.alarm(on_deadline)

    def put(
        self, number: int, limit_ms: int, state: State, allowance_ns: int, on_reply: OnReply
    ) -> None:
        """A turn is asked for, and ``on_reply`` waits for it; its clock does not run yet."""
        self.number = number
        self.limit_ms = limit_ms
        self.state = state
        self.clock_runs = False
        self._free_queries = FREE_QUERIES
        self._allowance_ns = allowance_ns
        self._on_reply = on_reply
        self._queued_ns = self._now()

    def start_clock(self) -> None:
        """The question has been handed over: the clock of the turn starts, if it has not."""
        if self.number and not self.clock_runs:
            self.clock_runs = True
            self._flushed_ns = flushed_ns = self._now()
            self._alarm.set(first_late_ns(flushed_ns, self.limit_ms, self._allowance_ns))

    def take_free_query(self) -> bool:
        """Whether one more question for legal steps is within what a turn has for free."""
        self._free_queries -= 1
        return self._free_queries >= 0

    def is_for(self, turn: object) -> bool:
        """Whether ``turn`` is the one that is asked for; True is not 1, and 1.0 is not either."""
        return type(turn) is int and turn == self.number != 0

    @property
    def is_open(self) -> bool:
        """Whether somebody waits for the answer."""
        return self._on_reply is not None

    @property
    def left_ms(self) -> int:
        """What is left of the turn's time, in whole ms."""
        return max(0, self.limit_ms - (self.running_ms or 0))

    @property
    def running_ms(self) -> int | None:
        """How long its clock has been running, in whole ms; None while it does not run."""
        if not self.number or not self.clock_runs:
            return None
        return (self._now() - self._flushed_ns) // NS_PER_MS

    def answered(self, first_ns: int, last_ns: int, kernel: bool) -> Timing:
        """The times of a turn whose answer has arrived.

        An answer to a question that cannot have been read yet is as if it had come at once; and a
        time before the clock started can only be an error of the clocks.
        """
        flushed_ns = self._flushed_ns if self.clock_runs else last_ns
        return Timing(
            self._queued_ns,
            flushed_ns,
            first_ns if first_ns > flushed_ns else flushed_ns,
            last_ns if last_ns > flushed_ns else flushed_ns,
            self.limit_ms,
            True,
            kernel,
            self._allowance_ns,
            self._largest_delay_since(flushed_ns),
        )

    def unanswered(self) -> Timing:
        """The times of a turn that ends now without an answer."""
        now_ns = self._now()
        flushed_ns = self._flushed_ns if self.clock_runs else now_ns
        return Timing(
            self._queued_ns,
            flushed_ns,
            now_ns,
            now_ns,
            self.limit_ms,
            answered=False,
            allowance_ns=self._allowance_ns,
            loop_delay_ns=self._largest_delay_since(flushed_ns),
        )

    def extend(self) -> bool:
        """Give an answer that could be late by the server's fault the time to come.

        Returns:
            False if it has had that time: it was not the server.
        """
        late_ns = first_late_ns(self._flushed_ns, self.limit_ms, self._allowance_ns)
        end_ns = late_ns + 2 * self._largest_delay_since(self._flushed_ns)
        if self._now() >= end_ns:
            return False
        self._alarm.set(end_ns)
        return True

    def close(self, reply: Reply) -> None:
        """Tell who waits: the turn is no longer asked for. The next one may have been put then."""
        on_reply = self._on_reply
        if on_reply is not None:
            self._on_reply = None
            self.number = 0
            self.state = None
            self._alarm.clear()
            on_reply(reply)

    def dispose(self) -> None:
        """Nothing will be asked any more."""
        self._on_reply = None
        self._alarm.close()
