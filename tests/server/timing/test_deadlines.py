"""Deadlines: when they fire, however they are moved."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import trio
from trio.testing import MockClock

from polynya_server.timing import monotonic_clock
from polynya_server.timing.deadlines import BATCH, MIN_TO_COMPACT, DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS

Scene = Callable[[DeadlineQueue, list[tuple[str, float]]], Awaitable[None]]


def fired(scene: Scene) -> list[tuple[str, float]]:
    """The deadlines that fired, and at which second, during ``scene``."""
    heard: list[tuple[str, float]] = []

    async def run() -> None:
        deadlines = DeadlineQueue(monotonic_clock.reader())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(deadlines.run)
            await scene(deadlines, heard)
            await trio.sleep(60)
            nursery.cancel_scope.cancel()

    trio.run(run, clock=MockClock(autojump_threshold=0))
    return heard


def named(heard: list[tuple[str, float]], name: str) -> Callable[[], None]:
    return lambda: heard.append((name, round(trio.current_time(), 6)))


def at(seconds: float) -> int:
    return int(seconds * 1000) * NS_PER_MS


def test_deadlines_fire_in_the_order_of_their_times() -> None:
    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        for name, seconds in (("third", 3), ("first", 1), ("second", 2)):
            deadlines.new(named(heard, name)).set(at(seconds))

    assert fired(scene) == [("first", 1), ("second", 2), ("third", 3)]


def test_moved_deadline_fires_at_the_last_time_only() -> None:
    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        later, earlier = (deadlines.new(named(heard, name)) for name in ("later", "earlier"))
        later.set(at(1))
        later.set(at(5))
        earlier.set(at(5))
        earlier.set(at(1))
        both = deadlines.new(named(heard, "both ways"))
        both.set(at(4))
        both.set(at(2))
        both.set(at(3))

    assert fired(scene) == [("earlier", 1), ("both ways", 3), ("later", 5)]


def test_cleared_or_closed_deadline_does_not_fire() -> None:
    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        cleared, closed = (deadlines.new(named(heard, name)) for name in ("cleared", "closed"))
        cleared.set(at(1))
        cleared.clear()
        closed.set(at(1))
        closed.close()
        closed.set(at(2))

    assert fired(scene) == []


def test_entries_of_closed_and_moved_deadlines_are_removed() -> None:
    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        for _ in range(5 * MIN_TO_COMPACT):
            closed, moved = (deadlines.new(named(heard, name)) for name in ("closed", "moved"))
            closed.set(at(3600))
            closed.close()
            moved.set(at(3600))
            moved.set(at(1800))
            moved.close()
        assert len(deadlines) <= MIN_TO_COMPACT

    assert fired(scene) == []


def test_compacting_keeps_deadlines_that_are_set() -> None:
    expected = [(str(number), number % 7 + 1) for number in range(MIN_TO_COMPACT)]

    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        for name, seconds in expected:
            deadlines.new(named(heard, name)).set(at(seconds))
            for _ in range(3):
                closed = deadlines.new(named(heard, "closed"))
                closed.set(at(seconds))
                closed.close()

    assert fired(scene) == sorted(expected, key=lambda entry: entry[1])


def test_deadlines_of_the_same_time_fire_in_the_order_in_which_they_were_set() -> None:
    names = [str(number) for number in range(48)]

    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        for name in names:
            deadlines.new(named(heard, name)).set(at(1))

    assert fired(scene) == [(name, 1) for name in names]


def test_cleared_deadline_can_be_set_again() -> None:
    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        deadline = deadlines.new(named(heard, "again"))
        deadline.set(at(1))
        deadline.clear()
        deadline.set(at(2))
        await trio.sleep(10)
        deadline.set(at(11))

    assert fired(scene) == [("again", 2), ("again", 11)]


def test_deadline_that_is_set_while_the_queue_sleeps_fires() -> None:
    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        await trio.sleep(5)
        deadlines.new(named(heard, "late")).set(at(6))
        await trio.sleep(0.5)
        deadlines.new(named(heard, "soon")).set(at(5.7))

    assert fired(scene) == [("soon", 5.7), ("late", 6)]


def test_deadline_in_the_past_fires_at_once() -> None:
    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        await trio.sleep(5)
        deadlines.new(named(heard, "past")).set(at(1))

    assert fired(scene) == [("past", 5)]


def test_failing_callback_does_not_stop_other_deadlines() -> None:
    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        def fail() -> None:
            raise ZeroDivisionError

        deadlines.new(fail).set(at(1))
        deadlines.new(named(heard, "next")).set(at(1))

    assert fired(scene) == [("next", 1)]


def test_other_tasks_run_between_many_deadlines_of_one_moment() -> None:
    counts: list[int] = []

    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        for _ in range(4 * BATCH):
            deadlines.new(named(heard, "fire")).set(at(1))
        await trio.sleep_until(monotonic_clock.trio_time(at(1)))
        while len(heard) < 4 * BATCH:
            counts.append(len(heard))
            await trio.lowlevel.checkpoint()

    fired(scene)
    assert {BATCH, 2 * BATCH, 3 * BATCH} & set(counts)


def test_deadlines_fire_on_time_however_long_the_server_runs() -> None:
    seconds = [number * 0.05 + 86_400 * 30 for number in range(200)]

    async def scene(deadlines: DeadlineQueue, heard: list[tuple[str, float]]) -> None:
        for moment in seconds:
            deadlines.new(named(heard, "")).set(at(moment))
        await trio.sleep(seconds[-1])

    assert fired(scene) == [("", round(moment, 6)) for moment in seconds]
