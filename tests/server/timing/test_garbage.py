"""What is over is freed at once: the collector runs so rarely that it must have nothing to do."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
import trio
from tests.scripted import race_host
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_server.match.match import Match
from polynya_server.match.referee import Referee
from polynya_server.sessions.remote_seat import RemoteSeat
from polynya_server.sessions.session import Session
from polynya_server.spectating.delayed_view import DelayedView
from polynya_server.transport.connection import Connection


@pytest.fixture(autouse=True)
def _no_collector() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def alive(kind: type) -> int:
    return sum(type(thing) is kind for thing in gc.get_objects())


async def test_a_match_that_is_over_is_freed_without_the_collector() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a", wants=["legal"])
        await host.good_bot("b")
        watcher = await host.client()
        await watcher.hello(role="spectator")
        await watcher.send(type="watch", all=True)
        match = host.match("m", "a", "b")
        await a.expect("match_over")
        await watcher.expect("match_over")
        await match.record()
        assert (alive(Match), alive(RemoteSeat)) == (0, 0)


async def test_a_connection_that_has_ended_is_freed_without_the_collector() -> None:
    async with race_host("a") as host:
        bot = await host.bot("a")
        watcher = await host.client()
        await watcher.hello(role="spectator")
        await bot.send(type="goodbye")
        await watcher.send_bytes(b"\0\0\0\0")
        await bot.expect_end()
        await watcher.expect_end()
        await bot.stream.aclose()
        await watcher.stream.aclose()
        while host.server.connections:
            await wait_all_tasks_blocked()
        assert (alive(Connection), alive(Session)) == (0, 0)


def test_a_match_that_was_shown_later_is_freed_without_the_collector() -> None:
    clock = MockClock(rate=20)

    async def run() -> tuple[int, int, int]:
        async with race_host("a", "b", live_delay_s=1) as host:
            await host.good_bot("a")
            await host.good_bot("b")
            watcher = await host.client()
            await watcher.hello(role="spectator")
            await watcher.send(type="watch", all=True)
            match = host.match("m", "a", "b")
            await watcher.expect("match_over")
            await match.record()
            await host.server.all_shown()
            await wait_all_tasks_blocked()
            return alive(Match), alive(Referee), alive(DelayedView)

    assert trio.run(run, clock=clock) == (0, 0, 0)
