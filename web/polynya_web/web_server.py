"""The pages over HTTP, in the event loop of the game server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from polynya_server import MatchRecord, Server
from polynya_server.http.http_server import open_http
from polynya_store import Store, StoreJournal
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.uploads.reception import Reception
from polynya_web.application import make_application
from polynya_web.http.known_hosts import own_names, plain_name
from polynya_web.play.human_matches import open_human_matches
from polynya_web.settings import WebSettings
from polynya_web.site import make_site


@asynccontextmanager
async def open_web(
    settings: WebSettings,
    store: Store | None = None,
    server: Server | None = None,
    journal: StoreJournal | None = None,
    control: OperatorControl | None = None,
    opened: MatchRecord | None = None,
    reception: Reception | None = None,
    game: str | None = None,
) -> AsyncIterator[str]:
    """Answer as long as the block lasts.

    Args:
        settings: where to listen, and what is shown.
        store: the database that the pages show; it is only read.
        server: the game server of this process, whose matches are shown live.
        journal: where the matches of people are recorded; None if the server's records are kept
            nowhere.
        control: what the operator may do on pages behind a token; None for no such pages.
        opened: the one match that is shown, where there is no database.
        reception: takes uploads; None for none.
        game: the game that the server's bots play; None where that is open.

    Yields:
        the address, as ``http://HOST:PORT``.

    Raises:
        OSError: it cannot listen there.
    """
    site = make_site(settings, store, server, control, reception, game)
    async with (
        open_human_matches(settings, server, journal) as human_matches,
        trio.open_nursery() as nursery,
    ):
        names = {*map(plain_name, settings.hosts), settings.host.lower(), *await own_names()}
        application = make_application(site, human_matches, opened, names)
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
