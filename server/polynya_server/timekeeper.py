"""One task that keeps every deadline of the server.

A deadline in trio is a cancel scope: 5.6 µs to open one per turn, 1.5 µs to move one. Here a
deadline is an :class:`Alarm`, a plain attribute that is mostly moved *later*: that costs one
comparison, because the heap learns of it only when the old time has come.

What closed alarms leave in the heap is swept when it may be half of it: a match of quick bots is
over in a second, and the deadlines of its clocks, of an hour, would be there for an hour.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import Final

import trio

from polynya_server.log import log
from polynya_server.monotonic import NowNs, trio_time

NEVER: Final = 2**62 - 1
"""Later than any time: in nanoseconds 146 years, and an integer that is compared as one word."""

BATCH: Final = 100
"""How many alarms ring before other tasks run again."""

FEWEST_SWEPT: Final = 1024
"""With fewer entries none is looked for that may go."""


class Alarm:
    """A deadline: what rings, and when.

    Attributes:
        due_ns: when it rings, :data:`NEVER` while it is not set.
    """

    __slots__ = ("_enter", "_entry_ns", "_ring", "due_ns")

    def __init__(self, enter: Callable[[Alarm, int], None], ring: Callable[[], None]) -> None:
        self._enter = enter
        self._ring: Callable[[], None] | None = ring
        self._entry_ns = NEVER
        self.due_ns = NEVER

    def set(self, due_ns: int) -> None:
        """Let it ring at ``due_ns`` and not before."""
        self.due_ns = due_ns
        if due_ns < self._entry_ns:
            self._entry_ns = due_ns
            self._enter(self, due_ns)

    def clear(self) -> None:
        """Let it not ring, until it is set again."""
        self.due_ns = NEVER

    def close(self) -> None:
        """Let it never ring again, and let go of what it would have called."""
        self.due_ns = NEVER
        self._ring = None

    def expects(self, entry_ns: int) -> bool:
        """Whether the entry for this time still is one to wait for."""
        return self._ring is not None and entry_ns == self._entry_ns

    def reached(self, entry_ns: int, now_ns: int) -> None:
        """An entry in the timekeeper's heap has come up: ring, enter again, or let it go."""
        if entry_ns != self._entry_ns:
            return  # it was moved to an earlier time since: that entry counts
        self._entry_ns = NEVER
        if self.due_ns == NEVER or self._ring is None:
            return
        if self.due_ns > now_ns:
            self.set(self.due_ns)
            return
        self.due_ns = NEVER
        self._ring()


class Timekeeper:
    """Lets alarms ring; :meth:`run` is its task.

    An alarm that raises is a bug of its owner: it is logged, and the others ring on.
    """

    def __init__(self, now: NowNs) -> None:
        self.now = now
        self._heap: list[tuple[int, int, Alarm]] = []
        self._swept_at = FEWEST_SWEPT
        self._serial = count().__next__
        self._sleep = trio.CancelScope()

    def __len__(self) -> int:
        """How many times it keeps, those of closed alarms included that are not swept yet."""
        return len(self._heap)

    def alarm(self, ring: Callable[[], None]) -> Alarm:
        """A new alarm, not set."""
        return Alarm(self._enter, ring)

    async def run(self) -> None:
        """Let alarms ring when they are due, for ever."""
        while True:
            deadline = trio_time(self._heap[0][0]) if self._heap else float("inf")
            with trio.CancelScope(deadline=deadline) as self._sleep:
                await trio.sleep_forever()
            self._ring_due()

    def _enter(self, alarm: Alarm, entry_ns: int) -> None:
        if len(self._heap) >= self._swept_at:
            self._sweep()
        heapq.heappush(self._heap, (entry_ns, self._serial(), alarm))
        if self._heap[0][0] == entry_ns:
            self._sleep.deadline = trio_time(entry_ns)

    def _sweep(self) -> None:
        self._heap = [entry for entry in self._heap if entry[2].expects(entry[0])]
        heapq.heapify(self._heap)
        self._swept_at = max(FEWEST_SWEPT, 2 * len(self._heap))

    def _ring_due(self) -> None:
        for _ in range(BATCH):
            now_ns = self.now()
            if not self._heap or self._heap[0][0] > now_ns:
                return
            entry_ns, _, alarm = heapq.heappop(self._heap)
            try:
                alarm.reached(entry_ns, now_ns)
            except Exception:
                log.exception("an alarm failed")
