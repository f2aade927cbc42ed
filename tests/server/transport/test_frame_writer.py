"""The sending half of a connection: order, batches, and what a slow peer has yet to take."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.scripted import race_host

from polynya_common.reasons import Cause
from polynya_server import ServerSettings
from polynya_server.timing import monotonic_clock
from polynya_server.timing.deadlines import DeadlineQueue
from polynya_server.transport.fast.write_batch import WriteBatch
from polynya_server.transport.writer import MAX_BATCHED, FrameWriter


class CountingSocket(socket.socket):
    """A socket that counts the calls in which it was sent something."""

    sends = 0

    def send(self, data: bytes | bytearray | memoryview, /) -> int:  # type: ignore[override] # no flags
        self.sends += 1
        return super().send(data)


@dataclass
class Peer:
    """The connection that a writer belongs to."""

    memory: int = 0
    dropped: list[str] = field(default_factory=list)

    def update_interest(self) -> None: ...
    def on_crash(self, error: Exception) -> None: ...

    def drop(self, why: Cause) -> None:
        self.dropped.append(str(why))


@dataclass
class Held:
    """Has written under a batch; sends it, or fails to."""

    fails: bool
    seen: list[str] = field(default_factory=list)

    def flush(self) -> None:
        if self.fails:
            raise RuntimeError("a bug")
        self.seen.append("sent")

    def on_crash(self, error: Exception) -> None:
        self.seen.append(str(error))


@dataclass
class Line:
    writer: FrameWriter
    ours: CountingSocket
    peer: socket.socket
    sender: Peer


@contextmanager
def line(batch: WriteBatch | None = None, max_unsent: int = 1_000_000) -> Iterator[Line]:
    """A writer, its socket, and the other end."""
    near, far = socket.socketpair()
    with far, CountingSocket(fileno=near.detach()) as ours:
        ours.setblocking(False)
        far.settimeout(60)
        sender = Peer()
        settings = ServerSettings(max_unsent=max_unsent)
        deadlines = DeadlineQueue(monotonic_clock.reader())
        yield Line(FrameWriter(ours, sender, batch, deadlines, settings), ours, far, sender)


async def test_frames_of_a_batch_leave_in_one_call_and_in_order() -> None:
    batch, flushed = WriteBatch(), list[str]()
    with line(batch) as one:
        with batch:
            one.writer.send(b"moved", lambda: flushed.append("moved"))
            one.writer.send(b"turn", lambda: flushed.append("turn"))
            assert (one.ours.sends, flushed) == (0, [])
        assert (one.ours.sends, flushed) == (1, ["moved", "turn"])
        assert one.peer.recv(100) == b"movedturn"


async def test_frame_leaves_at_once_while_no_batch_is_open() -> None:
    with line(WriteBatch()) as one:
        one.writer.send(b"turn")
        assert (one.ours.sends, one.peer.recv(100)) == (1, b"turn")


async def test_frames_leave_one_by_one_without_batches() -> None:
    flushed = list[str]()
    with line(None) as one:
        one.writer.send(b"moved", lambda: flushed.append("moved"))
        one.writer.send(b"turn", lambda: flushed.append("turn"))
        assert (one.ours.sends, flushed) == (2, ["moved", "turn"])
        assert one.peer.recv(100) == b"movedturn"


async def test_many_bytes_for_one_peer_do_not_wait_for_the_end_of_the_batch() -> None:
    batch = WriteBatch()
    with line(batch) as one:
        with batch:
            one.writer.send(bytes(MAX_BATCHED))
            assert one.ours.sends == 0
            one.writer.send(b"!")
            assert one.ours.sends == 1
        assert len(one.peer.recv(2 * MAX_BATCHED, socket.MSG_DONTWAIT)) == MAX_BATCHED + 1


async def test_frames_of_a_batch_are_sent_when_the_connection_is_closed_meanwhile() -> None:
    batch = WriteBatch()
    with line(batch) as one, batch:
        one.writer.send(b"error")
        one.writer.close()
        assert one.peer.recv(100) == b"error"


async def test_finished_connection_is_half_closed_after_the_frames_of_the_batch() -> None:
    batch = WriteBatch()
    with line(batch) as one:
        with batch:
            one.writer.send(b"goodbye")
            one.writer.finish()
        assert [one.peer.recv(100) for _ in range(2)] == [b"goodbye", b""]


async def test_callback_waits_until_the_peer_has_taken_the_frame() -> None:
    flushed = list[int]()
    frame = bytes(50_000)
    with line() as one:
        count = 0
        while not one.writer.is_blocked:
            one.writer.send(frame, lambda number=count: flushed.append(number))  # type: ignore[misc]
            count += 1
        assert list(range(count - 1)) == flushed
        taken = 0
        while taken < count * len(frame):
            taken += len(one.peer.recv(2**20))
            one.writer.flush()
        assert (list(range(count)), False, 0) == (flushed, one.writer.is_blocked, len(one.writer))


async def test_peer_that_lets_too_many_bytes_wait_is_dropped() -> None:
    with line(max_unsent=10_000) as one:
        while not one.sender.dropped:
            one.writer.send(bytes(10_000))
        assert one.sender.dropped == ["it does not read"]


async def test_callbacks_are_called_when_the_connection_is_broken() -> None:
    flushed = list[str]()
    with line() as one:
        one.peer.close()
        one.writer.send(b"turn", lambda: flushed.append("turn"))
        assert flushed == ["turn"]


def test_bug_in_one_writer_does_not_keep_the_others_from_sending() -> None:
    batch, bad, good = WriteBatch(), Held(fails=True), Held(fails=False)
    with batch:
        batch.writers += [bad, good]
    assert (bad.seen, good.seen, batch.writers) == (["a bug"], ["sent"], [])


async def test_moves_of_others_arrive_before_the_turn() -> None:
    async with race_host("a", "b") as host:
        a, b = await host.bot("a"), await host.bot("b")
        host.match("m", "a", "b")
        await b.answer(await b.expect("match_start"))
        await a.move(await a.expect("turn"), [["add", 1]])
        assert [(await b.expect("moved", "turn"))["type"] for _ in range(2)] == ["moved", "turn"]
