"""Deadlines: when alarms ring, however they are moved."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
import trio
from trio.testing import MockClock

from polynya_server.timing import monotonic_clock
from polynya_server.timing.deadlines import BATCH, FEWEST_SWEPT, HEAPS, Timekeeper
from polynya_server.timing.lag import LoopDelay
from polynya_server.timing.monotonic_clock import NS_PER_MS

Scene = Callable[[Timekeeper, list[tuple[str, float]]], Awaitable[None]]


def rung(scene: Scene) -> list[tuple[str, float]]:
    """What rang, and at which second, while ``scene`` was played."""
    heard: list[tuple[str, float]] = []

    async def run() -> None:
        timekeeper = Timekeeper(monotonic_clock.reader())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(timekeeper.run)
            await scene(timekeeper, heard)
            await trio.sleep(60)
            nursery.cancel_scope.cancel()

    trio.run(run, clock=MockClock(autojump_threshold=0))
    return heard


def named(heard: list[tuple[str, float]], name: str) -> Callable[[], None]:
    return lambda: heard.append((name, round(trio.current_time(), 6)))


def at(seconds: float) -> int:
    return int(seconds * 1000) * NS_PER_MS


def test_alarms_ring_in_the_order_of_their_times() -> None:
    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        for name, seconds in (("third", 3), ("first", 1), ("second", 2)):
            timekeeper.alarm(named(heard, name)).set(at(seconds))

    assert rung(scene) == [("first", 1), ("second", 2), ("third", 3)]


def test_an_alarm_that_is_moved_rings_at_the_last_time_only() -> None:
    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        later, earlier = (timekeeper.alarm(named(heard, name)) for name in ("later", "earlier"))
        later.set(at(1))
        later.set(at(5))
        earlier.set(at(5))
        earlier.set(at(1))
        both = timekeeper.alarm(named(heard, "both ways"))
        both.set(at(4))
        both.set(at(2))
        both.set(at(3))

    assert rung(scene) == [("earlier", 1), ("both ways", 3), ("later", 5)]


def test_an_alarm_that_is_cleared_or_closed_does_not_ring() -> None:
    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        cleared, closed = (timekeeper.alarm(named(heard, name)) for name in ("cleared", "closed"))
        cleared.set(at(1))
        cleared.clear()
        closed.set(at(1))
        closed.close()
        closed.set(at(2))

    assert rung(scene) == []


def test_alarms_that_were_closed_or_moved_leave_nothing_behind_for_long() -> None:
    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        for _ in range(5 * FEWEST_SWEPT):
            closed, moved = (timekeeper.alarm(named(heard, name)) for name in ("closed", "moved"))
            closed.set(at(3600))
            closed.close()
            moved.set(at(3600))
            moved.set(at(1800))
            moved.close()
        assert len(timekeeper) <= FEWEST_SWEPT

    assert rung(scene) == []


def test_compaction_keeps_active_deadlines() -> None:
    expected = [(str(number), number % 7 + 1) for number in range(FEWEST_SWEPT)]

    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        for name, seconds in expected:
            timekeeper.alarm(named(heard, name)).set(at(seconds))
            for _ in range(3):
                closed = timekeeper.alarm(named(heard, "closed"))
                closed.set(at(seconds))
                closed.close()

    assert rung(scene) == sorted(expected, key=lambda alarm: alarm[1])


def test_alarms_of_the_same_time_ring_in_the_order_in_which_they_were_set() -> None:
    names = [str(number) for number in range(3 * HEAPS)]

    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        for name in names:
            timekeeper.alarm(named(heard, name)).set(at(1))

    assert rung(scene) == [(name, 1) for name in names]


def test_no_more_than_a_part_of_all_is_swept_at_once() -> None:
    swept = list[int]()

    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        alarms = [timekeeper.alarm(named(heard, "closed")) for _ in range(32 * FEWEST_SWEPT)]
        for number, alarm in enumerate(alarms):
            before = len(timekeeper)
            alarm.set(at(3600))
            swept.append(before + 1 - len(timekeeper))
            if number == 8 * FEWEST_SWEPT:
                for earlier in alarms:
                    earlier.close()

    assert rung(scene) == []
    assert sum(swept) > 8 * FEWEST_SWEPT
    assert max(swept) <= 3 * 8 * FEWEST_SWEPT / HEAPS


def test_a_cleared_alarm_can_be_set_again() -> None:
    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        alarm = timekeeper.alarm(named(heard, "again"))
        alarm.set(at(1))
        alarm.clear()
        alarm.set(at(2))
        await trio.sleep(10)
        alarm.set(at(11))

    assert rung(scene) == [("again", 2), ("again", 11)]


def test_an_alarm_that_is_set_while_nothing_is_awaited_rings() -> None:
    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        await trio.sleep(5)
        timekeeper.alarm(named(heard, "late")).set(at(6))
        await trio.sleep(0.5)
        timekeeper.alarm(named(heard, "soon")).set(at(5.7))

    assert rung(scene) == [("soon", 5.7), ("late", 6)]


def test_a_time_that_is_over_rings_at_once() -> None:
    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        await trio.sleep(5)
        timekeeper.alarm(named(heard, "past")).set(at(1))

    assert rung(scene) == [("past", 5)]


def test_an_alarm_that_fails_does_not_stop_the_others() -> None:
    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        def fail() -> None:
            raise ZeroDivisionError

        timekeeper.alarm(fail).set(at(1))
        timekeeper.alarm(named(heard, "next")).set(at(1))

    assert rung(scene) == [("next", 1)]


def test_other_tasks_run_between_many_alarms_of_one_moment() -> None:
    counts: list[int] = []

    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        for _ in range(4 * BATCH):
            timekeeper.alarm(named(heard, "ring")).set(at(1))
        await trio.sleep_until(monotonic_clock.trio_time(at(1)))
        while len(heard) < 4 * BATCH:
            counts.append(len(heard))
            await trio.lowlevel.checkpoint()

    rung(scene)
    assert {BATCH, 2 * BATCH, 3 * BATCH} & set(counts)


def delays(jumps_ms: list[float], since_ms: float) -> float:
    """The largest delay since a time, after the clock has made these jumps."""
    clock = MockClock()

    async def run() -> float:
        timekeeper = Timekeeper(monotonic_clock.reader())
        loop_delay = LoopDelay(timekeeper)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(timekeeper.run)
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
def test_the_largest_delay_of_the_loop_since_a_time(
    jumps_ms: list[float], since_ms: float, expected: float
) -> None:
    assert delays(jumps_ms, since_ms) == expected


def test_nothing_is_measured_while_nothing_is_played() -> None:
    async def run() -> int:
        timekeeper = Timekeeper(monotonic_clock.reader())
        loop_delay = LoopDelay(timekeeper)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(timekeeper.run)
            loop_delay.begin()
            loop_delay.begin()
            loop_delay.end()
            loop_delay.end()
            await trio.sleep(5)
            nursery.cancel_scope.cancel()
            return loop_delay.largest_since(0)

    assert trio.run(run, clock=MockClock(autojump_threshold=0)) == 0


def test_alarms_ring_on_time_however_long_the_server_runs() -> None:
    seconds = [number * 0.05 + 86_400 * 30 for number in range(200)]

    async def scene(timekeeper: Timekeeper, heard: list[tuple[str, float]]) -> None:
        for moment in seconds:
            timekeeper.alarm(named(heard, "")).set(at(moment))
        await trio.sleep(seconds[-1])

    assert rung(scene) == [("", round(moment, 6)) for moment in seconds]
