"""The viewer of a match alone, for pages of other sites to frame."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_web.http.security_headers import CONTENT_SECURITY_POLICY
from polynya_web.pages.match import match_page

FRAMED_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""The page has no form and no button that changes anything, so any site may frame it."""


async def embed(request: Request) -> Response:
    """The viewer of a match, to be framed."""
    return await match_page(
        request, "sharing/embed.html", {"content-security-policy": FRAMED_POLICY}
    )


ROUTES = [Route("/embed/matches/{match}", embed)]
