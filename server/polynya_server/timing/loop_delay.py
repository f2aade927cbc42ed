"""Measures how late the server itself was: its event loop's delays during matches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS

TICK_NS: Final = 10 * NS_PER_MS
KEPT_NS: Final = 3600 * 1_000 * NS_PER_MS


class LoopDelay:
    """Sets a deadline every 10 ms and notes how late it fires.

    A delay is dropped when a later one exceeds it, so the list is short and decreasing, and the
    largest delay since a given time is found near its end.

    Args:
        deadlines: calls it.
        observe: called with every delay, in ns.
    """

    def __init__(
        self, deadlines: DeadlineQueue, observe: Callable[[int], None] = lambda _delay_ns: None
    ) -> None:
        self._observe = observe
        self._now = deadlines.now
        self._deadline = deadlines.new(self._tick)
        self._due_ns: int | None = None
        self._users = 0
        self._delays: list[tuple[int, int]] = []  # (end, duration), durations decreasing

    def begin(self) -> None:
        """A match begins: measure until it has ended."""
        self._users += 1
        if self._users == 1:
            self._expect(self._now())

    def end(self) -> None:
        """A match has ended."""
        self._users -= 1
        if not self._users:
            self._deadline.clear()
            self._due_ns = None
            self._delays.clear()

    def largest_since(self, since_ns: int) -> int:
        """The largest delay, in ns, that ended after ``since_ns`` or is still going on."""
        largest = 0
        for ended_ns, delay_ns in reversed(self._delays):
            if ended_ns < since_ns:
                break
            largest = delay_ns
        if self._due_ns is None:
            return largest
        return max(largest, self._now() - self._due_ns)

    def _tick(self) -> None:
        if self._due_ns is None:
            return
        now_ns = self._now()
        self._note(now_ns, now_ns - self._due_ns)
        self._expect(now_ns)

    def _expect(self, now_ns: int) -> None:
        self._due_ns = now_ns + TICK_NS
        self._deadline.set(self._due_ns)

    def _note(self, now_ns: int, delay_ns: int) -> None:
        self._observe(delay_ns)
        delays = self._delays
        while delays and delays[-1][1] <= delay_ns:
            delays.pop()
        while delays and delays[0][0] < now_ns - KEPT_NS:
            del delays[0]
        delays.append((now_ns, delay_ns))
