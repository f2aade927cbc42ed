"""Health and metrics over HTTP of a process on standby: it lives, and takes no bots."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from polynya_server.http.budget import HttpBudget
from polynya_server.http.http_server import open_http
from polynya_server.metrics.metrics_http import ACTIVE, READ_TIMEOUT_S, gauge


class _Waits(Collector):
    def collect(self) -> Iterable[Metric]:
        """The one figure of a process that does not play."""
        return [gauge(*ACTIVE, 0)]


@asynccontextmanager
async def open_standby_http(host: str, port: int, status: Callable[[], str]) -> AsyncIterator[str]:
    """Answer ``/health`` with 200 and ``/ready`` with 503 until the context exits.

    ``/metrics`` says that it does not play.

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

    async def metrics(_request: Request) -> Response:
        registry = CollectorRegistry()
        registry.register(_Waits())
        return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)

    routes = [Route("/health", health), Route("/ready", ready), Route("/metrics", metrics)]
    application = Starlette(routes=routes)
    budget = HttpBudget(lambda: False)
    async with open_http(application, host, port, budget, READ_TIMEOUT_S) as address:
        yield address
