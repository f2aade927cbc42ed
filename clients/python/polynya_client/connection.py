"""One TCP (or TLS) connection: messages out, messages in, blocking."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from typing import Any

from polynya_client.addresses import Address
from polynya_client.codec import DEFAULT_MAX_FRAME, FrameBuffer, Message, decode, encode
from polynya_client.errors import BadFrame, ConnectionLost
from polynya_client.framelog import FrameLog
from polynya_client.streams import Stream, TlsStream

_CHUNK = 64 * 1024
_CONNECT_SECONDS = 10.0


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
    address: Address, tls: ssl.SSLContext | None = None, log: FrameLog | None = None
) -> Connection:
    """A new connection.

    Raises:
        ConnectionLost: no server listens there, or the certificate is not good.
    """
    try:
        sock = socket.create_connection(address, timeout=_CONNECT_SECONDS)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if tls is not None:
            return Connection(TlsStream(tls.wrap_socket(sock, server_hostname=address.host)), log)
    except OSError as error:
        raise ConnectionLost(f"cannot connect to {address}: {error}") from error
    return Connection(sock, log)
