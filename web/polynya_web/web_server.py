"""The pages over HTTP, in the event loop of the game server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from polynya_server.http.http_server import open_http
from polynya_web.application import make_application
from polynya_web.http.known_hosts import own_names, plain_name
from polynya_web.page_sources import PageSources
from polynya_web.play.human_matches import open_human_matches
from polynya_web.settings import WebSettings
from polynya_web.site import make_site

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
        async with open_http(application, settings.host, settings.port, site.budget) as address:
            try:
                yield address
            finally:  # end the streams of events, or closing would time out
                if site.hub is not None:
                    site.hub.close()
                if human_matches is not None:
                    human_matches.close()
        nursery.cancel_scope.cancel()
