"""Sockets whose calls keep the interpreter: what they do, they do as sockets do."""

from __future__ import annotations

import os
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest

from polynya_server.transport.arrival import CHUNK, SO_TIMESTAMPNS
from polynya_server.transport.tls import Transport
from polynya_server.transport.uninterrupted import uninterrupted

pytestmark = pytest.mark.skipif(
    find_spec("polynya_server.transport.system_calls") is None,
    reason="only compiled wheels have it, and tests/packaging runs this with one",
)

ANCILLARY = 64


@dataclass(frozen=True)
class Pair:
    """A connection: this end as a socket and as what is tested, and the other end."""

    near: socket.socket
    transport: Transport
    far: socket.socket

    def await_bytes(self, count: int) -> None:
        """Return when so many have come to this end, and leave them there."""
        self.near.recv(count, socket.MSG_PEEK | socket.MSG_WAITALL)

    def reset(self) -> None:
        """Let the other end break the connection off."""
        at_once = struct.pack("ii", 1, 0)
        self.far.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, at_once)
        self.far.close()
        assert select.select([self.near], [], [], 60)[0], "it is not told of"


def system_calls() -> Any:
    """The module in C."""
    return import_module("polynya_server.transport.system_calls")


@pytest.fixture
def pair() -> Iterator[Pair]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        far = socket.create_connection(listener.getsockname())
        near, _ = listener.accept()
    with near, far:
        yield Pair(near, uninterrupted()(near), far)


def test_what_is_sent_arrives(pair: Pair) -> None:
    sent = bytes(range(256))
    assert pair.transport.send(sent) == len(sent)
    assert pair.far.recv(len(sent), socket.MSG_WAITALL) == sent


def test_what_arrives_is_received(pair: Pair) -> None:
    sent = bytes(range(256))
    pair.far.sendall(sent)
    pair.await_bytes(len(sent))
    assert pair.transport.recvmsg(CHUNK, ANCILLARY)[0] == sent


def test_the_kernel_says_the_same_of_an_arrival(pair: Pair) -> None:
    pair.near.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    told: list[tuple[int, int, bytes]] = []
    deadline = time.monotonic() + 60
    while not told:  # Linux begins a little after the machine's first socket has asked
        assert time.monotonic() < deadline, "the kernel stamps nothing"
        pair.far.sendall(b"x")
        told = pair.near.recvmsg(1, ANCILLARY, socket.MSG_PEEK)[1]
        assert pair.transport.recvmsg(1, ANCILLARY)[:2] == (b"x", told)


def test_no_more_is_received_than_was_asked_for(pair: Pair) -> None:
    pair.far.sendall(b"hello")
    pair.await_bytes(5)
    assert pair.transport.recv(2) == b"he"
    assert pair.transport.recv(16) == b"llo"


def test_a_flood_is_received_in_portions(pair: Pair) -> None:
    pair.far.sendall(bytes(CHUNK + 1))
    pair.await_bytes(CHUNK + 1)
    assert len(pair.transport.recv(2 * CHUNK)) == CHUNK


def test_what_was_received_stays_as_it_was(pair: Pair) -> None:
    pair.far.sendall(b"first")
    pair.await_bytes(5)
    first = pair.transport.recv(CHUNK)
    pair.far.sendall(b"other")
    pair.await_bytes(5)
    pair.transport.recv(CHUNK)
    assert first == b"first"


def test_the_end_of_the_stream_is_nothing(pair: Pair) -> None:
    pair.far.shutdown(socket.SHUT_WR)
    pair.await_bytes(1)
    assert pair.transport.recvmsg(CHUNK, ANCILLARY) == (b"", [], 0, None)


def test_receiving_does_not_wait_even_on_a_socket_that_would(pair: Pair) -> None:
    with pytest.raises(BlockingIOError):
        pair.transport.recvmsg(CHUNK, ANCILLARY)


def test_sending_does_not_wait_even_on_a_socket_that_would(pair: Pair) -> None:
    def send_for_ever() -> None:
        while True:
            pair.transport.send(b"hello")

    with pytest.raises(BlockingIOError):
        send_for_ever()


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_what_is_too_much_at_once_is_sent_in_part(
    pair: Pair, kind: Callable[[bytes], bytes]
) -> None:
    pair.near.setblocking(False)
    assert 0 < pair.transport.send(kind(bytes(2**26))) < 2**26


def test_a_broken_connection_is_told_of_when_it_is_read(pair: Pair) -> None:
    pair.reset()
    with pytest.raises(ConnectionResetError):
        pair.transport.recvmsg(CHUNK, ANCILLARY)


def test_writing_to_a_broken_connection_raises_and_no_signal_ends_the_process(pair: Pair) -> None:
    pair.reset()
    pair.near.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
    with pytest.raises(BrokenPipeError):
        pair.transport.send(b"hello")


@pytest.mark.parametrize("descriptor", [2**31, -(2**31) - 1, 2**64])
def test_what_is_no_descriptor_is_refused(descriptor: int) -> None:
    with pytest.raises(OverflowError):
        system_calls().send(descriptor, b"hello")


@pytest.mark.parametrize("data", [bytearray(b"hello"), "hello", None])
def test_what_is_not_bytes_is_refused(data: object) -> None:
    with pytest.raises(TypeError):
        system_calls().send(0, data)


@pytest.mark.parametrize("arguments", [(), (0,), (0, 1, 2)])
@pytest.mark.parametrize("name", ["send", "recvmsg"])
def test_another_number_of_arguments_is_refused(name: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(TypeError, match="two arguments"):
        getattr(system_calls(), name)(*arguments)


def test_a_size_below_zero_is_refused(pair: Pair) -> None:
    with pytest.raises(ValueError, match="below zero"):
        pair.transport.recv(-1)


def test_a_closed_one_cannot_reach_the_socket_that_has_its_number_now(pair: Pair) -> None:
    number = pair.transport.fileno()
    pair.transport.close()
    with (
        socket.socket(fileno=os.dup2(pair.far.fileno(), number)),
        pytest.raises(OSError, match="Bad file descriptor"),
    ):
        pair.transport.send(b"hello")


def test_no_other_thread_gets_the_interpreter_meanwhile(pair: Pair) -> None:
    counted, going = 0, True

    def count() -> None:
        nonlocal counted
        while going:
            counted += 1
            time.sleep(0)

    before_s = sys.getswitchinterval()
    sys.setswitchinterval(60)  # nobody is made to give it up while this lasts
    counter = threading.Thread(target=count)
    counter.start()
    try:
        while not counted:
            time.sleep(0)
        begun = counted
        for _ in range(1000):
            pair.transport.send(b"hello")
            pair.far.recv(5)
        assert counted > begun, "these calls let it have it, and it takes it"
        begun = counted
        for _ in range(1000):
            pair.transport.send(b"hello")
        assert counted == begun
    finally:
        going = False
        sys.setswitchinterval(before_s)
        counter.join()
