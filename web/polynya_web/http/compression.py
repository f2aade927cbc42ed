"""Compresses answers with gzip without delaying a match."""

from __future__ import annotations

import gzip
from collections.abc import Mapping

import trio
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MIN_BYTES = 1_000
_LEVEL = 5
_MAX_INLINE_BYTES = 16 * 1024
"""More is compressed in a thread: this much takes half a millisecond."""
_MAX_THREADS = 2
_TYPES = ("text/", "application/json", "image/svg+xml", "application/atom+xml")


class Compression:
    """Middleware that compresses answers sent in one piece.

    Streams of events go as they are, and so does what must not be stored: a page with a secret in
    it would tell its length (BREACH).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._threads = trio.CapacityLimiter(_MAX_THREADS)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        if scope["type"] != "http" or not accepts_gzip(Headers(scope=scope)):
            await self._app(scope, receive, send)
            return
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start":
                start = message
                return
            if start is not None:
                message = await self._compressed(start, message)
                await send(start)
                start = None
            await send(message)

        await self._app(scope, receive, send_compressed)

    async def _compressed(self, start: Message, message: Message) -> Message:
        """Compress an answer's body and adapt its ``start``."""
        body = message.get("body", b"")
        headers = MutableHeaders(raw=start["headers"])
        if (
            message["type"] != "http.response.body"
            or message.get("more_body", False)
            or len(body) < MIN_BYTES
            or "content-encoding" in headers
            or "no-store" in headers.get("cache-control", "")
            or not is_compressible(headers.get("content-type", ""))
        ):
            return message
        if len(body) <= _MAX_INLINE_BYTES:
            body = _gzip(body)
        else:
            body = await trio.to_thread.run_sync(_gzip, body, limiter=self._threads)
        headers["content-encoding"] = "gzip"
        headers["content-length"] = str(len(body))
        headers.add_vary_header("Accept-Encoding")
        start["headers"] = headers.raw
        return {**message, "body": body}


def accepts_gzip(headers: Mapping[str, str]) -> bool:
    """Whether the sender of a request takes gzip (RFC 9110, section 12.5.3)."""
    for entry in headers.get("accept-encoding", "")[:1_000].split(","):
        name, _, quality = entry.strip().lower().partition(";")
        if name.strip() == "gzip":
            return quality.replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000")
    return False


def is_compressible(media_type: str) -> bool:
    """Whether content of a type gets smaller."""
    return media_type.startswith(_TYPES)


def _gzip(content: bytes) -> bytes:
    return gzip.compress(content, _LEVEL, mtime=0)
