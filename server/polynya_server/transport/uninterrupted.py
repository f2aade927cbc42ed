"""Reading and writing a socket while no other thread gets the interpreter.

Python lets go of the interpreter around each call of the operating system, because it may wait.
Those of a turn never do; but a thread that makes a page or writes records takes the interpreter
meanwhile, and the loop has to wait to get it back, again and again: a batch of 16 turns makes some
forty such calls. ``system_calls.c`` keeps the interpreter, and the other thread has its turn
between two batches. With 1,000 matches at half of the maximal load, and records written by a
thread, one move in a hundred waited for more than 3.1 to 7.6 ms before, and for 1.9 to 3.6 with it;
the longest of all 11 to 28 and 5 to 12 (five runs of each in alternation, on a quiet machine).
Called by ``ctypes`` the two took a third of a turn's instructions, 23,000; in C they take 6,000,
and 1,000 matches made 42,900 turns a second instead of 36,700 (medians of three runs in
alternation).

Only compiled wheels hold that module; in a checkout sockets are left as they are.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from polynya_server.transport.tls import Ancillary, Transport

MOST_SENT: Final = 64 * 1024
"""Bytes. More takes the operating system so long that others may have the interpreter."""


class UninterruptedSocket:
    """A connected socket, used in its place by a connection or by TLS; it closes the socket."""

    __slots__ = ("_descriptor", "_recvmsg", "_send", "_sock")

    def __init__(self, sock: socket.socket, calls: Any) -> None:
        self._sock = sock
        self._recvmsg: Any = calls.recvmsg
        self._send: Any = calls.send
        self._descriptor = sock.fileno()

    def fileno(self) -> int:
        """See :class:`~polynya_server.transport.tls.Transport`."""
        return self._descriptor

    def recv(self, size: int, /) -> bytes:
        """See :class:`~polynya_server.transport.tls.Transport`."""
        data: bytes = self._recvmsg(self._descriptor, size)[0]
        return data

    def recvmsg(self, size: int, _ancillary: int, /) -> tuple[bytes, Ancillary, int, object]:
        """See :class:`~polynya_server.transport.tls.Transport`; tells only the time of arrival."""
        received: tuple[bytes, Ancillary, int, object] = self._recvmsg(self._descriptor, size)
        return received

    def send(self, data: bytes | bytearray | memoryview, /) -> int:
        """See :class:`~polynya_server.transport.tls.Transport`."""
        if isinstance(data, bytes) and len(data) <= MOST_SENT:
            sent: int = self._send(self._descriptor, data)
            return sent
        return self._sock.send(data)

    def shutdown(self, how: int, /) -> None:
        """See :class:`~polynya_server.transport.tls.Transport`."""
        self._sock.shutdown(how)

    def close(self) -> None:
        """See :class:`~polynya_server.transport.tls.Transport`."""
        self._descriptor = -1  # another socket may soon have the number
        self._sock.close()


def uninterrupted() -> Callable[[socket.socket], Transport]:
    """What makes such sockets, or leaves them as they are where nothing is compiled."""
    try:
        calls = import_module("polynya_server.transport.system_calls")
    except ImportError:
        return _as_it_is
    return lambda sock: UninterruptedSocket(sock, calls)


def _as_it_is(sock: socket.socket) -> Transport:
    return sock
