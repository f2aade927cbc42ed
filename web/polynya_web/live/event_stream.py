"""Server-sent events over HTTP (WHATWG HTML, section 9.2): one answer that does not end."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Protocol

from polynya_web.http.streamed_bytes import StreamedBytes


class EventSource(Protocol):
    """A source of events."""

    def follow(self) -> AsyncGenerator[bytes]:
        """Events, encoded, until there will be no more."""


class EventStream(StreamedBytes):
    """An answer that sends the events of a feed, until it ends or the viewer goes away."""

    def __init__(self, feed: EventSource) -> None:
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        super().__init__(feed.follow(), "text/event-stream", headers)
