"""The rules of each game and the documents for authors of bots, as pages."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.reasons import Reason
from polynya_web.http.refused import Refused
from polynya_web.pages.guides.documents import DOCUMENTS, PICTURES, document, pictures
from polynya_web.pages.rendering import page
from polynya_web.play.match_request import games
from polynya_web.site import site_of

_A_DAY = "public, max-age=86400"


async def rules(request: Request) -> Response:
    """The games of this server, each with its rules if there is a document of them."""
    site = site_of(request)
    documents = {
        game.name: await site.ask(document, path, site.settings.base)
        for game in games()
        if (path := f"rules/{game.name}.md") in DOCUMENTS
    }
    return page(request, "guides/rules.html", section="rules", games=games(), documents=documents)


async def rules_of(request: Request) -> Response:
    """The rules of a game."""
    return await _show(request, f"rules/{request.path_params['name']}.md", "rules")


async def for_authors(request: Request) -> Response:
    """A document for authors of bots."""
    return await _show(request, f"{request.path_params['name']}.md", "connect")


async def _show(request: Request, path: str, section: str) -> Response:
    if path not in DOCUMENTS:
        raise Refused(404, Reason.of("no_such_document"))
    site = site_of(request)
    found = await site.ask(document, path, site.settings.base)
    return page(request, "guides/document.html", section=section, document=found)


async def api(request: Request) -> Response:
    """The documentation of the API for people: Swagger UI, which asks for its document."""
    return page(request, "guides/api.html")


async def picture(request: Request) -> Response:
    """A picture of the rules."""
    found = pictures().get(request.path_params["name"])
    if found is None:
        raise Refused(404, Reason.of("no_such_picture"))
    return Response(found, media_type="image/svg+xml", headers={"cache-control": _A_DAY})


ROUTES = [
    Route("/api", api),
    Route("/rules", rules),
    Route(f"{PICTURES}{{name}}", picture),
    Route("/rules/{name}", rules_of),
    Route("/documents/{name}", for_authors),
]
