"""Whether to stay awake when there is nothing to read: only a loop that hardly sleeps anyway.

A loop that goes to sleep loses its processor and what it had in the caches, and is woken later than
it asked for. At half of the maximal load with a thousand matches a turn took twice as long as it
takes without sleeping in between, and the longest waits were for somebody who had taken the
processor meanwhile. So a loop that computes for more than half of the time stays awake for a while
when there is nothing to read, and looks again after every round of the other tasks. That costs at
most as much of the processor as it would have slept, less than half of it. A loop that computes
less, as with bots that think, sleeps at once. And so does one that has a single core: while it is
awake nobody else runs there.

With two cores, against a loop that searched for as long as its last sleeps had been short: half of
the moves were served within 0.13 ms instead of 0.28 with 1,000 matches at half load, the longest
pause in 8 s was 9 ms instead of 19 (medians of six pairs); 1, 2 and 4 matches with a process for
each bot made 45, 17 and 10 % more turns a second (four pairs).

How busy it is says the processor time of its thread in a window on the wall's clock, less what was
spent on looking. Where others want the processor too it gets less, and soon sleeps again.
"""

from __future__ import annotations

from collections.abc import Callable
from time import thread_time_ns
from typing import Final

AWAKE_NS: Final = 500_000
"""How long to stay awake after the last bytes: nearly all rests of a busy loop are shorter."""

WINDOW_NS: Final = 50_000_000
"""How long is observed before it is decided anew."""

ROUND_NS: Final = 20_000
"""What a round of tasks without work takes at most; the rest of a longer one was work."""


class BusyPoll:
    """Decides.

    Args:
        cores: how many this process may use.
        used_ns: the processor time of the calling thread, in nanoseconds.
    """

    __slots__ = (
        "_awake_until_ns",
        "_begin_ns",
        "_is_busy",
        "_may_stay",
        "_missed_ns",
        "_used",
        "_used_ns",
    )

    def __init__(self, cores: int, used_ns: Callable[[], int] = thread_time_ns) -> None:
        self._may_stay = cores > 1
        self._used = used_ns
        self._used_ns = 0
        self._begin_ns = 0
        self._missed_ns = 0
        self._awake_until_ns = 0
        self._is_busy = False

    def served(self, now_ns: int) -> None:
        """Something had come, and was dealt with by now, on a clock that only goes forward."""
        if now_ns - self._begin_ns >= WINDOW_NS:
            self._weigh(now_ns)
        if self._is_busy:
            self._awake_until_ns = now_ns + AWAKE_NS

    def is_awake(self, now_ns: int) -> bool:
        """Whether to look again, now that there was nothing to read."""
        return now_ns < self._awake_until_ns

    def missed(self, ns: int) -> None:
        """A round of the other tasks took so long, between nothing to read and looking again."""
        self._missed_ns += min(ns, ROUND_NS)

    def _weigh(self, now_ns: int) -> None:
        used_ns = self._used()
        computed_ns = used_ns - self._used_ns - self._missed_ns
        self._is_busy = self._may_stay and 2 * computed_ns > now_ns - self._begin_ns
        self._begin_ns, self._used_ns, self._missed_ns = now_ns, used_ns, 0
