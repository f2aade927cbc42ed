"""Answers that are more than a page: an archive to be saved, and bytes made while they are sent."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import aclosing
from pathlib import Path

import trio
from starlette.responses import FileResponse, Response
from starlette.types import Receive, Scope, Send

from polynya_common.reasons import Reason, cause_of
from polynya_server.log import log
from polynya_web.http.requests import Refused


def archive_response(path: Path, label: str) -> FileResponse:
    """Send a ZIP or tar.gz file as a download named after its version."""
    stem = "".join(char if char.isascii() and char.isalnum() else "-" for char in label)
    with path.open("rb") as opened:
        suffix = ".zip" if opened.read(2) == b"PK" else ".tar.gz"
    return FileResponse(
        path,
        media_type="application/octet-stream",
        filename=f"{stem}{suffix}",
        headers={"cache-control": "no-cache"},
    )


NOT_KEPT = {"cache-control": "no-store"}
"""The header of an answer that is for an owner alone."""


async def replay_response(
    match: str, shown: Awaitable[bytes], headers: Mapping[str, str] | None = None
) -> Response:
    """Send a ``Replay`` as JSON.

    Raises:
        HTTPException: 404, it cannot be shown: making it raised ``ValueError``.
    """
    try:
        return Response(await shown, media_type="application/json", headers=headers)
    except ValueError as error:
        why = Reason.of("replay_of_match_not_shown", match=match, why=cause_of(error))
        raise Refused(404, why) from error


PATIENCE_S = 60
"""Time limit for a client that reads nothing, on systems that close no such connection."""


class StreamedBytes(Response):
    """An answer that sends pieces until they end, the reader goes away, or reads nothing for long.

    An answer that breaks off has no end, so that no reader takes it for whole.
    """

    def __init__(
        self, pieces: AsyncGenerator[bytes], media_type: str, headers: Mapping[str, str]
    ) -> None:
        super().__init__(media_type=media_type, headers=headers)
        del self.headers["content-length"]
        self._pieces = pieces

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See the ASGI specification."""
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        await send(start)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_leave_with, receive, nursery.cancel_scope)
            try:
                await self._send_all(send)
            except Exception:  # it is one reader's stream: the others go on
                log.exception("a stream failed", path=scope["path"])
            nursery.cancel_scope.cancel()

    async def _send_all(self, send: Send) -> None:
        async with aclosing(self._pieces) as pieces:
            async for piece in pieces:
                with trio.move_on_after(PATIENCE_S) as patience:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                if patience.cancelled_caught:
                    return
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def _leave_with(receive: Receive, scope: trio.CancelScope) -> None:
    """Stop when the reader has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()
