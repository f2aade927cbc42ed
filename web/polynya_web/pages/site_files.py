"""Addresses that programs ask every site for: ``robots.txt``, ``favicon.ico`` and ``health``."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from polynya_server.metrics.metrics_http import health_problem
from polynya_web.site import site_of

_NOT_FOR_CRAWLERS = ("/api/", "/operator", "/play", "/embed/", "/connect/", "/*.atom$", "/*?")
"""Addresses without pages of their own: data, forms, other forms of the same page."""


async def robots(request: Request) -> Response:
    """The pages that crawlers may read."""
    base = site_of(request).settings.base
    lines = ["User-agent: *", *(f"Disallow: {base}{path}" for path in _NOT_FOR_CRAWLERS)]
    return PlainTextResponse("\n".join(lines) + "\n", headers={"cache-control": "max-age=86400"})


async def icon(request: Request) -> Response:
    """The site's icon, for browsers that do not read the page for it."""
    site = site_of(request)
    return RedirectResponse(f"{site.settings.base}/static/{site.assets.digest}/icon.svg", 302)


async def health(request: Request) -> Response:
    """The game server's ``/health``; without a game server always healthy."""
    server = site_of(request).server
    problem = None if server is None else health_problem(server)
    return JSONResponse({"status": problem or "ok"}, status_code=503 if problem else 200)


ROUTES = [
    Route("/robots.txt", robots),
    Route("/favicon.ico", icon),
    Route("/health", health),
]
