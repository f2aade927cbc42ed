"""After many matches and many bad peers a server holds what it held before."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pytest
import trio
from tests.chaos.processes import descriptors
from tests.chaos.soak import soak
from tests.clients.toolchains import require
from tests.scripted import RawClient, race_host
from tests.scripted.race_host import RaceHost
from tests.scripted.raw_client import connected
from trio.lowlevel import Task

from polynya_protocol.messages import Clock
from polynya_server.assembly import Mechanism

ROUNDS = 40
pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")


def tasks() -> int:
    """How many tasks there are in this run of trio."""
    root = trio.lowlevel.current_root_task()
    assert root is not None
    waiting: list[Task] = [root]
    count = 0
    while waiting:
        task = waiting.pop()
        count += 1
        for nursery in task.child_nurseries:
            waiting += nursery.child_tasks
    return count


async def a_match_and_its_pests(host: RaceHost, number: int) -> None:
    """One match that ends by a forfeit, beside peers that break off in several ways."""
    async with connected(host.server.host, host.server.port) as silent:
        match = host.match(f"m{number}", "bad", "good", clock=Clock(move_ms=60_000))
        bad = await host.bot("bad")
        await bad.expect("turn")
        await silent.send_bytes(b"\x00\x00")
        await broken_by(host, b"\xff\xff\xff\xff")
        await bad.send_bytes(b"\x00\x00\x00\x01\xc1")
        await bad.expect_end()
        await bad.stream.aclose()
        assert (await match.record()).reason == "forfeit"


async def broken_by(host: RaceHost, data: bytes) -> None:
    async with connected(host.server.host, host.server.port) as peer:
        await peer.send_bytes(data)
        await RawClient.expect_end(peer)


@pytest.mark.parametrize("without", [(), ("epoll-reactor",)])
async def test_no_task_and_no_descriptor_is_left_over(without: tuple[Mechanism, ...]) -> None:
    async with race_host("bad", "good", without=without) as host:
        await host.good_bot("good")
        await a_match_and_its_pests(host, 0)
        await until_alone(host)
        before = (tasks(), descriptors(os.getpid()))
        for number in range(1, ROUNDS):
            await a_match_and_its_pests(host, number)
        await until_alone(host)
        gc.collect()
        assert (tasks(), descriptors(os.getpid())) == before


async def until_alone(host: RaceHost) -> None:
    """Wait until the good bot's connection is the only one."""
    with trio.fail_after(300):
        while host.server.connections > 1:
            await trio.sleep(0.01)


def test_hundreds_of_matches_leave_no_descriptor_and_little_memory_behind(tmp_path: Path) -> None:
    require("c")
    found = trio.run(soak, tmp_path, 200, 600)
    assert found.last.descriptors == found.first.descriptors
    assert found.growth < 1.15
    assert found.exit_code == 0
