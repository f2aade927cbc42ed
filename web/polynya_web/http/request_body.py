"""The body of a request, read within a time and up to a length: as bytes, as a form, as a file."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from typing import BinaryIO, Final
from urllib.parse import parse_qsl

import trio
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import ClientDisconnect, Request

from polynya_common.reasons import Reason
from polynya_web.http.arriving_bodies import FLOOR_BYTES_S, Body
from polynya_web.http.requests import Refused, check_origin

MAXFIELDS_BYTES = 16_384
MAX_FIELDS = 20
FORM_S = 10.0
"""Time limit for the body of a form."""

FIELDS = "application/x-www-form-urlencoded"


async def read_form(request: Request) -> dict[str, str]:
    """Read the stripped fields of one of our forms: a few short texts.

    Raises:
        HTTPException: 400, 403 or 413: it is not such a form, comes from another site, is too long.
    """
    check_origin(request)
    if request.headers.get("content-type", "").partition(";")[0] != FIELDS:
        raise Refused(400, Reason.of("form_wrong_type", form=FIELDS))
    body = await read_body(request)
    try:
        fields = parse_qsl(
            body.decode("ascii"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=MAX_FIELDS,
        )
    except ValueError as error:
        raise Refused(400, Reason.of("form_unreadable")) from error
    return {name: value.strip() for name, value in fields}


async def read_body(
    request: Request, max_bytes: int = MAXFIELDS_BYTES, within_s: float = FORM_S
) -> bytes:
    """Read the body of a request.

    Args:
        request: the request.
        max_bytes: how long it may be.
        within_s: how long it may take to arrive, in seconds.

    Raises:
        HTTPException: 400, it takes too long; 413, it is too long.
    """
    body = bytearray()
    with trio.move_on_after(within_s) as deadline:
        async with aclosing(request.stream()) as chunks:
            async for chunk in chunks:
                body += chunk
                if len(body) > max_bytes:
                    raise Refused(413, Reason.of("body_too_long", most=max_bytes))
    if deadline.cancelled_caught:
        raise Refused(400, Reason.of("request_too_slow", seconds=within_s))
    return bytes(body)


FORM: Final = "multipart/form-data"
UPLOAD_S: Final = 300.0
"""Time limit for a file, unless its size allows more."""
_MOST_AROUND: Final = 16_384
"""Bytes of the body around the file: names, boundaries, a few short fields."""


@asynccontextmanager
async def uploaded_file(
    request: Request, field: str, most_bytes: int, arriving: Body
) -> AsyncIterator[BinaryIO]:
    """Open the file in a field of the body until the context exits; a large one is on the disk.

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
    """Read and discard the rest of a refused request's body.

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
