"""Who is served next when more sockets can be read than are served at once.

What a turn needs of memory, the match, two connections and the kernel's two sockets, has left the
processor's caches when a thousand other matches have had their turns, and fetching it again takes a
quarter of a turn. So where there has been no end of waiting for some time, those who were served
just now and can be again come before those who wait; after some calls it is the turn of whoever has
waited longest (Larus and Parkes, "Using Cohort Scheduling to Enhance Server Performance", USENIX
2002).

With 1,000 matches whose bots answer at once that made 45,000 turns a second of 37,600, 0.95 of what
the best number of matches makes instead of 0.80 (benchmarks' README.md). More calls in a cohort
hardly make it more: with 512 and 2,000 of them there were 2 to 6 % more turns, and one move in a
hundred waited for 0.28 and 0.53 s. Batches of 8, 24 and 32 were no better with 1,000 matches.

Half of the moves wait for 0.7 ms then instead of 26, and one in a hundred for 0.2 s instead of
0.04, but only while more is asked for than can be done. Nobody is charged for it, because the
kernel knows when his answer came; and nobody waits for much longer, however many there are. Where
all that waits comes from a pause of the loop, whoever has waited longest comes first: with cohorts
one move in a hundred waited for 7 ms at half load, and for 3.5 without.
"""

from __future__ import annotations

from collections import deque
from typing import Final

BATCH: Final = 16
"""How many sockets are served before what was written for them is sent."""

CALLS: Final = 256
"""How many are served in a rush before those who have waited longest."""

RUSH: Final = 4_096
"""After so many calls without a moment in which nobody had to wait there is one: a tenth of a
second. What a pause of the loop leaves behind is served within a fourth of it."""

CROWD: Final = 1_000
"""With more than so many waiting a cohort is shorter, so that nobody waits for longer."""

Events = list[tuple[int, int]]
"""Descriptors with what can be done, as ``epoll`` tells it: each once."""


class Cohort:
    """The descriptors that can be read or written and have yet to be served.

    Each is kept once, so there are no more of them than there are sockets.
    """

    __slots__ = ("_calls", "_events", "_recent", "_rushed", "_waiting")

    def __init__(self) -> None:
        self._events: dict[int, int] = {}  # of all who are in one of the queues
        self._recent: deque[int] = deque()  # who can be served since the present cohort began
        self._waiting: deque[int] = deque()
        self._calls = 0  # of the present cohort
        self._rushed = 0  # calls since nobody had to wait

    def next(self, ready: Events) -> Events:
        """Who is served next, a batch at most, now that ``ready`` can be too.

        Nobody is left waiting where all fit into a batch: they are served in the order of coming.
        """
        if not self._events and len(ready) <= BATCH:
            self._rushed = 0
            return ready
        self._put(ready)
        crowd = max(len(self._events), CROWD)
        if self._rushed < RUSH or self._calls * crowd >= CALLS * CROWD:
            self._calls = 0
            self._waiting.extend(self._recent)
            self._recent.clear()
        batch = self._take()
        self._calls += len(batch)
        self._rushed += len(batch)
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
