"""A file in the body of a request, as forms of browsers and ``curl -F`` send it."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import BinaryIO, Final

import trio
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from polynya_common.reasons import Reason
from polynya_web.http.arriving_bodies import FLOOR_BYTES_S, Body
from polynya_web.http.refused import Refused

FORM: Final = "multipart/form-data"
UPLOAD_S: Final = 300.0
"""How long a file may take to arrive, if it is not so long that a slow line needs more."""
_MOST_AROUND: Final = 16_384
"""Bytes of the body around the file: names, boundaries, a few short fields."""


@asynccontextmanager
async def uploaded_file(
    request: Request, field: str, most_bytes: int, arriving: Body
) -> AsyncIterator[BinaryIO]:
    """The file in a field of the body, for as long as the block lasts; a large one is on the disk.

    Args:
        request: whose body it is.
        field: the name of the field.
        most_bytes: how long the file may be.
        arriving: the body among those that arrive.

    Raises:
        HTTPException: 400, it is no such form, has no such file, or takes too long; 408, it had to
            give way to others; 413, it is too long.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != FORM:
        raise Refused(400, Reason.of("form_with_file", form=FORM, field=field))
    within_s = max(UPLOAD_S, most_bytes / FLOOR_BYTES_S)
    with trio.move_on_after(within_s) as deadline, arriving.scope:
        try:
            async with aclosing(_bounded(request, most_bytes, arriving.received)) as body:
                form = await MultiPartParser(
                    request.headers, body, max_files=1, max_fields=4
                ).parse()
            arriving.is_complete = True
        except MultiPartException as error:
            raise Refused(
                400, Reason.of("form_unreadable_because", reason=error.message)
            ) from error
    arriving.check()
    if deadline.cancelled_caught:
        raise Refused(400, Reason.of("file_too_slow", seconds=within_s))
    try:
        found = form.get(field)
        if not isinstance(found, UploadFile):
            raise Refused(400, Reason.of("form_without_file", field=field))
        if (found.size or 0) > most_bytes:
            raise Refused(413, Reason.of("upload_too_long", most=most_bytes))
        yield found.file
    finally:
        await form.close()


async def discard_body(request: Request, most_bytes: int) -> None:
    """Read what a request that is refused still sends, and keep nothing of it.

    A client that is sending a file would not read an answer that comes before its end.
    """
    with trio.move_on_after(UPLOAD_S), suppress(HTTPException, ClientDisconnect):
        async with aclosing(_bounded(request, most_bytes)) as chunks:
            async for _ in chunks:
                pass


async def _bounded(
    request: Request, most_bytes: int, received: Callable[[int], None] = lambda _: None
) -> AsyncGenerator[bytes, None]:
    length = 0
    async with aclosing(request.stream()) as chunks:
        async for chunk in chunks:
            length += len(chunk)
            received(len(chunk))
            if length > most_bytes + _MOST_AROUND:
                raise Refused(413, Reason.of("upload_too_long", most=most_bytes))
            yield chunk
