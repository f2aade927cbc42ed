"""Shows a match after a delay: queues its events, each with the position after it.

A delayed match has one queue and one deadline; a live match has neither.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from polynya_games import State
from polynya_games.seats import acting
from polynya_protocol.messages import RatingChange
from polynya_server.match.match import Match
from polynya_server.match.position import Position, RunningClocks
from polynya_server.match.seat import MatchListener, Transition
from polynya_server.records import ForfeitRecord, MatchEvent, MatchRecord, TurnRecord
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS, NS_PER_S, NS_PER_US

MAX_WAITING: Final = 100_000
"""While this many events are queued, matches that begin are not shown to spectators."""

Event = TypeVar("Event", TurnRecord, ForfeitRecord)
Tell = Callable[[Event, "Transition | None"], None]


class Delay:
    """The delay of one server, for all of its matches.

    Attributes:
        delay_ns: the delay.
        waiting: number of queued events of all matches.
    """

    def __init__(self, deadlines: DeadlineQueue, delay_s: int) -> None:
        self.deadlines = deadlines
        self.delay_ns = delay_s * NS_PER_S
        self.waiting = 0

    @property
    def is_full(self) -> bool:
        """Whether too many events are queued to show matches that begin now."""
        return self.waiting >= MAX_WAITING


class _Scheduled:
    """A queued change with its due time, and the match's event that caused it, if any."""

    __slots__ = ("due_ns", "event", "show")

    def __init__(self, due_ns: int, show: Callable[[], None], event: MatchEvent | None) -> None:
        self.due_ns = due_ns
        self.show = show
        self.event = event


class DelayedView:
    """View of a match as it was, for spectators who see it as if it were played now.

    It queues the events that have not been shown, each with the position after it: at most the
    match's own events, which its record holds as well.

    Args:
        delay: the server's.
        match: the match, which has just begun.

    Attributes:
        events: the events that have been shown.
        position: the position after them.
    """

    def __init__(self, delay: Delay, match: Match) -> None:
        self.events: list[MatchEvent] = []
        self.position: Position = match.view.position
        self._delay = delay
        self._began_ns = match.began_ns
        self._live = match.view
        self._now = delay.deadlines.now
        self._deadline = delay.deadlines.new(self._show_due)
        self._queue: deque[_Scheduled] = deque()
        self._last_state: State | None = None
        self._is_shown = not delay.is_full
        self._ended = False

    def schedule_event(self, event: Event, within: Transition | None, tell: Tell[Event]) -> None:
        """Queue an event that has just happened; when it is due, show it and ``tell`` it.

        All events of a transition are due at the same moment: no spectator sees the match between
        them.
        """
        position = self._live.position
        same = within is not None and self._queue and within.state is self._last_state
        due_ns = self._queue[-1].due_ns if same else None
        self._last_state = None if within is None else within.state
        self.schedule(lambda: self._show(event, position, within, tell), event, due_ns)

    def schedule(
        self,
        show: Callable[[], None],
        event: MatchEvent | None = None,
        due_ns: int | None = None,
    ) -> None:
        """Queue a change; when it is due, show it after all earlier changes."""
        if not self._is_shown:
            return
        waiting = _Scheduled(due_ns or self._now() + self._delay.delay_ns, show, event)
        self._queue.append(waiting)
        self._delay.waiting += 1
        if len(self._queue) == 1:
            self._deadline.set(waiting.due_ns)

    def end(self) -> None:
        """Queue no more changes: when the last is shown, the view is final and can be freed."""
        self._ended = True
        if not self._queue:
            self._deadline.close()

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stood."""
        position = self.position
        running_ms = self._running_ms()
        if running_ms is None or running_ms < 0:
            return RunningClocks(None, position.remaining_ms, None, None)
        seats, limit_ms = acting(position.state), position.limit_ms
        return RunningClocks(seats[0], position.remaining_ms, limit_ms, running_ms, seats)

    def _running_ms(self) -> int | None:
        """Ms for which the acting seats had been thinking; negative if they had not been asked."""
        if not self._queue:
            running_ms = self._live.clocks.running_ms
            return None if running_ms is None else running_ms - self._delay.delay_ns // NS_PER_MS
        event = self._queue[0].event
        if event is None or event.flushed_us is None:
            return None
        if event.seat not in acting(self.position.state):
            return None
        then_ns = self._now() - self._delay.delay_ns
        return (then_ns - self._began_ns - event.flushed_us * NS_PER_US) // NS_PER_MS

    def _show_due(self) -> None:
        """Show the changes that are due; an error in one does not affect the later ones."""
        queue, now_ns = self._queue, self._now()
        try:
            while queue and queue[0].due_ns <= now_ns:
                self._delay.waiting -= 1
                queue.popleft().show()
        finally:
            if queue:
                self._deadline.set(queue[0].due_ns)
            elif self._ended:
                self._deadline.close()

    def _show(
        self, event: Event, position: Position, within: Transition | None, tell: Tell[Event]
    ) -> None:
        self.position = position
        self.events.append(event)
        tell(event, within)


class DelayedListener:
    """Passes a match's events to another listener when the view shows them."""

    def __init__(self, view: DelayedView, listener: MatchListener) -> None:
        self._view = view
        self._listener = listener

    def moved(self, turn: TurnRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._view.schedule_event(turn, within, self._listener.moved)

    def forfeited(self, forfeit: ForfeitRecord, within: Transition | None = None) -> None:
        """See :class:`~polynya_server.match.seat.Listener`."""
        self._view.schedule_event(forfeit, within, self._listener.forfeited)

    def over(self, record: MatchRecord, changes: Sequence[RatingChange]) -> None:
        """See :class:`~polynya_server.match.seat.MatchListener`."""
        self._view.schedule(lambda: self._listener.over(record, changes))
