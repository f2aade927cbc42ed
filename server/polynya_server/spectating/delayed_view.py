"""A match as it was some time ago: what happens waits, with the position after it, to be shown.

A match that is shown later has one queue and one alarm; without a delay there is neither.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TypeVar

from polynya_server.match.live_view import Position, Present, RunningClocks
from polynya_server.match.seat import Listener
from polynya_server.records.replay import ForfeitRecord, MatchEvent, TurnRecord
from polynya_server.spectating.delay import Delay
from polynya_server.timing.monotonic_clock import NS_PER_MS, NS_PER_US

Event = TypeVar("Event", TurnRecord, ForfeitRecord)


class _Waiting:
    """Something that is to be shown, and when; the match's event that it is, if it is one."""

    __slots__ = ("due_ns", "event", "show")

    def __init__(self, due_ns: int, show: Callable[[], None], event: MatchEvent | None) -> None:
        self.due_ns = due_ns
        self.show = show
        self.event = event


class Past:
    """A match as it was, which is shown to others as if it were played now.

    It keeps what is still to be shown, an event and the position after it for each turn: at most
    the match's own events, which its record holds as well.

    Args:
        delay: the server's.
        position: the initial one.
        began_ns: the moment that the events' times count from.
        present: gives the match as it is.
        audience: is told what happens, later.

    Attributes:
        events: what has been shown.
        position: how the match stood after it.
    """

    def __init__(
        self,
        delay: Delay,
        position: Position,
        began_ns: int,
        present: Callable[[], Present],
        audience: Listener,
    ) -> None:
        self.events: list[MatchEvent] = []
        self.position = position
        self._delay = delay
        self._began_ns = began_ns
        self._present = present
        self._audience = audience
        self._now = delay.timekeeper.now
        self._alarm = delay.timekeeper.alarm(self._show_due)
        self._queue: deque[_Waiting] = deque()
        self._is_shown = not delay.is_full

    def moved(self, turn: TurnRecord) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        position = self._present().position
        self.later(lambda: self._show(turn, position, self._audience.moved), turn)

    def forfeited(self, forfeit: ForfeitRecord) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        position = self._present().position
        self.later(lambda: self._show(forfeit, position, self._audience.forfeited), forfeit)

    def later(self, show: Callable[[], None], event: MatchEvent | None = None) -> None:
        """Let something be shown when its time has come, after all that came before it."""
        if not self._is_shown:
            return
        waiting = _Waiting(self._now() + self._delay.delay_ns, show, event)
        self._queue.append(waiting)
        self._delay.waiting += 1
        if len(self._queue) == 1:
            self._alarm.set(waiting.due_ns)

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stood."""
        position = self.position
        running_ms = self._running_ms()
        if running_ms is None or running_ms < 0:
            return RunningClocks(None, position.remaining_ms, None, None)
        seat, limit_ms = position.state.to_move, position.limit_ms
        return RunningClocks(seat, position.remaining_ms, limit_ms, running_ms)

    def _running_ms(self) -> int | None:
        """How long the seat to move had been thinking; below zero if it was still to be asked."""
        if not self._queue:
            running_ms = self._present().clocks.running_ms
            return None if running_ms is None else running_ms - self._delay.delay_ns // NS_PER_MS
        event = self._queue[0].event
        if event is None or event.flushed_us is None:
            return None
        if event.seat != self.position.state.to_move:
            return None
        then_ns = self._now() - self._delay.delay_ns
        return (then_ns - self._began_ns - event.flushed_us * NS_PER_US) // NS_PER_MS

    def _show_due(self) -> None:
        """Show what is due; a mistake in showing it costs nothing that comes after it."""
        queue, now_ns = self._queue, self._now()
        try:
            while queue and queue[0].due_ns <= now_ns:
                self._delay.waiting -= 1
                queue.popleft().show()
        finally:
            if queue:
                self._alarm.set(queue[0].due_ns)

    def _show(self, event: Event, position: Position, tell: Callable[[Event], None]) -> None:
        self.position = position
        self.events.append(event)
        tell(event)
