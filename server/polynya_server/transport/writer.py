"""The sending half of a connection: nobody ever waits for a slow peer's socket.

What the operating system does not take at once waits in a backlog that is bounded in bytes and in
time; who lets it overflow is dropped. While the cork is in, frames wait for its end first.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from typing import Final, Protocol

from polynya_server.services import Services
from polynya_server.transport.backlog import Backlog
from polynya_server.transport.tls import Transport

MOST_CORKED: Final = 16 * 1024
"""Bytes for one peer that wait for the cork to be pulled: with more they are sent before."""

OnFlushed = Callable[[], None]


class Sender(Protocol):
    """Whose bytes are sent."""

    @property
    def memory(self) -> int:
        """How many bytes of memory are held for the peer, what waits for it included."""

    def watch(self) -> None:
        """A backlog has come into being, or is gone: watch the socket accordingly."""

    def drop(self, why: str) -> None:
        """The peer does not take what it is sent."""

    def on_crash(self, error: Exception) -> None:
        """A bug showed while it was sent what had been held back."""


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

    def on_crash(self, error: Exception) -> None:
        """See :class:`Sender`."""


NOBODY: Final = Nobody()


class Outbound:
    """Sends frames on a socket without waiting; most of the time there is no backlog."""

    __slots__ = (
        "_backlog",
        "_calls",
        "_cork",
        "_corked",
        "_finishing",
        "_sender",
        "_services",
        "_sock",
    )

    def __init__(self, services: Services, sock: Transport, sender: Sender) -> None:
        self._services = services
        self._sock = sock
        self._sender: Sender = sender
        self._backlog: Backlog | None = None
        self._cork = services.cork
        self._corked = b""  # what waits for the cork to be pulled
        self._calls: tuple[OnFlushed, ...] = ()  # what waits for that to have been taken
        self._finishing = False

    def __len__(self) -> int:
        """How many bytes wait for the peer to take them."""
        return 0 if self._backlog is None else len(self._backlog)

    def send(self, frames: bytes, on_flushed: OnFlushed | None = None) -> bool:
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
                self._cork.writers.append(self)
            self._corked += frames
            if on_flushed is not None:
                self._calls += (on_flushed,)
            if len(self._corked) > MOST_CORKED:
                self.uncork()
            return False
        sent = self._hand_over(frames)
        if sent == len(frames):
            return True
        self._block(memoryview(frames)[sent:], () if on_flushed is None else (on_flushed,))
        return False

    def uncork(self) -> None:
        """See :class:`~polynya_server.transport.cork.Writer`."""
        if not self._corked:
            return
        frames, calls = self._corked, self._calls
        self._corked, self._calls = b"", ()
        sent = self._hand_over(frames)
        if sent < len(frames):
            self._block(memoryview(frames)[sent:], calls)
            return
        for call in calls:
            call()
        self._shut_if_finished()

    def on_crash(self, error: Exception) -> None:
        """See :class:`~polynya_server.transport.cork.Writer`."""
        self._sender.on_crash(error)

    def flush(self) -> None:
        """The operating system takes bytes again."""
        if self._backlog is None:
            return
        try:
            self._backlog.flush(self._sock)
        except OSError:
            self._shut(socket.SHUT_RDWR)
            self._backlog.close()
        if len(self) == 0:
            self._forget()
        self._sender.watch()  # also for what a call has added: no one tells of the space it found
        self._shut_if_finished()

    def finish(self) -> None:
        """Half-close when everything has been taken; nothing more is sent."""
        self._finishing = True
        self._shut_if_finished()

    def close(self) -> None:
        """Forget what waits for the peer, and whose it was; what was only held back is sent."""
        self._finishing = False
        if self._corked:
            self._hand_over(self._corked)
            self._corked, self._calls = b"", ()
        self._forget()
        self._sender = NOBODY

    def _hand_over(self, frames: bytes) -> int:
        """How many bytes the operating system has taken; all, if there is no use in keeping any."""
        try:
            return self._sock.send(frames)
        except BlockingIOError:
            return 0
        except OSError:
            self._shut(socket.SHUT_RDWR)
            return len(frames)

    def _block(self, rest: memoryview, calls: tuple[OnFlushed, ...]) -> None:
        """The operating system takes no more at present."""
        self._backlog = backlog = Backlog(self._services, self._on_stuck)
        self._wait(backlog, rest, None)
        for call in calls:
            backlog.put(b"", call)
        self._sender.watch()

    def _shut_if_finished(self) -> None:
        if self._finishing and not self._corked and self._backlog is None:
            self._shut(socket.SHUT_WR)

    def _shut(self, how: int) -> None:
        """Shut one or both ways of the socket; the reading side meets the end in its time."""
        with contextlib.suppress(OSError):  # the peer may have done so first
            self._sock.shutdown(how)

    def _forget(self) -> None:
        if self._backlog is not None:
            self._backlog.close()
            self._backlog = None

    def _wait(
        self, backlog: Backlog, data: bytes | memoryview, on_flushed: OnFlushed | None
    ) -> None:
        backlog.put(data, on_flushed)
        settings = self._services.settings
        if len(backlog) > settings.max_unsent:
            self._sender.drop("it does not take what it is sent")
        elif self._sender.memory > settings.max_memory:
            self._sender.drop(f"more than {settings.max_memory} bytes of memory are held for it")

    def _on_stuck(self) -> None:
        self._sender.drop("it did not take in time what it was sent")
