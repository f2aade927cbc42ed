"""All pages as one application: the handler of each address."""

from __future__ import annotations

from collections.abc import Collection

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from polynya_common.errors import NotInStoreError, StoreError
from polynya_server import MatchRecord
from polynya_web.api import routes as api
from polynya_web.content.pool_analyses import BusyError
from polynya_web.http.base_path import BasePath
from polynya_web.http.compression import Compression
from polynya_web.http.forwarded_clients import ForwardedClients, network
from polynya_web.http.known_hosts import KnownHosts
from polynya_web.http.security_headers import SecureHeaders
from polynya_web.pages import (
    bots,
    health,
    home,
    ladder,
    match,
    matches,
    operator,
    play,
)
from polynya_web.pages.error_pages import (
    on_bug,
    on_busy,
    on_disconnect,
    on_http_error,
    on_missing,
    on_store_error,
)
from polynya_web.pages.guides import connect, document_pages
from polynya_web.pages.owner import owner_uploads
from polynya_web.pages.sharing import atom_feeds, embed, pictures, replay_file, site_files
from polynya_web.pages.tournament import downloads, reveal, tables
from polynya_web.play.human_matches import HumanMatches
from polynya_web.site import Site

PAGES = (
    atom_feeds,
    embed,
    pictures,
    replay_file,
    site_files,
    health,
    home,
    matches,
    match,
    ladder,
    reveal,
    downloads,
    tables,
    bots,
    owner_uploads,
    play,
    operator,
    connect,
    document_pages,
)
"""The modules of the pages; each has a list ``ROUTES``."""


def make_application(
    site: Site,
    human_matches: HumanMatches | None = None,
    opened: MatchRecord | None = None,
    names: Collection[str] = (),
) -> Starlette:
    """The application of a site.

    Args:
        site: what it shows.
        human_matches: those that people play, None if they may not.
        opened: the one match that is shown, where there is no database.
        names: those under which the pages may be asked for, beside IP addresses and localhost.
    """
    first = [] if opened is None else [Route("/", _to_replay)]
    routes: list[BaseRoute] = [
        *first,
        Route(f"/static/{site.assets.digest}/{{path:path}}", site.assets.answer),
        Mount("/static", StaticFiles(packages=[("polynya_web", "static")]), name="static"),
        *(route for module in (*PAGES, api) for route in module.ROUTES),
    ]
    trusted = [network(text) for text in site.settings.trusted_proxies]
    application = Starlette(
        routes=routes,
        middleware=[
            Middleware(SecureHeaders),
            Middleware(Compression),
            Middleware(BasePath, base=site.settings.base),
            Middleware(KnownHosts, names=names),
            Middleware(ForwardedClients, trusted=trusted),
        ],
        exception_handlers={
            HTTPException: on_http_error,
            NotInStoreError: on_missing,
            StoreError: on_store_error,
            BusyError: on_busy,
            ClientDisconnect: on_disconnect,
            Exception: on_bug,
        },
    )
    application.state.site = site
    application.state.human_matches = human_matches
    application.state.opened = opened
    return application


async def _to_replay(_request: Request) -> Response:
    """Where one match is all that there is, it is the first page."""
    return RedirectResponse("/replay", 303)
