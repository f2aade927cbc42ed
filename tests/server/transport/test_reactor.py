"""The pump: who is called when more than one socket can be read, and how often."""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from functools import partial

import pytest
import trio

from polynya_server.transport.cohort import BATCH
from polynya_server.transport.cork import Cork
from polynya_server.transport.reactor import EpollPump

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no epoll")


class Reader:
    """A client that does what it is told when it can be read, and notes that it was called."""

    def __init__(self, name: str, sock: socket.socket, calls: list[str]) -> None:
        self.name = name
        self.sock = sock
        self.then: Callable[[], object] = lambda: None
        self._calls = calls

    def fileno(self) -> int:
        return self.sock.fileno()

    def on_readable(self) -> None:
        self._calls.append(self.name)
        self.then()

    def on_writable(self) -> None:
        raise AssertionError("nobody asked for it")

    def on_crash(self, error: Exception) -> None:
        raise error


@pytest.fixture
def pump() -> EpollPump:
    return EpollPump(Cork())


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        yield near, far


other_pair = pair


async def serve_until(
    pump: EpollPump,
    done: Callable[[], bool],
    then: Callable[[], Awaitable[None]] = trio.testing.wait_all_tasks_blocked,
) -> None:
    """Run the pump until it is done, and then until there is nothing left to do; close it."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pump.run)
        with trio.fail_after(60):
            while not done():
                await trio.lowlevel.checkpoint()
        await then()
        nursery.cancel_scope.cancel()
    pump.close()


async def test_those_of_a_cohort_are_called_in_turns_however_quick_some_are(
    pump: EpollPump,
) -> None:
    calls: list[str] = []
    names = [str(number) for number in range(2 * BATCH + 1)]
    with ExitStack() as stack:
        ends: list[socket.socket] = []
        for name in names:
            near, far = (stack.enter_context(end) for end in socket.socketpair())
            client = Reader(name, near, calls)
            client.then = partial(far.send, b"more, at once")
            ends.append(far)
            pump.add(client)
        for far in ends:
            far.send(b"x")
        await serve_until(
            pump,
            lambda: len(calls) >= 3 * len(names),
            then=trio.lowlevel.checkpoint,  # there is always more to do
        )
    assert 3 * names == calls[: 3 * len(names)]


async def test_rescheduled_client_runs_after_the_batch(
    pump: EpollPump,
    pair: tuple[socket.socket, socket.socket],
    other_pair: tuple[socket.socket, socket.socket],
) -> None:
    calls: list[str] = []
    door, bot = Reader("door", pair[0], calls), Reader("bot", other_pair[0], calls)
    door.then = lambda: pump.again(door) if calls.count("door") < 3 else None
    for client in (door, bot):
        pump.add(client)
    pair[1].send(b"x")
    other_pair[1].send(b"x")
    await serve_until(pump, lambda: len(calls) >= 4)
    assert calls == ["door", "bot", "door", "door"]


async def test_unread_data_is_reported_once(
    pump: EpollPump, pair: tuple[socket.socket, socket.socket]
) -> None:
    calls: list[str] = []
    pump.add(Reader("bot", pair[0], calls))
    pair[1].send(b"x")
    await serve_until(pump, lambda: bool(calls))
    assert calls == ["bot"]


async def test_renewed_interest_reports_unread_data(
    pump: EpollPump, pair: tuple[socket.socket, socket.socket]
) -> None:
    calls: list[str] = []
    bot, read = Reader("bot", pair[0], calls), []

    def one_byte() -> None:
        read.append(bot.sock.recv(1))
        if len(read) < 3:
            pump.watch(bot, readable=True, writable=False)

    bot.then = one_byte
    pump.add(bot)
    pair[1].send(b"abc")
    await serve_until(pump, lambda: len(read) >= 3)
    assert read == [b"a", b"b", b"c"]


@pytest.mark.parametrize("left", ["half-closed", "closed"])
async def test_an_end_that_came_together_with_bytes_is_read_after_them(
    pump: EpollPump, pair: tuple[socket.socket, socket.socket], left: str
) -> None:
    bot, read = Reader("bot", pair[0], []), []

    def some_bytes() -> None:
        read.append(bot.sock.recv(16))
        if not read[-1]:
            pump.remove(bot)

    bot.then = some_bytes
    pump.add(bot)
    pair[1].send(b"goodbye")
    if left == "closed":
        pair[1].close()
    else:
        pair[1].shutdown(socket.SHUT_WR)
    await serve_until(pump, lambda: len(read) >= 2)
    assert read == [b"goodbye", b""]
