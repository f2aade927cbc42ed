"""When garbage is collected: by Python's rule between matches, during matches if memory grows."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import trio
from trio.testing import MockClock

from polynya_server.timing import monotonic_clock
from polynya_server.timing.collector import GROWTH, LOOK_NS, PausedCollector
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_S


class Cycle:
    """Only the collector can free it, with so many lists."""

    def __init__(self, lists: int = 0) -> None:
        self.itself = self
        self.lists: list[list[Any]] = [[] for _ in range(lists)]


def during_a_match(scene: Callable[[PausedCollector], Awaitable[None]]) -> None:
    async def run() -> None:
        deadlines = DeadlineQueue(monotonic_clock.reader())
        async with trio.open_nursery() as nursery:
            nursery.start_soon(deadlines.run)
            collector = PausedCollector(deadlines)
            collector.begin()
            await scene(collector)
            nursery.cancel_scope.cancel()

    trio.run(run, clock=MockClock(autojump_threshold=0))


def test_pythons_own_rule_holds_between_matches_only() -> None:
    async def scene(collector: PausedCollector) -> None:
        seen = [gc.isenabled()]
        collector.begin()
        collector.end()
        seen.append(gc.isenabled())
        collector.end()
        seen.append(gc.isenabled())
        assert seen == [False, False, True]

    during_a_match(scene)


def test_collector_stays_off_if_it_was_off() -> None:
    async def scene(collector: PausedCollector) -> None:
        collector.end()
        assert not gc.isenabled()

    gc.disable()
    try:
        during_a_match(scene)
    finally:
        gc.enable()


def test_garbage_is_collected_during_matches_when_memory_has_grown() -> None:
    async def scene(collector: PausedCollector) -> None:
        garbage = weakref.ref(Cycle(lists=int(GROWTH * sys.getallocatedblocks())))
        assert garbage() is not None
        await trio.sleep(LOOK_NS / NS_PER_S + 1)
        assert garbage() is None
        collector.end()

    during_a_match(scene)


def test_little_garbage_stays_during_matches() -> None:
    async def scene(collector: PausedCollector) -> None:
        garbage = weakref.ref(Cycle())
        await trio.sleep(LOOK_NS / NS_PER_S + 1)
        assert garbage() is not None
        collector.end()

    during_a_match(scene)
