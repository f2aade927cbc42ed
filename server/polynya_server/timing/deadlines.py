"""One task that keeps every deadline of the server.

A deadline in trio is a cancel scope: 5.6 µs to open one per turn, 1.5 µs to move one. Here a
deadline is an :class:`Alarm`, a plain attribute that is mostly moved *later*: that costs one
comparison, because the heap learns of it only when the old time has come.

What closed alarms leave behind is swept when it may be half of all: a match of quick bots is over
in a second, and the deadlines of its clocks, of an hour, would be there for an hour. With 1,000
matches sweeping one heap took 5 ms, in which no move was served, twice in three seconds. So there
are :data:`HEAPS` of them, and each is swept by itself.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import Final

import trio

from polynya_server.log import log
from polynya_server.timing.monotonic_clock import NowNs, trio_time

NEVER: Final = 2**62 - 1
"""Later than any time: in nanoseconds 146 years, and an integer that is compared as one word."""

BATCH: Final = 100
"""How many alarms ring before other tasks run again."""

FEWEST_SWEPT: Final = 1024
"""With fewer entries none is looked for that may go."""

HEAPS: Final = 16


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


Entry = tuple[int, int, Alarm]
"""When it comes up, a number that no other one has, and of whom it is."""


class _Heap:
    """A part of the entries, the next one first.

    Args:
        growth: how many times as many as after a sweep are swept.
    """

    __slots__ = ("_growth", "_swept_at", "entries")

    def __init__(self, growth: float) -> None:
        self.entries: list[Entry] = []
        self._growth = growth
        self._swept_at = FEWEST_SWEPT // HEAPS

    def push(self, entry: Entry) -> None:
        if len(self.entries) >= self._swept_at:
            self._sweep()
        heapq.heappush(self.entries, entry)

    def _sweep(self) -> None:
        self.entries = [entry for entry in self.entries if entry[2].expects(entry[0])]
        heapq.heapify(self.entries)
        self._swept_at = max(FEWEST_SWEPT // HEAPS, int(self._growth * len(self.entries)))


class Timekeeper:
    """Lets alarms ring; :meth:`run` is its task.

    An alarm that raises is a bug of its owner: it is logged, and the others ring on.
    """

    def __init__(self, now: NowNs) -> None:
        self.now = now
        # They grow alike, and are not to be swept at the same moment.
        self._heaps = [_Heap(2 + number / HEAPS) for number in range(HEAPS)]
        self._next_ns = NEVER
        self._serial = count().__next__
        self._sleep = trio.CancelScope()

    def __len__(self) -> int:
        """How many times it keeps, those of closed alarms included that are not swept yet."""
        return sum([len(heap.entries) for heap in self._heaps])

    def alarm(self, ring: Callable[[], None]) -> Alarm:
        """A new alarm, not set."""
        return Alarm(self._enter, ring)

    async def run(self) -> None:
        """Let alarms ring when they are due, for ever."""
        while True:
            first = self._first()
            self._next_ns = NEVER if first is None else first.entries[0][0]
            deadline = float("inf") if first is None else trio_time(self._next_ns)
            with trio.CancelScope(deadline=deadline) as self._sleep:
                await trio.sleep_forever()
            self._ring_due()

    def _enter(self, alarm: Alarm, entry_ns: int) -> None:
        serial = self._serial()
        self._heaps[serial % HEAPS].push((entry_ns, serial, alarm))
        if entry_ns < self._next_ns:
            self._next_ns = entry_ns
            self._sleep.deadline = trio_time(entry_ns)

    def _first(self) -> _Heap | None:
        """The heap whose first entry comes before all others; None without any."""
        first: _Heap | None = None
        for heap in self._heaps:
            if heap.entries and (first is None or heap.entries[0] < first.entries[0]):
                first = heap
        return first

    def _ring_due(self) -> None:
        for _ in range(BATCH):
            now_ns = self.now()
            first = self._first()
            if first is None or first.entries[0][0] > now_ns:
                return
            entry_ns, _, alarm = heapq.heappop(first.entries)
            try:
                alarm.reached(entry_ns, now_ns)
            except Exception:
                log.exception("an alarm failed")
