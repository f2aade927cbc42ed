"""Reactors: each client is called for what it asked for, in fair order, and no bug ends others."""

from __future__ import annotations

import socket
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from functools import partial

import pytest
import trio

from polynya_server.transport.base import Reactor
from polynya_server.transport.fast.epoll_reactor import BATCH, EpollReactor
from polynya_server.transport.fast.write_batch import WriteBatch
from polynya_server.transport.reactor import TaskReactor

linux = pytest.mark.skipif(sys.platform != "linux", reason="there is no epoll")
Pair = tuple[socket.socket, socket.socket]
MakeReactor = Callable[[trio.Nursery], Reactor]


def epoll(_nursery: trio.Nursery) -> Reactor:
    return EpollReactor(WriteBatch())


def unbatched_epoll(_nursery: trio.Nursery) -> Reactor:
    return EpollReactor(None)


EVERY_REACTOR = pytest.mark.parametrize(
    "make",
    [
        pytest.param(epoll, id="epoll", marks=linux),
        pytest.param(unbatched_epoll, id="unbatched epoll", marks=linux),
        pytest.param(TaskReactor, id="tasks"),
    ],
)


class Client:
    """Does what it is told when it can be read or written, and notes that it was called."""

    def __init__(self, name: str, sock: socket.socket, calls: list[str]) -> None:
        self.name = name
        self.sock = sock
        self.then: Callable[[], object] = lambda: None
        self.crashes: list[str] = []
        self._calls = calls

    def fileno(self) -> int:
        return self.sock.fileno()

    def on_readable(self) -> None:
        self._calls.append(self.name)
        self.then()

    def on_writable(self) -> None:
        self._calls.append(f"{self.name} writable")

    def on_crash(self, error: Exception) -> None:
        self.crashes.append(str(error))


def pairs() -> Iterator[Pair]:
    near, far = socket.socketpair()
    with near, far:
        near.setblocking(False)
        yield near, far


pair = pytest.fixture(pairs, name="pair")
other_pair = pytest.fixture(pairs, name="other_pair")


async def serve(
    make: MakeReactor,
    prepare: Callable[[Reactor], None],
    done: Callable[[], bool],
    then: Callable[[], Awaitable[None]] = trio.testing.wait_all_tasks_blocked,
) -> None:
    """Run a reactor until ``done``, and then until there is nothing left to do; close it."""
    async with trio.open_nursery() as nursery:
        reactor = make(nursery)
        prepare(reactor)
        nursery.start_soon(reactor.run)
        with trio.fail_after(60):
            while not done():
                await trio.lowlevel.checkpoint()
        await then()
        nursery.cancel_scope.cancel()
    reactor.close()


def reads_a_byte(client: Client, read: list[bytes]) -> None:
    read.append(client.sock.recv(1))


@EVERY_REACTOR
async def test_client_is_called_again_for_bytes_that_it_left_unread(
    make: MakeReactor, pair: Pair
) -> None:
    bot, read = Client("bot", pair[0], []), list[bytes]()

    def prepare(reactor: Reactor) -> None:
        def one_byte() -> None:
            reads_a_byte(bot, read)
            reactor.set_interest(bot, readable=True, writable=False)

        bot.then = one_byte
        reactor.add(bot)
        pair[1].send(b"abc")

    await serve(make, prepare, lambda: len(read) >= 3)
    assert read == [b"a", b"b", b"c"]


@EVERY_REACTOR
async def test_client_that_is_not_interested_in_reading_is_not_called(
    make: MakeReactor, pair: Pair, other_pair: Pair
) -> None:
    calls: list[str] = []
    paused, other = Client("paused", pair[0], calls), Client("other", other_pair[0], calls)
    other.then = partial(other_pair[0].recv, 1)

    def prepare(reactor: Reactor) -> None:
        for client in (paused, other):
            reactor.add(client)
        reactor.set_interest(paused, readable=False, writable=False)
        pair[1].send(b"x")
        other_pair[1].send(b"x")

    await serve(make, prepare, lambda: bool(calls))
    assert calls == ["other"]


@EVERY_REACTOR
async def test_client_is_called_when_it_can_be_written(make: MakeReactor, pair: Pair) -> None:
    calls: list[str] = []
    bot = Client("bot", pair[0], calls)

    def prepare(reactor: Reactor) -> None:
        reactor.add(bot)
        reactor.set_interest(bot, readable=True, writable=True)

    await serve(make, prepare, lambda: bool(calls), then=trio.lowlevel.checkpoint)
    assert calls[0] == "bot writable"


@EVERY_REACTOR
async def test_removed_client_is_not_called(
    make: MakeReactor, pair: Pair, other_pair: Pair
) -> None:
    calls: list[str] = []
    gone, other = Client("gone", pair[0], calls), Client("other", other_pair[0], calls)
    other.then = partial(other_pair[0].recv, 1)

    def prepare(reactor: Reactor) -> None:
        for client in (gone, other):
            reactor.add(client)
        pair[1].send(b"x")
        other_pair[1].send(b"x")
        reactor.remove(gone)

    await serve(make, prepare, lambda: bool(calls))
    assert calls == ["other"]


@EVERY_REACTOR
async def test_bug_in_one_client_does_not_keep_others_from_being_called(
    make: MakeReactor, pair: Pair, other_pair: Pair
) -> None:
    calls: list[str] = []
    bad, good = Client("bad", pair[0], calls), Client("good", other_pair[0], calls)

    def fail() -> None:
        bad.sock.recv(1)
        raise ZeroDivisionError("a bug")

    bad.then = fail
    good.then = partial(other_pair[0].recv, 1)

    def prepare(reactor: Reactor) -> None:
        for client in (bad, good):
            reactor.add(client)
        pair[1].send(b"x")
        other_pair[1].send(b"x")

    await serve(make, prepare, lambda: len(calls) >= 2)
    assert (sorted(calls), bad.crashes, good.crashes) == (["bad", "good"], ["a bug"], [])


@EVERY_REACTOR
@pytest.mark.parametrize("left", ["half-closed", "closed"])
async def test_end_of_stream_that_came_together_with_bytes_is_read_after_them(
    make: MakeReactor, pair: Pair, left: str
) -> None:
    bot, read = Client("bot", pair[0], []), list[bytes]()

    def prepare(reactor: Reactor) -> None:
        def some_bytes() -> None:
            read.append(bot.sock.recv(16))
            if not read[-1]:
                reactor.remove(bot)

        bot.then = some_bytes
        reactor.add(bot)
        pair[1].send(b"goodbye")
        if left == "closed":
            pair[1].close()
        else:
            pair[1].shutdown(socket.SHUT_WR)

    await serve(make, prepare, lambda: len(read) >= 2)
    assert read == [b"goodbye", b""]


@EVERY_REACTOR
async def test_rescheduled_client_is_called_again(make: MakeReactor, pair: Pair) -> None:
    calls: list[str] = []
    listener = Client("listener", pair[0], calls)

    def prepare(reactor: Reactor) -> None:
        listener.then = lambda: (
            reactor.reschedule(listener) if len(calls) < 3 else reactor.remove(listener)
        )
        reactor.add(listener)
        pair[1].send(b"x")

    await serve(make, prepare, lambda: len(calls) >= 3)
    assert calls == ["listener"] * 3


@linux
async def test_rescheduled_client_is_called_right_after_the_batch(
    pair: Pair, other_pair: Pair
) -> None:
    calls: list[str] = []
    listener, bot = Client("listener", pair[0], calls), Client("bot", other_pair[0], calls)

    def prepare(reactor: Reactor) -> None:
        listener.then = lambda: (
            reactor.reschedule(listener) if calls.count("listener") < 3 else None
        )
        for client in (listener, bot):
            reactor.add(client)
        pair[1].send(b"x")
        other_pair[1].send(b"x")

    await serve(epoll, prepare, lambda: len(calls) >= 4)
    assert calls == ["listener", "bot", "listener", "listener"]


@linux
async def test_clients_are_called_in_turns_however_quickly_some_answer() -> None:
    calls: list[str] = []
    names = [str(number) for number in range(2 * BATCH + 1)]
    with ExitStack() as stack:

        def prepare(reactor: Reactor) -> None:
            ends: list[socket.socket] = []
            for name in names:
                near, far = (stack.enter_context(end) for end in socket.socketpair())
                client = Client(name, near, calls)
                client.then = partial(far.send, b"more, at once")
                ends.append(far)
                reactor.add(client)
            for far in ends:
                far.send(b"x")

        await serve(
            epoll,
            prepare,
            lambda: len(calls) >= 3 * len(names),
            then=trio.lowlevel.checkpoint,  # there is always more to do
        )
    assert 3 * names == calls[: 3 * len(names)]


@linux
async def test_unserved_socket_is_reported_once(pair: Pair) -> None:
    calls: list[str] = []
    bot = Client("bot", pair[0], calls)

    def prepare(reactor: Reactor) -> None:
        reactor.add(bot)
        pair[1].send(b"x")

    await serve(epoll, prepare, lambda: bool(calls))
    assert calls == ["bot"]
