"""When garbage is collected: soon and little by little in a match, thoroughly when it grows."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import trio
from trio.testing import MockClock

from polynya_server.timing import monotonic_clock
from polynya_server.timing.collector import PERIOD_NS, SHARE, Collector, Rule, calm_collector
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_S

PERIOD_S = PERIOD_NS / NS_PER_S
IN_PLAY = Rule(look_ns=10 * NS_PER_S, growth=1.05)
AT_REST = Rule(look_ns=5 * NS_PER_S, growth=1.01)


class Cycle:
    """What only the collector can free, with so many lists."""

    def __init__(self, lists: int = 0) -> None:
        self.itself = self
        self.lists: list[list[Any]] = [[] for _ in range(lists)]


async def set_aside(lists: int) -> weakref.ref[Cycle]:
    """A cycle that has become garbage after it was set aside."""
    used = Cycle(lists)
    await trio.sleep(PERIOD_S + 0.001)
    return weakref.ref(used)


def during_a_match(scene: Callable[[Collector], Awaitable[None]]) -> None:
    async def run() -> None:
        deadlines = DeadlineQueue(monotonic_clock.reader())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(deadlines.run)
            with calm_collector():
                collector = Collector(deadlines, IN_PLAY, AT_REST)
                collector.begin()
                await scene(collector)
            nursery.cancel_scope.cancel()

    trio.run(run, clock=MockClock(autojump_threshold=0))


def test_pythons_own_rule_holds_between_matches_only() -> None:
    async def scene(collector: Collector) -> None:
        seen = [gc.isenabled()]
        collector.begin()
        collector.end()
        seen.append(gc.isenabled())
        collector.end()
        seen.append(gc.isenabled())
        assert seen == [False, False, True]

    during_a_match(scene)


def test_collector_stays_off_if_it_was_off() -> None:
    async def scene(collector: Collector) -> None:
        collector.end()
        assert not gc.isenabled()

    gc.disable()
    try:
        during_a_match(scene)
    finally:
        gc.enable()


def test_garbage_of_a_match_is_collected_within_the_match() -> None:
    async def scene(collector: Collector) -> None:
        dropped = weakref.ref(Cycle())
        assert dropped() is not None
        await trio.sleep(PERIOD_S + 0.001)
        assert dropped() is None
        collector.end()

    during_a_match(scene)


def test_slow_generation_is_frozen_unseen_most_of_the_time() -> None:
    async def scene(_collector: Collector) -> None:
        clock = trio.lowlevel.current_clock()
        assert isinstance(clock, MockClock)
        took_s, seen = PERIOD_S / 20, list[bool]()

        def take_long(phase: str, _about: object) -> None:
            if phase == "stop":
                clock.jump(took_s)

        gc.callbacks.append(take_long)
        try:
            for _ in range(20):
                dropped = weakref.ref(Cycle())
                await trio.sleep(PERIOD_S)
                seen.append(dropped() is None)
        finally:
            gc.callbacks.remove(take_long)
        assert sum(seen) == 20 * PERIOD_S // (SHARE * took_s)

    during_a_match(scene)


def test_surviving_objects_are_frozen() -> None:
    async def scene(collector: Collector) -> None:
        used = Cycle(lists=10_000)
        await trio.sleep(PERIOD_S + 0.001)
        assert not any(
            thing is used for generation in range(3) for thing in gc.get_objects(generation)
        )
        collector.end()

    during_a_match(scene)


def test_frozen_objects_are_swept_when_memory_grows() -> None:
    async def scene(collector: Collector) -> None:
        dropped = await set_aside(lists=sys.getallocatedblocks() // 5)
        await trio.sleep(PERIOD_S + 0.001)
        assert dropped() is not None
        await trio.sleep(10)
        assert dropped() is None
        collector.end()

    during_a_match(scene)


def test_a_little_garbage_that_was_set_aside_is_swept_between_matches() -> None:
    async def scene(collector: Collector) -> None:
        dropped = await set_aside(lists=sys.getallocatedblocks() // 33)
        await trio.sleep(5)
        assert dropped() is not None
        collector.end()
        assert dropped() is None

    during_a_match(scene)
