"""Fires all deadlines of the server from one task.

A deadline in trio is a cancel scope: 5.6 µs to open one per turn, 1.5 µs to move one. Here it is a
plain attribute that is mostly moved *later*: that costs one comparison, because the heap learns of
it only when the old time has come.
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
"""How many deadlines fire before other tasks run again."""

MIN_TO_COMPACT: Final = 1024
"""With fewer entries the queue is never compacted."""


class Deadline:
    """A callback and the time at which it is called; made by :meth:`DeadlineQueue.new`.

    Attributes:
        due_ns: when it fires, :data:`NEVER` while it is not set.
    """

    __slots__ = ("_entry_ns", "_fire", "_push", "due_ns")

    def __init__(self, push: Callable[[Deadline, int], None], fire: Callable[[], None]) -> None:
        self._push = push
        self._fire: Callable[[], None] | None = fire
        self._entry_ns = NEVER
        self.due_ns = NEVER

    def set(self, due_ns: int) -> None:
        """Fire at ``due_ns`` and not before."""
        self.due_ns = due_ns
        if due_ns < self._entry_ns:
            self._entry_ns = due_ns
            self._push(self, due_ns)

    def clear(self) -> None:
        """Unset the deadline: it does not fire until it is set again."""
        self.due_ns = NEVER

    def close(self) -> None:
        """Never fire again, and drop the reference to the callback."""
        self.due_ns = NEVER
        self._fire = None

    def is_current(self, entry_ns: int) -> bool:
        """Whether the queue's entry for this time still counts."""
        return self._fire is not None and entry_ns == self._entry_ns

    def on_due(self, entry_ns: int, now_ns: int) -> None:
        """Handle a due entry of the queue: fire, re-enter a later time, or drop it."""
        if entry_ns != self._entry_ns:
            return  # moved to an earlier time since: the entry for that time counts
        self._entry_ns = NEVER
        if self.due_ns == NEVER or self._fire is None:
            return
        if self.due_ns > now_ns:
            self.set(self.due_ns)
            return
        self.due_ns = NEVER
        self._fire()


class DeadlineQueue:
    """Fires deadlines; :meth:`run` is its task.

    If a callback raises, that is a bug in its owner: it is logged, and other deadlines go on.

    Attributes:
        now: reads the clock by which deadlines are due, in nanoseconds.
    """

    def __init__(self, now: NowNs) -> None:
        self.now = now
        self._heap: list[tuple[int, int, Deadline]] = []  # due time, a unique number, the deadline
        self._compact_at = MIN_TO_COMPACT
        self._next_ns = NEVER
        self._serial = count().__next__
        self._sleep = trio.CancelScope()

    def __len__(self) -> int:
        """Number of entries, including closed deadlines that have not been removed yet."""
        return len(self._heap)

    def new(self, fire: Callable[[], None]) -> Deadline:
        """Create a deadline, not set yet."""
        return Deadline(self._push, fire)

    async def run(self) -> None:
        """Fire deadlines when they are due, until cancelled."""
        while True:
            self._next_ns = self._heap[0][0] if self._heap else NEVER
            deadline = trio_time(self._next_ns) if self._heap else float("inf")
            with trio.CancelScope(deadline=deadline) as self._sleep:
                await trio.sleep_forever()
            self._fire_due()

    def _push(self, deadline: Deadline, entry_ns: int) -> None:
        if len(self._heap) >= self._compact_at:
            self._compact()
        heapq.heappush(self._heap, (entry_ns, self._serial(), deadline))
        if entry_ns < self._next_ns:
            self._next_ns = entry_ns
            self._sleep.deadline = trio_time(entry_ns)

    def _compact(self) -> None:
        """Remove closed deadlines, which would otherwise stay in the heap until they expire."""
        self._heap = [entry for entry in self._heap if entry[2].is_current(entry[0])]
        heapq.heapify(self._heap)
        self._compact_at = max(MIN_TO_COMPACT, 2 * len(self._heap))

    def _fire_due(self) -> None:
        for _ in range(BATCH):
            now_ns = self.now()
            if not self._heap or self._heap[0][0] > now_ns:
                return
            entry_ns, _, deadline = heapq.heappop(self._heap)
            try:
                deadline.on_due(entry_ns, now_ns)
            except Exception:
                log.exception("a deadline's callback failed")
