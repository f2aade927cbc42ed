"""Files that browsers and crawlers ask every site for: ``robots.txt`` and ``favicon.ico``."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

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


ROUTES = [Route("/robots.txt", robots), Route("/favicon.ico", icon)]
