"""The rules of each game and the documents for authors of bots, as pages."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_web.pages.guides.documents import DOCUMENTS, PICTURES, document, path_of, pictures
from polynya_web.pages.rendering import page
from polynya_web.play.match_request import games
from polynya_web.site import site_of

_A_DAY = "public, max-age=86400"


async def rules(request: Request) -> Response:
    """The games of this server, each with its rules if there is a document of them."""
    site, found = site_of(request), _rules()
    documents = {
        name: await site.ask(document, path, site.settings.base) for name, path in found.items()
    }
    return page(request, "guides/rules.html", section="rules", games=games(), documents=documents)


async def show(request: Request) -> Response:
    """A document."""
    site = site_of(request)
    path = path_of(request.url.path.removeprefix(site.settings.base))
    if path is None:
        raise HTTPException(404, "there is no such document here")
    found = await site.ask(document, path, site.settings.base)
    section = "rules" if path in _rules().values() else "connect"
    return page(request, "guides/document.html", section=section, document=found)


async def picture(request: Request) -> Response:
    """A picture of the rules."""
    found = pictures().get(request.path_params["name"])
    if found is None:
        raise HTTPException(404, "there is no such picture")
    return Response(found, media_type="image/svg+xml", headers={"cache-control": _A_DAY})


def _rules() -> dict[str, str]:
    """The documents of rules, by the names of the games."""
    addresses = {address: path for path, address in DOCUMENTS.items()}
    prefix = "/rules/"
    return {a.removeprefix(prefix): path for a, path in addresses.items() if a.startswith(prefix)}


ROUTES = [
    Route("/rules", rules),
    Route(f"{PICTURES}{{name}}", picture),
    Route("/rules/{name}", show),
    Route("/documents/{name}", show),
]
