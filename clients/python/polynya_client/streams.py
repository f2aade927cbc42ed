"""A socket that one thread reads while another writes, with or without TLS."""

from __future__ import annotations

import selectors
import socket
import ssl
import threading
from typing import Protocol


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
