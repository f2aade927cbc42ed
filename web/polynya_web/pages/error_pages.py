"""Answers failed requests with a page, or with JSON below ``/api/``."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from polynya_common.errors import StoreError
from polynya_common.reasons import Cause, Reason, cause_of, reason_of
from polynya_server.log import log
from polynya_web.http.requests import Refused
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

_OF_STARLETTE = {404: Reason.of("not_found"), 405: Reason.of("method_not_allowed")}

KNOWN = (400, 401, 403, 404, 405, 413, 429, 500, 503)
"""The status codes that have words of their own in the texts."""


async def on_http_error(request: Request, error: Exception) -> Response:
    """Answer an HTTP error, such as 404."""
    assert isinstance(error, HTTPException)  # noqa: S101 -- Starlette's signature is wider
    return _failure(request, error.status_code, _cause(error), error.headers)


def _cause(error: HTTPException) -> Cause:
    """Why a request failed; of Starlette's own errors, what their status code says."""
    if isinstance(error, Refused):
        return error.cause
    return _OF_STARLETTE.get(error.status_code, error.detail)


async def on_missing(request: Request, error: Exception) -> Response:
    """Answer 404 for a name that the database does not have."""
    return _failure(request, 404, cause_of(error))


async def on_store_error(request: Request, error: Exception) -> Response:
    """Answer 503 if the database fails; later requests may succeed."""
    assert isinstance(error, StoreError)  # noqa: S101 -- as above
    log.warning("the database does not answer a page", path=request.url.path, error=str(error))
    return _failure(request, 503, Reason.of("database_silent"))


async def on_busy(request: Request, _error: Exception) -> Response:
    """Answer 503 if too many requests wait for a slow computation."""
    return _failure(request, 503, Reason.of("analyses_busy"))


async def on_disconnect(request: Request, _error: Exception) -> Response:
    """Answer a client that disconnected during its request; it reads nothing."""
    return _failure(request, 400, Reason.of("request_cut_off"))


async def on_bug(request: Request, error: Exception) -> Response:
    """Log a bug and answer 500."""
    log.error("a page failed", path=request.url.path, exc_info=error)
    return _failure(request, 500, Reason.of("request_failed"))


def error_document(cause: Cause) -> dict[str, object]:
    """The answer of the API to a request that failed: a sentence, and its code with fields."""
    return {"error": str(cause), "error_cause": msgspec.to_builtins(reason_of(cause))}


def _failure(
    request: Request, status: int, cause: Cause, headers: Mapping[str, str] | None = None
) -> Response:
    if request.url.path.removeprefix(site_of(request).settings.base).startswith("/api/"):
        return JSONResponse(error_document(cause), status, headers=headers)
    shown = status if status in KNOWN else 400
    more = None if cause in _OF_STARLETTE.values() else cause  # the page says as much in its text
    return page(request, "failure.html", status, headers, shown=shown, sentence=more)
