"""Whether the pages work, for a supervisor of servers."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from polynya_server.metrics.metrics_http import health_problem
from polynya_web.site import site_of


async def health(request: Request) -> Response:
    """The same as the game server's own ``/health``; without a game server only that we answer."""
    server = site_of(request).server
    problem = None if server is None else health_problem(server)
    return JSONResponse({"status": problem or "ok"}, status_code=503 if problem else 200)


ROUTES = [Route("/health", health)]
