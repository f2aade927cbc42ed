"""Work that must not delay a match: in short slices of the server's loop, and in threads.

A thread that computes would hold the interpreter for 5 ms at a time, and a turn that arrives
meanwhile would wait. A slice takes a millisecond, and all slices together get a small share of the
time while matches are played. Threads are for the database: they wait more than they compute.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from time import perf_counter, thread_time
from typing import ParamSpec, TypeVar

import trio

SLICE_S = 0.001

T = TypeVar("T")


class BackgroundSlices:
    """Background work beside the matches: callers share its time fairly.

    Args:
        busy: whether matches are being played; if not, the work may use all of the time.
        share: the share of the time that it may use if they are, between 0 and 1.
    """

    def __init__(self, busy: Callable[[], bool], share: float) -> None:
        self._busy = busy
        self._share = share
        self._lock = trio.Lock()

    async def each(self, items: Iterable[T], work: Callable[[T], object]) -> None:
        """Call ``work`` with each of the items, one after the other.

        Raises:
            Exception: what ``work`` raises; the items after that one are left out.
        """
        left = iter(items)
        while not await self._slice(left, work):
            pass

    async def _slice(self, left: Iterable[T], work: Callable[[T], object]) -> bool:
        """Work for one slice, then rest by the share; True if nothing is left."""
        async with self._lock:
            began = perf_counter()
            for item in left:
                work(item)
                used = perf_counter() - began
                if used >= SLICE_S:
                    await trio.sleep(used * (1 / self._share - 1) if self._busy() else 0)
                    return False
        return True


MOST = 4
"""Maximum number of database threads."""

P = ParamSpec("P")


class DatabaseThreads:
    """The threads of one site; called with a function and its arguments.

    Args:
        spend: told the seconds for which a question kept the interpreter from the loop.
    """

    def __init__(self, spend: Callable[[float], None] = lambda _seconds: None) -> None:
        self._spend = spend
        self._limiter = trio.CapacityLimiter(MOST)

    async def __call__(self, question: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call ``question(*args, **kwargs)`` in a thread; wait while all threads are busy."""
        work = partial(_timed, partial(question, *args, **kwargs))
        result, seconds = await trio.to_thread.run_sync(work, limiter=self._limiter)
        self._spend(seconds)
        return result


def _timed(work: Callable[[], T]) -> tuple[T, float]:
    began = thread_time()
    result = work()
    return result, thread_time() - began
