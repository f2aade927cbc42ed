"""All pages as one application, served over HTTP in the event loop of the game server."""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager
from itertools import groupby

import trio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from polynya_common.errors import NotInStoreError, StoreError
from polynya_server import MatchRecord
from polynya_server.http.http_server import open_http
from polynya_web.api.endpoints import ENDPOINTS, PREFIX, Endpoint
from polynya_web.api.openapi import document_answer
from polynya_web.content.recomputed import BusyError
from polynya_web.content.revealed_ratings import rate_revealed
from polynya_web.http.compression import Compression
from polynya_web.http.known_hosts import KnownHosts, own_names, plain_name
from polynya_web.http.proxy import BasePath, ForwardedClients, network
from polynya_web.http.security_headers import SecureHeaders
from polynya_web.page_sources import PageSources
from polynya_web.pages import (
    bots,
    home,
    ladder,
    matches,
    operator,
    owner_matches,
    owner_uploads,
    play,
    renderers,
    search,
    site_files,
)
from polynya_web.pages.error_pages import (
    on_bug,
    on_busy,
    on_disconnect,
    on_http_error,
    on_missing,
    on_store_error,
)
from polynya_web.pages.guides import connect, documents
from polynya_web.pages.sharing import atom_feeds, pictures, replay_file
from polynya_web.pages.tournament import downloads, tables
from polynya_web.play.human_matches import HumanMatches, open_human_matches
from polynya_web.settings import WebSettings
from polynya_web.site import Site, make_site


def _route(path: str, by_method: Mapping[str, Endpoint]) -> Route:
    async def answer(request: Request) -> Response:
        method = "GET" if request.method == "HEAD" else request.method
        return await by_method[method](request)

    return Route(path, answer, methods=[*by_method])


_API = [
    _route(path, {endpoint.method: endpoint for endpoint in endpoints})
    for path, endpoints in groupby(ENDPOINTS, key=lambda endpoint: endpoint.path)
]


PAGES = (
    atom_feeds,
    pictures,
    replay_file,
    site_files,
    home,
    matches,
    ladder,
    downloads,
    tables,
    bots,
    search,
    owner_matches,
    owner_uploads,
    play,
    operator,
    connect,
    documents,
    renderers,
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
        *(route for module in PAGES for route in module.ROUTES),
        Mount(PREFIX, routes=[Route("/openapi.json", document_answer), *_API]),
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
    """Redirect the first page to the only match."""
    return RedirectResponse("/replay", 303)


_NOTHING = PageSources()


@asynccontextmanager
async def open_web(settings: WebSettings, sources: PageSources = _NOTHING) -> AsyncIterator[str]:
    """Serve pages; close them when the context exits.

    Args:
        settings: where to listen, and what is shown.
        sources: the parts of a server that the pages show.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        OSError: it cannot listen there.
    """
    site = make_site(settings, sources)
    async with (
        open_human_matches(settings, sources.server, sources.journal) as human_matches,
        trio.open_nursery() as nursery,
    ):
        names = {*map(plain_name, settings.hosts), settings.host.lower(), *await own_names()}
        application = make_application(site, human_matches, sources.opened, names)
        if site.others is not None:
            await nursery.start(site.others.run)
        if site.hub is not None:
            nursery.start_soon(site.hub.run)
        if site.store is not None:
            nursery.start_soon(rate_revealed, site.store, site.ask)
        async with open_http(application, settings.host, settings.port, site.budget) as address:
            try:
                yield address
            finally:  # end the streams of events, or closing would time out
                if site.hub is not None:
                    site.hub.close()
                if human_matches is not None:
                    human_matches.close()
        nursery.cancel_scope.cancel()
