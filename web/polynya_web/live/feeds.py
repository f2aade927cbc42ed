"""Feeds: events about one subject for many viewers, each encoded once, and sent over HTTP.

Nothing waits for a viewer. A feed keeps its last chunks; a viewer that has missed some is sent a
new snapshot instead, so that a viewer that does not read costs nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Protocol

import msgspec
import trio

from polynya_server.changes import Changes
from polynya_web.http.responses import StreamedBytes


class EventSource(Protocol):
    """A source of events."""

    def follow(self) -> AsyncGenerator[bytes]:
        """Events, encoded, until there will be no more."""


class EventStream(StreamedBytes):
    """An answer that sends the events of a feed, until it ends or the viewer goes away."""

    def __init__(self, feed: EventSource) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(feed.follow(), "text/event-stream", headers)


KEPT_CHUNKS = 32
BEAT_S = 15
"""Interval of heartbeats to idle viewers."""

FRESH_S = 0.5
"""Maximum age of a snapshot for new viewers: it may contain running clocks."""

BEAT = b":\n\n"
_encode = msgspec.json.Encoder().encode


def event(name: str, value: object) -> bytes:
    """A server-sent event whose data is ``value`` as JSON, which has no line breaks."""
    return b"event: %b\ndata: %b\n\n" % (name.encode(), _encode(value))


class Feed:
    """The events about one subject.

    Args:
        snapshot: gives the event that shows the subject as it stands, encoded.

    Attributes:
        viewers: how many follow it.
        on_viewer: called for each new one, some time after its request.
    """

    def __init__(self, snapshot: Callable[[], bytes]) -> None:
        self.viewers = 0
        self.on_viewer: Callable[[], None] = lambda: None
        self._snapshot = snapshot
        self._snapshot_at: tuple[int, float, bytes] | None = None
        self._number = 0
        self._chunks: deque[bytes] = deque(maxlen=KEPT_CHUNKS)
        self._changes = Changes()
        self._ended = False

    def renew(self) -> None:
        """Drop the snapshot, after changes without a viewer."""
        self._snapshot_at = None

    def publish(self, chunks: Sequence[bytes]) -> int:
        """Send events to all viewers; return the number of bytes for each."""
        if not chunks:
            return 0
        chunk = b"".join(chunks)
        self._chunks.append(chunk)
        self._number += 1
        self._changes.notify()
        return len(chunk)

    def end(self) -> None:
        """End the feed: viewers are sent the chunks that they lack, and disconnected."""
        self._ended = True
        self._changes.notify()

    async def follow(self) -> AsyncGenerator[bytes]:
        """The chunks for one viewer: a snapshot, then the events.

        A caller that stops before the end closes the iterator (``contextlib.aclosing``).
        """
        self.viewers += 1
        self.on_viewer()
        try:
            seen, chunk = self._number, self._present()
            while True:
                yield chunk
                if self._ended and seen == self._number:
                    return
                chunk = await self._next(seen) or BEAT
                seen = self._number
                if chunk is BEAT and self._ended:
                    return
        finally:
            self.viewers -= 1

    async def _next(self, seen: int) -> bytes:
        """The chunks after ``seen``; none if none comes for a while, or the feed has ended."""
        if seen == self._number:
            with trio.move_on_after(BEAT_S):
                await self._changes.wait()
        missing = self._number - seen
        if missing > len(self._chunks):
            return self._present()
        return b"".join([self._chunks[index] for index in range(-missing, 0)])

    def _present(self) -> bytes:
        """The snapshot, made once for all viewers that need it at this point and time."""
        kept, now = self._snapshot_at, trio.current_time()
        if kept is None or kept[0] != self._number or now - kept[1] > FRESH_S:
            self._snapshot_at = kept = (self._number, now, self._snapshot())
        return kept[2]
