"""The sending half of a connection: nobody ever waits for a slow peer's socket.

What the operating system does not take at once waits in a backlog that is bounded in bytes and in
time; who lets it overflow is dropped. While the cork is in, frames wait for its end first.
"""

from __future__ import annotations

import contextlib
import socket
from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from polynya_server.monotonic import NS_PER_MS
from polynya_server.services import Services
from polynya_server.tls import Transport

MOST_CORKED = 16 * 1024
"""Bytes for one peer that wait for the cork to be pulled: with more they are sent before."""

OnFlushed = Callable[[], None] | None
Written = tuple[bytes, OnFlushed]


class Sender(Protocol):
    """Whose bytes are sent."""

    @property
    def memory(self) -> int:
        """How many bytes of memory are held for the peer, what waits for it included."""

    def watch(self) -> None:
        """A backlog has come into being, or is gone: watch the socket accordingly."""

    def drop(self, why: str) -> None:
        """The peer does not take what it is sent."""

    def on_writable(self) -> None:
        """What was held back is to be sent now."""

    def on_crash(self, error: Exception) -> None:
        """Sending it raised ``error``."""


class Nobody:
    """The sender of a connection that is closed."""

    @property
    def memory(self) -> int:
        """See :class:`Sender`."""
        return 0

    def watch(self) -> None:
        """See :class:`Sender`."""

    def drop(self, why: str) -> None:
        """See :class:`Sender`."""

    def on_writable(self) -> None:
        """See :class:`Sender`."""

    def on_crash(self, error: Exception) -> None:
        """See :class:`Sender`."""


NOBODY = Nobody()


class Backlog:
    """Bytes that wait, with a call for each mark that has been passed.

    Args:
        services: for the time within which what waits has to be taken.
        on_stuck: called when it was not.
    """

    __slots__ = ("_alarm", "_buffer", "_deadline_mark", "_marks", "_queued", "_sent", "_services")

    def __init__(self, services: Services, on_stuck: Callable[[], None]) -> None:
        def ring() -> None:
            if self._sent < self._deadline_mark:
                on_stuck()
            else:
                self._set_deadline()

        self._services = services
        self._buffer = bytearray()
        self._marks: deque[tuple[int, Callable[[], None]]] = deque()
        self._queued = 0
        self._sent = 0
        self._deadline_mark = 0
        self._alarm = services.timekeeper.alarm(ring)

    def __len__(self) -> int:
        return len(self._buffer)

    def put(self, data: bytes | memoryview, on_flushed: OnFlushed) -> None:
        """Let ``data`` wait; ``on_flushed`` is called when its last byte has been taken."""
        first = not self._buffer
        self._buffer += data
        self._queued += len(data)
        if on_flushed is not None:
            self._marks.append((self._queued, on_flushed))
        if first:
            self._set_deadline()

    def flush(self, sock: Transport) -> None:
        """Hand over what the operating system takes now.

        Raises:
            OSError: the connection is broken.
        """
        try:
            sent = sock.send(self._buffer)
        except BlockingIOError:
            return
        del self._buffer[:sent]
        self._sent += sent
        while self._marks and self._marks[0][0] <= self._sent:
            self._marks.popleft()[1]()

    def close(self) -> None:
        """Forget what waits."""
        self._alarm.close()
        self._buffer.clear()
        self._marks.clear()

    def _set_deadline(self) -> None:
        """All that waits now has to be taken in time: progress of a byte a minute is none."""
        self._deadline_mark = self._queued
        drain_ns = self._services.settings.drain_ms * NS_PER_MS
        self._alarm.set(self._services.now() + drain_ns)


class Outbound:
    """Sends frames on a socket without waiting; most of the time there is no backlog."""

    __slots__ = ("_backlog", "_cork", "_corked", "_corked_bytes", "_sender", "_services", "_sock")

    def __init__(self, services: Services, sock: Transport, sender: Sender) -> None:
        self._services = services
        self._sock = sock
        self._sender: Sender = sender
        self._backlog: Backlog | None = None
        self._cork = services.cork
        self._corked: list[Written] = []  # what waits for the cork to be pulled
        self._corked_bytes = 0

    def __len__(self) -> int:
        """How many bytes wait for the peer to take them."""
        return 0 if self._backlog is None else len(self._backlog)

    @property
    def is_empty(self) -> bool:
        """Whether everything has been handed over."""
        return not self._corked and self._backlog is None

    def send(self, frames: bytes, on_flushed: OnFlushed) -> bool:
        """Hand over whole frames, or hold them back while the cork is in.

        Returns:
            whether the operating system has taken them all (or the connection is broken, which
            reading it will show); if not, ``on_flushed`` is called when it has.
        """
        if self._backlog is not None:
            self._wait(self._backlog, frames, on_flushed)
            return False
        if self._corked or self._cork.is_in:
            if not self._corked:
                self._cork.hold(self._sender)
            self._corked.append((frames, on_flushed))
            self._corked_bytes += len(frames)
            if self._corked_bytes > MOST_CORKED:
                self._uncork()
            return False
        return self._send(frames, on_flushed)

    def _send(self, frames: bytes, on_flushed: OnFlushed) -> bool:
        try:
            sent = self._sock.send(frames)
        except BlockingIOError:
            sent = 0
        except OSError:
            self.shut(socket.SHUT_RDWR)
            return True
        if sent == len(frames):
            return True
        self._backlog = Backlog(self._services, self._on_stuck)
        self._wait(self._backlog, memoryview(frames)[sent:], on_flushed)
        self._sender.watch()
        return False

    def flush(self) -> None:
        """The operating system takes bytes again, or the cork was pulled."""
        if self._corked:
            self._uncork()
        if self._backlog is None:
            return
        try:
            self._backlog.flush(self._sock)
        except OSError:
            self.shut(socket.SHUT_RDWR)
            self._backlog.close()
        if len(self) == 0:
            self._forget()
            self._sender.watch()

    def _uncork(self) -> None:
        corked, self._corked, self._corked_bytes = self._corked, [], 0
        frames, on_flushed = corked[0] if len(corked) == 1 else _joined(corked)
        if self._send(frames, on_flushed) and on_flushed is not None:
            on_flushed()

    def shut(self, how: int) -> None:
        """Shut one or both ways of the socket; the reading side meets the end in its time."""
        with contextlib.suppress(OSError):  # the peer may have done so first
            self._sock.shutdown(how)

    def close(self) -> None:
        """Forget what waits for the peer, and whose it was; what was only held back is sent."""
        if self._corked:
            with contextlib.suppress(OSError):
                self._sock.send(_joined(self._corked)[0])
            self._corked.clear()
        self._forget()
        self._sender = NOBODY

    def _forget(self) -> None:
        if self._backlog is not None:
            self._backlog.close()
            self._backlog = None

    def _wait(self, backlog: Backlog, data: bytes | memoryview, on_flushed: OnFlushed) -> None:
        backlog.put(data, on_flushed)
        settings = self._services.settings
        if len(backlog) > settings.max_unsent:
            self._sender.drop("it does not take what it is sent")
        elif self._sender.memory > settings.max_memory:
            self._sender.drop(f"more than {settings.max_memory} bytes of memory are held for it")

    def _on_stuck(self) -> None:
        self._sender.drop("it did not take in time what it was sent")


def _joined(corked: Sequence[Written]) -> Written:
    """All frames as one, and one call for the calls that wait for them."""
    frames, calls = zip(*corked, strict=True)

    def on_flushed() -> None:
        for call in calls:
            if call is not None:
                call()

    return b"".join(frames), on_flushed
