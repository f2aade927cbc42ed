"""Reading and writing a socket while no other thread gets the interpreter.

Python lets go of the interpreter around each call of the operating system, because it may wait.
Those of a turn never do; but the thread that writes the records takes the interpreter meanwhile,
and the loop has to wait to get it back, again and again: a batch of 16 turns makes some forty such
calls. Called by ``ctypes.PyDLL`` the same functions keep the interpreter, and the other thread has
its turn between two batches. With 1,000 matches at half of the maximal load one move in a hundred
waited for more than 3.1 to 7.6 ms before, and for 1.9 to 3.6 with it; the longest of all 11 to 28
and 5 to 12 (five runs of each in alternation, on a quiet machine). By itself such a pair of calls
takes 0.3 µs longer.
"""

from __future__ import annotations

import ctypes
import os
import socket
import struct
import sys
from collections.abc import Callable
from typing import Any, Final

from polynya_server.receive_times import CHUNK
from polynya_server.tls import Ancillary, Transport

MOST_SENT: Final = 64 * 1024
"""Bytes. More takes the operating system so long that others may have the interpreter."""

_ANCILLARY: Final = 64
"""Bytes for what the kernel says of an arrival: one message, the time."""

_HEADER: Final = struct.Struct("@Nii")  # cmsghdr, see recvmsg(2)
_HEADER_BYTES: Final = socket.CMSG_LEN(0) if hasattr(socket, "CMSG_LEN") else 0
_MESSAGE: Final = struct.Struct("@PIPNPNi")  # msghdr, see recvmsg(2)
_ANCILLARY_LENGTH_AT: Final = struct.calcsize("@PIPNP0N")
_PIECE: Final = struct.Struct("@PN")  # iovec, see readv(2)
_PIECE_LENGTH_AT: Final = struct.calcsize("@P0N")

_READ_FLAGS: Final = getattr(socket, "MSG_DONTWAIT", 0)
_SEND_FLAGS: Final = _READ_FLAGS | getattr(socket, "MSG_NOSIGNAL", 0)


class SystemCalls:
    """``send`` and ``recvmsg`` that keep the interpreter and never wait.

    For all sockets of one thread: what has arrived is in one place until it is copied.
    """

    def __init__(self) -> None:
        system = ctypes.PyDLL(None, use_errno=True)
        self._send: Any = system.send
        self._send.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int]
        self._send.restype = ctypes.c_ssize_t
        self._recvmsg: Any = system.recvmsg
        self._recvmsg.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
        self._recvmsg.restype = ctypes.c_ssize_t
        self._data, self._ancillary = bytearray(CHUNK), bytearray(_ANCILLARY)
        self._piece = bytearray(_PIECE.pack(_address(self._data), CHUNK))
        self._message = bytearray(
            _MESSAGE.pack(0, 0, _address(self._piece), 1, _address(self._ancillary), 0, 0)
        )
        self._arrived = memoryview(self._data)
        self._length: Any = ctypes.c_size_t.from_buffer(self._piece, _PIECE_LENGTH_AT)
        self._told: Any = ctypes.c_size_t.from_buffer(self._message, _ANCILLARY_LENGTH_AT)
        self._message_at = _address(self._message)

    def send(self, descriptor: int, data: bytes) -> int:
        """How many bytes the operating system has taken.

        Raises:
            BlockingIOError: none, at present.
            OSError: the connection is broken.
        """
        sent: int = self._send(descriptor, data, len(data), _SEND_FLAGS)
        if sent < 0:
            raise _error()
        return sent

    def recvmsg(self, descriptor: int, size: int) -> tuple[bytes, Ancillary, int, object]:
        """What has come, :data:`CHUNK` bytes at most, as ``socket.recvmsg`` returns it.

        Raises:
            BlockingIOError: nothing has come.
            OSError: the connection is broken.
        """
        self._length.value = size if size < CHUNK else CHUNK
        self._told.value = _ANCILLARY
        received: int = self._recvmsg(descriptor, self._message_at, _READ_FLAGS)
        if received < 0:
            raise _error()
        data = bytes(self._arrived[:received])
        told: int = self._told.value
        return data, self._first(told) if told else [], 0, None

    def _first(self, told: int) -> Ancillary:
        length, level, kind = _HEADER.unpack_from(self._ancillary)
        return [(level, kind, bytes(self._ancillary[_HEADER_BYTES : min(length, told)]))]


def _address(memory: bytearray) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(memory))


def _error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


class UninterruptedSocket:
    """A connected socket, used in its place by a connection or by TLS; it closes the socket."""

    __slots__ = ("_calls", "_descriptor", "_sock")

    def __init__(self, sock: socket.socket, calls: SystemCalls) -> None:
        self._sock = sock
        self._calls = calls
        self._descriptor = sock.fileno()

    def fileno(self) -> int:
        """See :class:`~polynya_server.tls.Transport`."""
        return self._descriptor

    def recv(self, size: int, /) -> bytes:
        """See :class:`~polynya_server.tls.Transport`."""
        return self._calls.recvmsg(self._descriptor, size)[0]

    def recvmsg(self, size: int, _ancillary: int, /) -> tuple[bytes, Ancillary, int, object]:
        """See :class:`~polynya_server.tls.Transport`; the time of arrival is all that is told."""
        return self._calls.recvmsg(self._descriptor, size)

    def send(self, data: bytes | bytearray | memoryview, /) -> int:
        """See :class:`~polynya_server.tls.Transport`."""
        if isinstance(data, bytes) and len(data) <= MOST_SENT:
            return self._calls.send(self._descriptor, data)
        return self._sock.send(data)

    def shutdown(self, how: int, /) -> None:
        """See :class:`~polynya_server.tls.Transport`."""
        self._sock.shutdown(how)

    def close(self) -> None:
        """See :class:`~polynya_server.tls.Transport`."""
        self._descriptor = -1  # another socket may soon have the number
        self._sock.close()


def uninterrupted() -> Callable[[socket.socket], Transport]:
    """What makes such sockets for one thread, or leaves them as they are, where that must be."""
    if sys.platform != "linux":
        return _as_it_is
    calls = SystemCalls()
    return lambda sock: UninterruptedSocket(sock, calls)


def _as_it_is(sock: socket.socket) -> Transport:
    return sock
