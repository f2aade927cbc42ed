"""Figures and health over HTTP, on a port of their own, from the server's own event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import trio
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from polynya_server.http.budget import HttpBudget
from polynya_server.http.http_server import open_http
from polynya_server.metrics.prometheus import Gauge, MeasuredServer, prometheus_text

LONGEST_RECORDING_MS = 10_000
"""A result that waits longer to be recorded means that the database is in trouble."""


ReadGauges = Callable[[], Sequence[Gauge]]

READ_TIMEOUT_S = 10
"""How long a client of the metrics may send nothing."""


Problem = Callable[[], str | None]
"""Says what is wrong with the database, a sentence without its full stop; None for nothing."""


def metrics_application(
    server: MeasuredServer,
    more: ReadGauges = lambda: (),
    problem_of_database: Problem = lambda: None,
) -> Starlette:
    """``/metrics`` for Prometheus; ``/health`` and ``/ready`` for a supervisor of servers."""

    async def metrics(_request: Request) -> Response:
        gauges = await trio.to_thread.run_sync(more, abandon_on_cancel=True)
        return Response(prometheus_text(server, gauges), media_type=CONTENT_TYPE_LATEST)

    async def health(_request: Request) -> Response:
        problem = health_problem(server) or problem_of_database()
        document = {
            "status": problem or "ok",
            "active": True,
            "matches_in_play": server.in_play,
            "bots_connected": len(server.connected),
        }
        return JSONResponse(document, status_code=503 if problem else 200)

    async def ready(_request: Request) -> Response:
        document = {"status": "the server is stopping" if server.stopping else "ok", "active": True}
        return JSONResponse(document, status_code=503 if server.stopping else 200)

    return Starlette(
        routes=[Route("/metrics", metrics), Route("/health", health), Route("/ready", ready)]
    )


def health_problem(server: MeasuredServer) -> str | None:
    """A sentence that says why the server cannot do its work; None if it can."""
    if server.stopping:
        return "the server is stopping"
    waiting_ms = server.metrics.longest_recording_ms
    if waiting_ms > LONGEST_RECORDING_MS:
        return f"results wait for the database, the first for {waiting_ms // 1000} s"
    return None


@asynccontextmanager
async def open_metrics_http(
    server: MeasuredServer,
    host: str,
    port: int,
    more: ReadGauges = lambda: (),
    problem_of_database: Problem = lambda: None,
) -> AsyncIterator[str]:
    """Answer on ``host`` and ``port`` (0 for any free one) as long as the block lasts.

    ``more`` gives figures that the server does not know; it is called in a thread. Bots may
    connect while the database is away, so only ``/health`` tells ``problem_of_database``.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        OSError: it cannot listen there.
    """
    application = metrics_application(server, more, problem_of_database)
    budget = HttpBudget(lambda: server.in_play > 0)
    async with open_http(application, host, port, budget, READ_TIMEOUT_S) as address:
        yield address
