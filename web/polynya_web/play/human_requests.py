"""The requests of a person's browser: the secret that proves the seat, and steps as JSON."""

from __future__ import annotations

import re
import secrets

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from polynya_web.http.refused import Refused
from polynya_web.http.request_body import read_body
from polynya_web.http.request_origin import check_origin, is_https
from polynya_web.play.table_state import Steps

COOKIE = "person"
"""Holds the secret that shows whose a seat is."""

_SECRET = r"[A-Za-z0-9_-]{43}"  # noqa: S105 -- its form
_DAY_S = 24 * 3600


def secret_of(request: Request) -> str | None:
    """The secret that the browser shows, None if it shows none."""
    given = request.cookies.get(COOKIE, "")
    return given if re.fullmatch(_SECRET, given) else None


def new_secret() -> str:
    """256 random bits for a browser that has none yet."""
    return secrets.token_urlsafe(32)


def give_secret(response: Response, request: Request, secret: str) -> None:
    """Let the browser show this secret from now on, here only, and to no script."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=_DAY_S,
        path="/play",
        httponly=True,
        samesite="strict",
        secure=is_https(request),
    )


async def read_steps(request: Request) -> Steps:
    """The steps that the page asks about or plays.

    Raises:
        HTTPException: 400, 403 or 413: it is none of it, comes from another site, is too long.
    """
    check_origin(request)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused(400, "this takes application/json")
    body = await read_body(request)
    try:
        return msgspec.json.decode(body, type=Steps)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"these are no steps: {error}") from error
