"""When bytes arrived: told by the kernel, and kept within reason when its clock is set."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator

import pytest

from polynya_server.timing.monotonic_clock import NS_PER_S
from polynya_server.transport import arrival
from polynya_server.transport.arrival import (
    CHUNK,
    KernelReceive,
    PlainReceive,
    receiver,
    stamp_arrivals,
)

NOW_NS = 10**15

linux = pytest.mark.skipif(not arrival.supported(), reason="only Linux stamps arrivals")


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """Two connected TCP sockets; what arrives at the second is stamped."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        sender = socket.create_connection(listener.getsockname())
        reader, _ = listener.accept()
    stamp_arrivals(reader)
    with sender, reader:
        if arrival.supported():
            until_the_kernel_stamps(sender, reader)
        yield sender, reader


def until_the_kernel_stamps(sender: socket.socket, reader: socket.socket) -> None:
    """Linux begins to stamp a little after the first socket of the machine has asked for it."""
    deadline = time.monotonic() + 60
    receive = KernelReceive(now)
    stamped = False
    while not stamped:
        assert time.monotonic() < deadline, "the kernel stamps nothing"
        sender.send(b"x")
        _, _, stamped = receive(reader)


def now() -> int:
    return NOW_NS


@linux
def test_the_age_of_what_arrived_is_subtracted(
    pair: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    sender, reader = pair
    before_ns = time.time_ns()
    sender.send(b"hello")
    reader.recv(1, socket.MSG_PEEK)
    after_ns = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: after_ns + NS_PER_S)
    data, arrived_ns, kernel = KernelReceive(now)(reader)
    assert (data, kernel) == (b"hello", True)
    assert NS_PER_S <= NOW_NS - arrived_ns <= NS_PER_S + after_ns - before_ns


@linux
def test_nothing_arrives_in_the_future_when_the_wall_clock_is_set_back(
    pair: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    sender, reader = pair
    sender.send(b"hello")
    monkeypatch.setattr(time, "time_ns", lambda: 0)
    assert KernelReceive(now)(reader) == (b"hello", NOW_NS, True)


@linux
def test_the_end_of_the_stream_has_no_stamp(pair: tuple[socket.socket, socket.socket]) -> None:
    sender, reader = pair
    sender.close()
    assert KernelReceive(now)(reader) == (b"", NOW_NS, False)


def test_without_the_kernel_the_moment_of_reading_counts(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    sender, reader = pair
    sender.send(b"hello")
    assert PlainReceive(now)(reader) == (b"hello", NOW_NS, False)


@pytest.mark.parametrize("kernel_times", [True, False])
def test_a_flood_is_read_in_portions(
    pair: tuple[socket.socket, socket.socket], kernel_times: bool
) -> None:
    sender, reader = pair
    sender.sendall(bytes(2 * CHUNK))
    reader.recv(2 * CHUNK, socket.MSG_PEEK | socket.MSG_WAITALL)
    assert len(receiver(now, kernel_times)(reader)[0]) == CHUNK


@pytest.mark.parametrize("kernel_times", [True, False])
def test_reading_never_waits(pair: tuple[socket.socket, socket.socket], kernel_times: bool) -> None:
    _, reader = pair
    reader.setblocking(False)
    with pytest.raises(BlockingIOError):
        receiver(now, kernel_times)(reader)
