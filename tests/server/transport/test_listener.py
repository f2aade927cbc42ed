"""Letting connections in when the system itself is full."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
import trio
from tests.scripted import RawClient, race_host, token
from trio.testing import MockClock, wait_all_tasks_blocked


@contextmanager
def no_more_files() -> Iterator[None]:
    """Let this process open no more files during the block."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


async def test_connection_at_the_file_limit_is_accepted_later() -> None:
    with structlog.testing.capture_logs() as logs:
        async with race_host("a", hello_ms=60_000) as host:
            sock = trio.socket.socket()
            with no_more_files():
                await sock.connect((host.server.host, host.server.port))
                await wait_all_tasks_blocked()
                assert host.server.connections == 0
            async with trio.SocketStream(sock) as stream:
                welcome = await RawClient(stream).hello(name="a", token=token("a"))
    assert welcome["type"] == "welcome"
    errors = [entry["event"] for entry in logs if entry["log_level"] == "error"]
    assert errors == ["no more connections can be accepted for now"]


def test_long_shortage_of_descriptors_is_logged_once_a_minute() -> None:
    clock = MockClock()

    async def run() -> list[str]:
        with structlog.testing.capture_logs() as logs:
            async with race_host(hello_ms=600_000) as host:
                sock = trio.socket.socket()
                with sock, no_more_files():
                    await sock.connect((host.server.host, host.server.port))
                    await wait_all_tasks_blocked(0.01)
                    for _ in range(59):
                        clock.jump(1)
                        await wait_all_tasks_blocked(0.01)
        return [entry["hint"] for entry in logs if "hint" in entry]

    assert len(trio.run(run, clock=clock)) == 1
