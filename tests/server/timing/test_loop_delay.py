"""How late the event loop was while matches are in play."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock

from polynya_server.timing import monotonic_clock
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.loop_delay import LoopDelay
from polynya_server.timing.monotonic_clock import NS_PER_MS


def delays(jumps_ms: list[float], since_ms: float) -> float:
    """The largest delay since a time, after the clock has made these jumps."""
    clock = MockClock()

    async def run() -> float:
        deadlines = DeadlineQueue(monotonic_clock.reader())
        loop_delay = LoopDelay(deadlines)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(deadlines.run)
            loop_delay.begin()
            for jump in jumps_ms:
                await trio.testing.wait_all_tasks_blocked()
                clock.jump(jump / 1000)
            nursery.cancel_scope.cancel()
            return loop_delay.largest_since(int(since_ms * NS_PER_MS)) / NS_PER_MS

    return trio.run(run, clock=clock)


@pytest.mark.parametrize(
    ("jumps_ms", "since_ms", "expected"),
    [
        ([10, 10, 10, 0], 0, 0),
        ([10, 60, 10, 0], 0, 50),
        ([10, 60, 10, 0], 70, 50),
        ([10, 60, 10, 0], 71, 0),
        ([60, 110, 30, 0], 0, 100),
        ([110, 60, 30, 0], 0, 100),
        ([110, 60, 30, 0], 111, 50),
        ([110, 60, 30, 0], 171, 20),
        ([10, 10, 75], 0, 65),
    ],
)
def test_largest_delay_of_the_loop_since_a_time(
    jumps_ms: list[float], since_ms: float, expected: float
) -> None:
    assert delays(jumps_ms, since_ms) == expected


def test_nothing_is_measured_while_nothing_is_played() -> None:
    async def run() -> int:
        deadlines = DeadlineQueue(monotonic_clock.reader())
        loop_delay = LoopDelay(deadlines)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(deadlines.run)
            loop_delay.begin()
            loop_delay.begin()
            loop_delay.end()
            loop_delay.end()
            await trio.sleep(5)
            nursery.cancel_scope.cancel()
            return loop_delay.largest_since(0)

    assert trio.run(run, clock=MockClock(autojump_threshold=0)) == 0
