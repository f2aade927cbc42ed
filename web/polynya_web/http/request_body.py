"""The body of a request: read within a time and up to a length, as bytes or as a form."""

from __future__ import annotations

from contextlib import aclosing
from urllib.parse import parse_qsl

import trio
from starlette.requests import Request

from polynya_common.reasons import Reason
from polynya_web.http.refused import Refused
from polynya_web.http.request_origin import check_origin

MAXFIELDS_BYTES = 16_384
MAX_FIELDS = 20
FORM_S = 10.0
"""How long the body of a form may take to arrive."""

FIELDS = "application/x-www-form-urlencoded"


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form of ours, without the spaces round them: a few short texts.

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
    """The body of a request.

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
