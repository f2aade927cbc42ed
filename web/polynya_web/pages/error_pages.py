"""The answers to requests that fail: a page, or JSON below ``/api/``."""

from __future__ import annotations

from collections.abc import Mapping

import structlog
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from polynya_common.errors import StoreError
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

log = structlog.get_logger("polynya_web")

KNOWN = (400, 401, 403, 404, 405, 413, 429, 500, 503)
"""The status codes that have words of their own in the texts."""


async def on_http_error(request: Request, error: Exception) -> Response:
    """Nothing is there, or not for this request; ``detail`` is a sentence for the API."""
    assert isinstance(error, HTTPException)  # noqa: S101 -- Starlette's signature is wider
    return _failure(request, error.status_code, error.detail, error.headers)


async def on_missing(request: Request, error: Exception) -> Response:
    """The database does not hold what was asked for by its name."""
    return _failure(request, 404, str(error))


async def on_store_error(request: Request, error: Exception) -> Response:
    """The database does not answer: others, and later requests, may fare better."""
    assert isinstance(error, StoreError)  # noqa: S101 -- as above
    log.warning("the database does not answer a page", path=request.url.path, error=str(error))
    return _failure(request, 503, "the database does not answer; try again")


async def on_busy(request: Request, _error: Exception) -> Response:
    """Too many requests wait for a slow computation."""
    return _failure(request, 503, "many analyses are being computed; try again in a minute")


async def on_disconnect(request: Request, _error: Exception) -> Response:
    """The client has gone before its request was complete: no client reads this answer."""
    return _failure(request, 400, "the connection ended before the request was complete")


async def on_bug(request: Request, error: Exception) -> Response:
    """A mistake of ours costs this answer and nothing else."""
    log.error("a page failed", path=request.url.path, exc_info=error)
    return _failure(request, 500, "the server failed to answer this; it is in its log")


def _failure(
    request: Request, status: int, sentence: str, headers: Mapping[str, str] | None = None
) -> Response:
    if request.url.path.removeprefix(site_of(request).settings.base).startswith("/api/"):
        return JSONResponse({"error": sentence}, status, headers=headers)
    shown = status if status in KNOWN else 400
    return page(request, "failure.html", status, headers, shown=shown, sentence=sentence)
