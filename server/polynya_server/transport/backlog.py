"""What a slow peer has yet to take: bounded in time here, and in bytes by whose it is."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from polynya_server.services import Services
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.transport.tls import Transport


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

    def put(self, data: bytes | memoryview, on_flushed: Callable[[], None] | None = None) -> None:
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
