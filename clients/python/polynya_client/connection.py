"""One TCP (or TLS) connection: messages out, messages in, blocking.

One thread reads it while another writes.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any, Protocol

from polynya_client.addresses import Address
from polynya_client.codec import DEFAULT_MAX_FRAME, FrameBuffer, Message, decode, encode
from polynya_client.errors import BadFrame, ConnectionLost
from polynya_client.framelog import FrameLog


class Stream(Protocol):
    """The methods of a socket that a connection needs."""

    def recv(self, size: int, /) -> bytes:
        """The bytes that have arrived, at most ``size`` of them; none at the end."""

    def sendall(self, data: bytes, /) -> None:
        """Send all bytes."""

    def settimeout(self, seconds: float, /) -> None:
        """How long reading and writing may take."""

    def shutdown(self, how: int, /) -> None:
        """End it, for a thread that reads too."""

    def close(self) -> None:
        """Give it back to the system."""


class TlsStream:
    """A socket with TLS, whose state two threads may not touch at once.

    It never blocks inside of TLS: the threads wait for the system's socket, and take turns.
    """

    def __init__(self, sock: ssl.SSLSocket) -> None:
        self._socket = sock
        self._seconds = sock.gettimeout()
        self._turns = threading.Lock()
        sock.setblocking(False)

    def settimeout(self, seconds: float, /) -> None:
        """How long reading and writing may take."""
        self._seconds = seconds

    def recv(self, size: int, /) -> bytes:
        """Bytes that have arrived; none at the end."""
        while True:
            try:
                with self._turns:
                    return self._socket.recv(size)
            except ssl.SSLWantReadError:
                self._wait(selectors.EVENT_READ)
            except ssl.SSLWantWriteError:
                self._wait(selectors.EVENT_WRITE)

    def sendall(self, data: bytes, /) -> None:
        """Send all bytes; from one thread at a time."""
        unsent = memoryview(data)
        while unsent:
            try:
                with self._turns:
                    unsent = unsent[self._socket.send(unsent) :]
            except ssl.SSLWantReadError:
                self._wait(selectors.EVENT_READ)
            except ssl.SSLWantWriteError:
                self._wait(selectors.EVENT_WRITE)

    def _wait(self, event: int) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._socket, event)
            if not selector.select(self._seconds):
                raise TimeoutError("timed out")

    def shutdown(self, how: int, /) -> None:
        """End the connection under TLS, without a word of its own."""
        socket.socket.shutdown(self._socket, how)

    def close(self) -> None:
        """Give it back to the system."""
        self._socket.close()


_CHUNK = 64 * 1024


class Connection:
    """A connected socket that speaks frames.

    Attributes:
        max_frame: the largest frame that the server takes, in bytes.
        arrived: when the last message was read from the socket, on ``time.monotonic()``.
    """

    def __init__(self, sock: Stream, log: FrameLog | None = None) -> None:
        self.max_frame = DEFAULT_MAX_FRAME
        self.arrived = time.monotonic()
        self._socket = sock
        self._sending = threading.Lock()
        self._left = False
        self._log = log
        self._buffer = FrameBuffer()

    def close(self) -> None:
        """Close the socket, without a word."""
        self._socket.close()

    def hang_up(self) -> None:
        """End the connection, so that a thread that receives wakes up."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def patience(self, seconds: float) -> None:
        """How long the server may be silent, and how long it may refuse to read."""
        self._socket.settimeout(seconds)

    def send(self, message: Mapping[str, Any]) -> None:
        """Send one message, from any thread; nothing after ``leave``.

        Raises:
            BadFrame: it is too large for the server, or cannot be encoded.
            ConnectionLost: the connection broke.
        """
        frame = encode(message, self.max_frame)
        with self._sending:
            if self._left:
                return
            try:
                self._socket.sendall(frame)
            except OSError as error:
                raise ConnectionLost(f"the connection broke while sending: {error}") from error
            if self._log:
                self._log.write("sent", message)

    def receive(self) -> Message:
        """Wait for the next message.

        Raises:
            BadFrame: what came is no frame of the protocol.
            ConnectionLost: the connection broke or was closed, or the server was silent too long.
        """
        while (payload := self._buffer.take()) is None:
            self._buffer.add(self._read())
            self.arrived = time.monotonic()
        message = decode(payload)
        if self._log:
            self._log.write("received", message)
        return message

    def _read(self) -> bytes:
        try:
            data = self._socket.recv(_CHUNK)
        except TimeoutError as error:
            raise ConnectionLost("the server was silent for three heartbeats") from error
        except OSError as error:
            raise ConnectionLost(f"the connection broke while receiving: {error}") from error
        if not data:
            raise ConnectionLost("the server closed the connection without a goodbye")
        return data

    def leave(self, reason: str) -> None:
        """Say goodbye, if the connection still carries it."""
        with contextlib.suppress(BadFrame, ConnectionLost):
            self.send({"type": "goodbye", "reason": reason})
        self._left = True


def connect(
    address: Address,
    patience: float,
    tls: ssl.SSLContext | None = None,
    log: FrameLog | None = None,
) -> Connection:
    """A new connection; ``patience`` in seconds holds for making it, and at first for reading.

    Raises:
        ConnectionLost: no server listens there, or the certificate is not good.
    """
    try:
        sock = socket.create_connection(address, timeout=patience)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            return Connection(TlsStream(tls.wrap_socket(sock, server_hostname=address.host)), log)
    except OSError as error:
        raise ConnectionLost(f"cannot connect to {address}: {error}") from error
    return Connection(sock, log)
