"""Feeds: events about one subject for many viewers, each encoded once, and sent over HTTP.

Nothing waits for a viewer. A feed keeps its last chunks; a viewer that has missed more is sent a
new snapshot instead, so that a viewer that does not read costs nothing. Each chunk has an id, by
which a viewer that comes back, or that asks again and again, gets only what it has missed.
"""

from __future__ import annotations

import secrets
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence

import msgspec
import trio
from starlette.responses import Response

from polynya_server.changes import Changes
from polynya_web.http.responses import StreamedBytes

EVENTS = "text/event-stream"


_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}


class EventStream(StreamedBytes):
    """An answer that sends events, encoded, until they end or the viewer goes away."""

    def __init__(self, events: AsyncGenerator[bytes]) -> None:
        super().__init__(events, EVENTS, _HEADERS)


def events_until_now(events: bytes) -> Response:
    """An answer with encoded events that ends at once."""
    return Response(events, media_type=EVENTS, headers=_HEADERS)


KEPT_CHUNKS = 32
BEAT_S = 15
"""Interval of heartbeats to idle viewers."""

FRESH_S = 0.5
"""Maximum age of a snapshot for new viewers: it may contain running clocks."""

BEAT = b":\n\n"
_LONG = 16
"""Digits that no number of a chunk has."""
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
        self._id = secrets.token_hex(4)  # numbers of a feed that is gone mean nothing here
        self._number = 0
        self._chunks: deque[bytes] = deque(maxlen=KEPT_CHUNKS)
        self._changes = Changes()
        self._ended = False

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

    def missed(self, after: str | None) -> bytes:
        """The chunks after the one with this id; a snapshot if they are not kept."""
        seen = self._seen(after)
        chunk = self._present() if seen is None else self._since(seen)
        return self._named(chunk) if chunk else BEAT

    async def follow(self, after: str | None = None) -> AsyncGenerator[bytes]:
        """The chunks for one viewer: those that it has missed or a snapshot, then the events.

        A caller that stops before the end closes the iterator (``contextlib.aclosing``).

        Args:
            after: the id of the last chunk that the viewer has seen.
        """
        self.viewers += 1
        self.on_viewer()
        try:
            seen, chunk = self._number, self.missed(after)
            while True:
                yield chunk
                if self._ended and seen == self._number:
                    return
                following = await self._next(seen)
                seen = self._number
                if not following and self._ended:
                    return
                chunk = self._named(following) if following else BEAT
        finally:
            self.viewers -= 1

    async def _next(self, seen: int) -> bytes:
        """The chunks after ``seen``; none if none comes for a while, or the feed has ended."""
        if seen == self._number:
            with trio.move_on_after(BEAT_S):
                await self._changes.wait()
        return self._since(seen)

    def _since(self, seen: int) -> bytes:
        """The chunks after number ``seen``, or a snapshot if they are not all kept."""
        missing = self._number - seen
        if missing > len(self._chunks):
            return self._present()
        return b"".join([self._chunks[index] for index in range(-missing, 0)])

    def _seen(self, after: str | None) -> int | None:
        """The number of the chunk with this id; None if this feed had none such."""
        name, _, number = (after or "").partition("-")
        if name != self._id or not (number.isascii() and number.isdigit() and len(number) < _LONG):
            return None
        return int(number) if int(number) <= self._number else None

    def _named(self, chunk: bytes) -> bytes:
        """The chunk with the id of the newest event in its last event."""
        return b"%bid: %b-%d\n\n" % (chunk[:-1], self._id.encode(), self._number)

    def _present(self) -> bytes:
        """The snapshot, made once for all viewers that need it at this point and time."""
        kept, now = self._snapshot_at, trio.current_time()
        if kept is None or kept[0] != self._number or now - kept[1] > FRESH_S:
            self._snapshot_at = kept = (self._number, now, self._snapshot())
        return kept[2]
