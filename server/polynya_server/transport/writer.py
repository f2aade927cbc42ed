"""The sending half of a connection: queues frames, and never waits for a slow peer's socket.

Frames that the operating system does not take at once are queued, bounded in bytes and in time; a
peer that exceeds either bound is dropped. While a batch is open, frames wait for its end first.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable
from typing import Final, Protocol

from polynya_common.reasons import Cause, Reason
from polynya_server.settings import ServerSettings
from polynya_server.timing.deadlines import Deadline, DeadlineQueue
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.transport.base import Transport
from polynya_server.transport.fast.write_batch import WriteBatch

MAX_BATCHED: Final = 16 * 1024
"""Maximum bytes for one peer that wait for a batch's end; more are sent earlier."""

OnFlushed = Callable[[], None]


class Sender(Protocol):
    """The connection whose frames are sent."""

    @property
    def memory(self) -> int:
        """Bytes of memory held for the peer, this writer's included."""

    def update_interest(self) -> None:
        """Watch the socket according to whether the writer is blocked."""

    def drop(self, why: Cause) -> None:
        """Drop a peer that does not take its frames."""

    def on_crash(self, error: Exception) -> None:
        """Sending frames held back by a batch raised ``error``: a bug."""


class _NullSender:
    """The sender of a writer that is closed."""

    @property
    def memory(self) -> int:
        """See :class:`Sender`."""
        return 0

    def update_interest(self) -> None:
        """See :class:`Sender`."""

    def drop(self, why: Cause) -> None:
        """See :class:`Sender`."""

    def on_crash(self, error: Exception) -> None:
        """See :class:`Sender`."""


NULL_SENDER: Final = _NullSender()


class FrameWriter:
    """Sends frames on a socket without waiting; most of the time nothing is unsent.

    Attributes:
        is_blocked: whether the operating system takes no more for now.
    """

    __slots__ = (
        "_batch",
        "_deadline",
        "_deadline_mark",
        "_deadlines",
        "_finishing",
        "_marks",
        "_queued",
        "_sender",
        "_sent",
        "_settings",
        "_sock",
        "_unsent",
        "is_blocked",
    )

    def __init__(
        self,
        sock: Transport,
        sender: Sender,
        batch: WriteBatch | None,
        deadlines: DeadlineQueue,
        settings: ServerSettings,
    ) -> None:
        self.is_blocked = False
        self._sock = sock
        self._sender: Sender = sender
        self._batch = batch
        self._deadlines = deadlines
        self._settings = settings
        self._unsent = bytearray()
        # At most one for each match in play, so a list: an empty deque takes 760 bytes.
        self._marks: list[tuple[int, OnFlushed]] = []
        self._queued = 0  # bytes, since the beginning
        self._sent = 0
        self._deadline: Deadline | None = None  # most connections never need one
        self._deadline_mark = 0
        self._finishing = False

    def __len__(self) -> int:
        """Bytes queued that the peer has not taken yet."""
        return len(self._unsent) if self.is_blocked else 0

    def send(self, frames: bytes, on_flushed: OnFlushed | None = None) -> None:
        """Send whole frames, now or as soon as possible.

        ``on_flushed`` is called when the operating system has taken them all, or when the
        connection proves broken, which reading it will show; that may be before this returns.
        """
        batch, is_first = self._batch, not self._unsent
        self._unsent += frames
        self._queued += len(frames)
        if on_flushed is not None:
            self._marks.append((self._queued, on_flushed))
        if self.is_blocked:
            self._enforce_bounds()
        elif batch is None or not batch.is_open or len(self._unsent) > MAX_BATCHED:
            self.flush()
        elif is_first:
            batch.writers.append(self)

    def flush(self) -> None:
        """Send as many queued bytes as the operating system takes now."""
        sent = self._hand_over()
        self._sent += sent
        if sent == len(self._unsent):
            self._unsent = bytearray()
        else:
            del self._unsent[:sent]
        self._note_blocking()
        while self._marks and self._marks[0][0] <= self._sent:
            self._marks.pop(0)[1]()
        self._shut_if_finished()

    def on_crash(self, error: Exception) -> None:
        """See :class:`~polynya_server.transport.fast.write_batch.BatchedWriter`."""
        self._sender.on_crash(error)

    def finish(self) -> None:
        """Half-close when everything has been sent; no more frames follow."""
        self._finishing = True
        self._shut_if_finished()

    def close(self) -> None:
        """Drop the queue and the peer; frames that only wait for a batch's end are sent."""
        self._finishing = False
        if not self.is_blocked:
            self._hand_over()
        self._unsent = bytearray()
        self._marks.clear()
        if self._deadline is not None:
            self._deadline.close()
        self._sender = NULL_SENDER

    def _hand_over(self) -> int:
        """Send; return the number of bytes taken, or all of them if the connection is broken."""
        if not self._unsent:
            return 0
        try:
            return self._sock.send(self._unsent)
        except BlockingIOError:
            return 0
        except OSError:
            self._shut(socket.SHUT_RDWR)
            return len(self._unsent)

    def _note_blocking(self) -> None:
        was_blocked, self.is_blocked = self.is_blocked, len(self._unsent) > 0
        if not was_blocked and not self.is_blocked:
            return
        if not was_blocked:
            self._set_deadline()
        elif not self.is_blocked and self._deadline is not None:
            self._deadline.clear()
        self._sender.update_interest()
        self._enforce_bounds()

    def _set_deadline(self) -> None:
        """Require the present queue to be taken in time: a byte a minute is no progress."""
        if self._deadline is None:
            self._deadline = self._deadlines.new(self._on_deadline)
        self._deadline_mark = self._queued
        self._deadline.set(self._deadlines.now() + self._settings.drain_ms * NS_PER_MS)

    def _on_deadline(self) -> None:
        if self._sent < self._deadline_mark:
            self._sender.drop(Reason.of("reads_too_late"))
        elif self.is_blocked:
            self._set_deadline()

    def _enforce_bounds(self) -> None:
        settings = self._settings
        if len(self._unsent) > settings.max_unsent:
            self._sender.drop(Reason.of("reads_nothing"))
        elif self._sender.memory > settings.max_memory:
            self._sender.drop(Reason.of("too_much_memory", limit_bytes=settings.max_memory))

    def _shut_if_finished(self) -> None:
        if self._finishing and not self._unsent:
            self._shut(socket.SHUT_WR)

    def _shut(self, how: int) -> None:
        """Shut one or both directions of the socket; the reader will see the end by itself."""
        with contextlib.suppress(OSError):  # the peer may have done so first
            self._sock.shutdown(how)
