"""Serves the health of a standby process over HTTP: alive, but not ready for bots."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from polynya_server.http.budget import HttpBudget
from polynya_server.http.http_server import open_http
from polynya_server.metrics.metrics_http import READ_TIMEOUT_S


@asynccontextmanager
async def open_standby_http(host: str, port: int, status: Callable[[], str]) -> AsyncIterator[str]:
    """Answer ``/health`` with 200 and ``/ready`` with 503 until the context exits.

    Args:
        host: the address to listen on.
        port: the port there, 0 for any free one.
        status: what the process waits for, a sentence without its full stop.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        OSError: it cannot listen there.
    """

    async def health(_request: Request) -> JSONResponse:
        return JSONResponse({"status": status(), "active": False})

    async def ready(_request: Request) -> JSONResponse:
        return JSONResponse({"status": status(), "active": False}, status_code=503)

    application = Starlette(routes=[Route("/health", health), Route("/ready", ready)])
    budget = HttpBudget(lambda: False)
    async with open_http(application, host, port, budget, READ_TIMEOUT_S) as address:
        yield address
