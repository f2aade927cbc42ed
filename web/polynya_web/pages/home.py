"""The first page: what is going on, and where everything is."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_web.rendering import page


async def home(request: Request) -> Response:
    """The page."""
    return page(request, "home.html")


ROUTES = [Route("/", home)]
