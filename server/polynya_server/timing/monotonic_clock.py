"""The server's one measure of time: trio's clock in whole nanoseconds.

Everything that is measured, charged or awaited is read from the clock that trio runs by, so a test
that runs trio by a mock clock moves every time in the server with it.

Trio's usual clock is ``time.perf_counter`` plus a number of its own. A turn reads the clock five
times, so it is read without the detour through trio then: 0.07 µs instead of 0.28.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

import trio

NowNs = Callable[[], int]
NS_PER_MS: Final = 1_000_000
NS_PER_US: Final = 1_000
NS_PER_S: Final = 1_000_000_000


def reader() -> NowNs:
    """A function that reads the clock of the trio run it was made in."""
    clock = trio.lowlevel.current_clock()
    if _counts_performance(clock):
        return time.perf_counter_ns
    current_time = clock.current_time

    def now_ns() -> int:
        return int(current_time() * NS_PER_S + 0.5)

    return now_ns


def trio_time(ns: int) -> float:
    """A moment, in trio's seconds, that reads as ``ns``, however it is rounded."""
    clock = trio.lowlevel.current_clock()
    if _counts_performance(clock):
        return clock.current_time() + (ns - time.perf_counter_ns()) / NS_PER_S
    return (ns - 0.25) / NS_PER_S


def _counts_performance(clock: trio.abc.Clock) -> bool:
    """Whether it is trio's usual clock, which has no public name."""
    return type(clock).__name__ == "SystemClock"
