"""What is written while sockets are served: it leaves at the end, in order, and in one call."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from polynya_server import ServerSettings, monotonic
from polynya_server.cork import Cork
from polynya_server.outbound import MOST_CORKED, Outbound
from polynya_server.testing import race_host
from polynya_server.timekeeper import Timekeeper


class CountingSocket(socket.socket):
    """A socket that counts the calls in which it was sent something."""

    sends = 0

    def send(self, *arguments: object) -> int:
        self.sends += 1
        return super().send(*arguments)  # type: ignore[arg-type]


@dataclass
class Shared:
    """What an outbound side needs of a server's services."""

    cork: Cork
    timekeeper: Timekeeper
    settings: ServerSettings = field(default_factory=ServerSettings)


@dataclass
class Writer:
    """Whose frames they are; fails when asked to send if it is told to."""

    outbound: Outbound | None = None
    memory: int = 0
    fails: bool = False
    crashes: list[str] = field(default_factory=list)

    def on_writable(self) -> None:
        if self.fails or self.outbound is None:
            raise RuntimeError("a bug")
        self.outbound.flush()

    def on_crash(self, error: Exception) -> None:
        self.crashes.append(str(error))

    def watch(self) -> None: ...
    def drop(self, why: str) -> None: ...


@contextmanager
def line(cork: Cork) -> Iterator[tuple[Outbound, CountingSocket, socket.socket]]:
    """An outbound side, its socket, and the peer's."""
    ours, peer = socket.socketpair()
    with peer, CountingSocket(fileno=ours.detach()) as counting:
        peer.settimeout(60)
        writer = Writer()
        shared = Shared(cork, Timekeeper(monotonic.reader()))
        writer.outbound = Outbound(shared, counting, writer)  # type: ignore[arg-type]
        yield writer.outbound, counting, peer


async def test_frames_written_under_the_cork_leave_in_one_call_and_in_order() -> None:
    cork, flushed = Cork(), list[str]()
    with line(cork) as (outbound, counting, peer):
        with cork:
            assert not outbound.send(b"moved", lambda: flushed.append("moved"))
            assert not outbound.send(b"turn", lambda: flushed.append("turn"))
            assert (counting.sends, outbound.is_empty, flushed) == (0, False, [])
        assert (counting.sends, outbound.is_empty, flushed) == (1, True, ["moved", "turn"])
        assert peer.recv(100) == b"movedturn"


async def test_without_the_cork_a_frame_leaves_at_once() -> None:
    with line(Cork()) as (outbound, counting, peer):
        assert outbound.send(b"turn", None)
        assert (counting.sends, peer.recv(100)) == (1, b"turn")


async def test_much_for_one_peer_is_not_held_back() -> None:
    cork = Cork()
    with line(cork) as (outbound, counting, peer):
        with cork:
            outbound.send(bytes(MOST_CORKED), None)
            assert counting.sends == 0
            outbound.send(b"!", None)
            assert counting.sends == 1
        assert len(peer.recv(2 * MOST_CORKED, socket.MSG_DONTWAIT)) == MOST_CORKED + 1


async def test_what_was_held_back_is_sent_when_the_connection_is_closed_meanwhile() -> None:
    cork = Cork()
    with line(cork) as (outbound, _, peer), cork:
        outbound.send(b"error", None)
        outbound.close()
        assert peer.recv(100) == b"error"


def test_a_bug_in_one_writer_does_not_keep_the_others_from_sending() -> None:
    cork, sent = Cork(), list[str]()
    bad, good = Writer(fails=True), Writer()
    good.on_writable = lambda: sent.append("good")  # type: ignore[method-assign]
    with cork:
        cork.hold(bad)
        cork.hold(good)
    assert (bad.crashes, sent) == (["a bug"], ["good"])


async def test_what_the_others_have_played_arrives_before_the_turn() -> None:
    async with race_host("a", "b") as host:
        a, b = await host.bot("a"), await host.bot("b")
        host.match("m", "a", "b")
        await b.answer(await b.expect("match_start"))
        await a.move(await a.expect("turn"), [["add", 1]])
        assert [(await b.expect("moved", "turn"))["type"] for _ in range(2)] == ["moved", "turn"]
