"""What is written while sockets are served: it leaves at the end, in order, and in one call."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from polynya_server import ServerSettings
from polynya_server.testing import race_host
from polynya_server.timing import monotonic_clock
from polynya_server.timing.deadlines import Timekeeper
from polynya_server.transport.cork import Cork
from polynya_server.transport.writer import MOST_CORKED, Outbound


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


class Sender:
    """Whose frames they are; it neither waits nor crashes here."""

    memory = 0

    def watch(self) -> None: ...
    def drop(self, why: str) -> None: ...
    def on_crash(self, error: Exception) -> None: ...


@dataclass
class Writer:
    """Sends, or fails to; what became of it."""

    fails: bool
    seen: list[str] = field(default_factory=list)

    def uncork(self) -> None:
        if self.fails:
            raise RuntimeError("a bug")
        self.seen.append("sent")

    def on_crash(self, error: Exception) -> None:
        self.seen.append(str(error))


@contextmanager
def line(cork: Cork) -> Iterator[tuple[Outbound, CountingSocket, socket.socket]]:
    """An outbound side, its socket, and the peer's."""
    ours, peer = socket.socketpair()
    with peer, CountingSocket(fileno=ours.detach()) as counting:
        peer.settimeout(60)
        shared = Shared(cork, Timekeeper(monotonic_clock.reader()))
        yield Outbound(shared, counting, Sender()), counting, peer  # type: ignore[arg-type]


async def test_frames_written_under_the_cork_leave_in_one_call_and_in_order() -> None:
    cork, flushed = Cork(), list[str]()
    with line(cork) as (outbound, counting, peer):
        with cork:
            assert not outbound.send(b"moved", lambda: flushed.append("moved"))
            assert not outbound.send(b"turn", lambda: flushed.append("turn"))
            assert (counting.sends, flushed) == (0, [])
        assert (counting.sends, flushed) == (1, ["moved", "turn"])
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


async def test_corked_bytes_are_sent_when_the_connection_closes() -> None:
    cork = Cork()
    with line(cork) as (outbound, _, peer), cork:
        outbound.send(b"error", None)
        outbound.close()
        assert peer.recv(100) == b"error"


async def test_a_connection_that_is_finished_is_half_closed_after_what_was_held_back() -> None:
    cork = Cork()
    with line(cork) as (outbound, _, peer):
        with cork:
            outbound.send(b"goodbye", None)
            outbound.finish()
        assert [peer.recv(100) for _ in range(2)] == [b"goodbye", b""]


def test_a_bug_in_one_writer_does_not_keep_the_others_from_sending() -> None:
    cork, bad, good = Cork(), Writer(fails=True), Writer(fails=False)
    with cork:
        cork.writers += [bad, good]
    assert (bad.seen, good.seen, cork.writers) == (["a bug"], ["sent"], [])


async def test_moves_of_others_arrive_before_the_turn() -> None:
    async with race_host("a", "b") as host:
        a, b = await host.bot("a"), await host.bot("b")
        host.match("m", "a", "b")
        await b.answer(await b.expect("match_start"))
        await a.move(await a.expect("turn"), [["add", 1]])
        assert [(await b.expect("moved", "turn"))["type"] for _ in range(2)] == ["moved", "turn"]
