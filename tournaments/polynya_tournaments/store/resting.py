"""Leaving the interpreter to the loop: the journal's thread rests in the middle of its work.

Python gives each of two threads that compute the interpreter for half of the time. A transaction of
a hundred matches computes for 20 ms; meanwhile the loop gets through half of its turns, and those
that are left wait for longer than the transaction lasts. So the thread rests in between, a few
milliseconds at a time, while nobody waits for more than its own match; ``batches.py`` says how
much. At 22,000 turns a second with 1,000 matches one move in a hundred waited for 1, 2, 6 and 28
ms when it rested six times as long as it computed, and for 3, 7, 27 and 63 with twice as long and
rarer transactions instead (in alternation).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

SLICE_S = 0.0005
"""So long the thread computes between rests, or a little longer.

A rest costs two wake-ups and the caches: with 0.2 ms nothing was gained.
"""


class Rests:
    """When one transaction rests, and for how long.

    Args:
        per_computing: how much longer it rests than it computes.
        computed: for how many seconds this thread has had a processor.
        sleep: lets other threads have it for so many seconds.
    """

    def __init__(
        self,
        per_computing: float,
        computed: Callable[[], float] = time.thread_time,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._per_computing = per_computing
        self._computed = computed
        self._sleep = sleep
        self._rested_at = computed()

    def rest_if_due(self) -> None:
        """Rest if the thread has computed for long enough."""
        computing_s = self._computed() - self._rested_at
        if computing_s < SLICE_S:
            return
        self._sleep(self._per_computing * computing_s)
        self._rested_at = self._computed()


class _OfThread(threading.local):
    rests: Rests | None = None


_of_thread = _OfThread()


@contextmanager
def resting(per_computing: float) -> Iterator[None]:
    """Let :func:`rest_if_due` rest in this thread, as long as the block lasts.

    Args:
        per_computing: how much longer it rests than it computes; 0 for not at all.
    """
    _of_thread.rests = Rests(per_computing) if per_computing else None
    try:
        yield
    finally:
        _of_thread.rests = None


def rest_if_due() -> None:
    """Rest, in a thread that rests; between any two steps of its work."""
    if _of_thread.rests is not None:
        _of_thread.rests.rest_if_due()
