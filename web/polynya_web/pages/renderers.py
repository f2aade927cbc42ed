"""The page of a game's renderer, for the sandboxed frame on the page of a match."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from polynya_common.reasons import Reason
from polynya_web.content.boards.renderers import renderer_of
from polynya_web.http.requests import Refused


async def renderer(request: Request) -> Response:
    """The page, under an address that names its content."""
    found = renderer_of(request.path_params["game"])
    if found is None or found.digest != request.path_params["digest"]:
        raise Refused(404, Reason.of("no_such_document"))
    headers = {
        "content-security-policy": found.policy,
        "cache-control": "public, max-age=31536000, immutable",
        "referrer-policy": "no-referrer",
    }
    return HTMLResponse(found.page, headers=headers)


ROUTES = [Route("/renderers/{game}/{digest}", renderer)]
"""The addresses of this module."""
