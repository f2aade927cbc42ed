"""Reads bytes from a socket together with their time of arrival.

Linux time-stamps received data (``SO_TIMESTAMPNS``) and reports the stamp through ``recvmsg``, for
TCP too, at about 1 µs a call. So a pause of this process, or a busy neighbour, is never charged to
a bot. The stamp belongs to the last byte of a read; bytes that follow a frame before the server
reads it make the frame look later by at most the server's own lateness, which the annulment rule
covers.
"""

from __future__ import annotations

import socket
import struct
import sys
import time
from typing import Final, Protocol

from polynya_server.timing.monotonic_clock import NS_PER_S, NowNs
from polynya_server.transport.base import Transport

CHUNK: Final = 16 * 1024
"""Bytes per read: a flood is handled in portions, with other clients in between."""

SO_TIMESTAMPNS: Final = 35  # Linux; the socket module has no name for it
_STAMP: Final = struct.Struct("@ll")
_ANCILLARY: Final = socket.CMSG_SPACE(_STAMP.size) if hasattr(socket, "CMSG_SPACE") else 0
_stamp: Final = _STAMP.unpack


class Arrival:
    """When a message arrived; it travels with the message.

    Attributes:
        first_ns, last_ns: its first and its last byte, monotonic.
        by_kernel: whether these times are the kernel's.
    """

    __slots__ = ("by_kernel", "first_ns", "last_ns")

    def __init__(self, first_ns: int, last_ns: int, by_kernel: bool) -> None:
        self.first_ns: Final = first_ns
        self.last_ns: Final = last_ns
        self.by_kernel: Final = by_kernel


class Receive(Protocol):
    """Reads a socket without waiting."""

    def __call__(self, sock: Transport) -> tuple[bytes, int, bool]:
        """Read arrived bytes; return them, their time (monotonic ns), and if it is the kernel's.

        Raises:
            BlockingIOError: nothing has arrived.
            OSError: the connection is broken.
        """


class KernelReceive:
    """Reads with the kernel's time of arrival.

    The kernel stamps by the wall clock, which may be set: so the bytes' age by that clock is
    subtracted from the monotonic time. A negative age counts as zero.
    """

    def __init__(self, now: NowNs) -> None:
        self._now = now

    def __call__(self, sock: Transport) -> tuple[bytes, int, bool]:
        """See :class:`Receive`."""
        data, ancillary, _, _ = sock.recvmsg(CHUNK, _ANCILLARY)
        now_ns = self._now()
        if not ancillary:
            return data, now_ns, False
        seconds: int
        nanoseconds: int
        seconds, nanoseconds = _stamp(ancillary[0][2])
        age_ns = time.time_ns() - (seconds * NS_PER_S + nanoseconds)
        return data, now_ns - max(0, age_ns), True


class PlainReceive:
    """Reads, and uses the time of reading as the time of arrival."""

    def __init__(self, now: NowNs) -> None:
        self._now = now

    def __call__(self, sock: Transport) -> tuple[bytes, int, bool]:
        """See :class:`Receive`."""
        return sock.recv(CHUNK), self._now(), False


def receiver(now: NowNs, kernel_times: bool) -> Receive:
    """Choose the most precise reader that this system supports, or the plain one if requested."""
    return KernelReceive(now) if kernel_times and supported() else PlainReceive(now)


def supported() -> bool:
    """Whether this system time-stamps received bytes."""
    return sys.platform == "linux"


def stamp_arrivals(sock: socket.socket) -> None:
    """Ask the kernel to time-stamp received bytes on ``sock``, where it can."""
    if supported():
        sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
