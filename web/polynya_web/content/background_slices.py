"""Work in the loop of the game server, in slices that are too short to delay a match.

A thread would hold the interpreter for 5 ms at a time, and a turn that arrives meanwhile would
wait. A slice takes a millisecond, and all slices together get a small share of the time while
matches are played.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import perf_counter
from typing import TypeVar

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
        """Work for one slice, then rest as long as the share demands; True if nothing is left."""
        async with self._lock:
            began = perf_counter()
            for item in left:
                work(item)
                used = perf_counter() - began
                if used >= SLICE_S:
                    await trio.sleep(used * (1 / self._share - 1) if self._busy() else 0)
                    return False
        return True
