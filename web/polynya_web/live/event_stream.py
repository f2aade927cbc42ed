"""Server-sent events over HTTP (WHATWG HTML, section 9.2): one answer that does not end."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Protocol

import structlog
import trio
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

PATIENCE_S = 60
"""How long a viewer may read nothing, on systems that close no such connection."""

log = structlog.get_logger("polynya_web")


class EventSource(Protocol):
    """A source of events."""

    def follow(self) -> AsyncGenerator[bytes]:
        """Events, encoded, until there will be no more."""


class EventStream(Response):
    """An answer that sends the events of a feed, until it ends or the viewer goes away."""

    media_type = "text/event-stream"

    def __init__(self, feed: EventSource) -> None:
        super().__init__(headers={"cache-control": "no-store", "x-accel-buffering": "no"})
        del self.headers["content-length"]
        self._feed = feed

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_leave_with, receive, nursery.cancel_scope)
            try:
                await self._send_all(send)
            except Exception:  # it is one viewer's stream: the others go on
                log.exception("a stream of events failed", path=scope["path"])
            nursery.cancel_scope.cancel()

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._feed.follow()) as chunks:
            async for chunk in chunks:
                with trio.move_on_after(PATIENCE_S) as patience:
                    await send({"type": "http.response.body", "body": chunk, "more_body": True})
                if patience.cancelled_caught:
                    return
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _leave_with(receive: Receive, scope: trio.CancelScope) -> None:
    """Stop when the viewer has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
