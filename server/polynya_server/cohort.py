"""Who is served next when more sockets can be read than are served at once.

What a turn needs of memory, the match, two connections and the kernel's two sockets, has left the
processor's caches when a thousand other matches have had their turns, and fetching it again takes a
quarter of a turn. So those who were served just now and can be again come before those who wait;
after some calls it is the turn of whoever has waited longest (Larus and Parkes, "Using Cohort
Scheduling to Enhance Server Performance", USENIX 2002).

With 1,000 matches whose bots answer at once that made 45,000 turns a second of 38,000, 0.93 of what
the best number of matches makes instead of 0.76, and with 256 matches 47,000 of 40,000 (benchmarks'
README.md). More calls in a cohort hardly make it more: with 512 and 2,000 of them 1,000 matches
made 2 to 6 % more turns, and one move in a hundred waited for 0.28 and 0.53 s. Batches of 8, 24 and
32 were no better with 1,000.

Somebody waits only while more is asked for than can be done: half of the moves for 0.8 ms then
instead of 26, one in a hundred for 0.2 s instead of 0.04. Nobody is charged for it, because the
kernel knows when his answer came; and nobody waits for much longer, however many there are.
"""

from __future__ import annotations

from collections import deque
from typing import Final

BATCH: Final = 16
"""How many sockets are served before what was written for them is sent."""

CALLS: Final = 256
"""How many are served before those who have waited longest."""

CROWD: Final = 1_000
"""With more than so many waiting it is fewer, so that nobody waits for longer."""

Events = list[tuple[int, int]]
"""Descriptors with what can be done, as ``epoll`` tells it: each once."""


class Cohort:
    """The descriptors that can be read or written and have yet to be served.

    Each is kept once, so there are no more of them than there are sockets.
    """

    __slots__ = ("_calls", "_events", "_recent", "_waiting")

    def __init__(self) -> None:
        self._events: dict[int, int] = {}  # of all who are in one of the queues
        self._recent: deque[int] = deque()  # who can be served since the present cohort began
        self._waiting: deque[int] = deque()
        self._calls = 0

    def next(self, ready: Events) -> Events:
        """Who is served next, a batch at most, now that ``ready`` can be too.

        Nobody is left waiting where all fit into a batch: they are served in the order of coming.
        """
        if not self._events and len(ready) <= BATCH:
            self._calls = 0
            return ready
        self._put(ready)
        if self._calls * max(len(self._events), CROWD) >= CALLS * CROWD:
            self._calls = 0
            self._waiting.extend(self._recent)
            self._recent.clear()
        batch = self._take()
        self._calls += len(batch)
        return batch

    def forget(self, descriptor: int) -> None:
        """It is closed, and another one may get its number."""
        self._events.pop(descriptor, None)

    def _put(self, ready: Events) -> None:
        known, recent = self._events, self._recent
        for descriptor, events in ready:
            if descriptor in known:
                known[descriptor] |= events
            else:
                known[descriptor] = events
                recent.append(descriptor)

    def _take(self) -> Events:
        known = self._events
        batch: Events = []
        for queue in (self._recent, self._waiting):
            while queue and len(batch) < BATCH:
                descriptor = queue.popleft()
                if events := known.pop(descriptor, 0):  # none of who was forgotten
                    batch.append((descriptor, events))
        return batch
