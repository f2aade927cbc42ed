"""A search for bots, tournaments and matches by a part of their names."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_store import BotRow, MatchRow, Store, TournamentRow
from polynya_web.http.parameters import parameter
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

MOST = 20
"""The most of each kind that are listed."""

Found = tuple[tuple[BotRow, ...], list[TournamentRow], tuple[MatchRow, ...]]


async def search(request: Request) -> Response:
    """The page of all bots, tournaments and matches with ``q`` in their names."""
    site = site_of(request)
    part = parameter(request, "q") or ""
    found: Found = ((), [], ())
    if part and site.store is not None:
        found = await site.ask(named, site.store, part)
    bots, tournaments, matches = found
    return page(
        request,
        "search.html",
        q=part,
        bots=bots,
        tournaments=tournaments,
        matches=matches,
    )


def named(store: Store, part: str) -> Found:
    """Bots, tournaments and matches with a part of their names; the newest tournaments first."""
    tournaments = [row for row in store.tournaments.all()[::-1] if part.lower() in row.name.lower()]
    return store.bots.page(name=part, size=MOST).rows, tournaments[:MOST], store.matches.named(part)


ROUTES = [Route("/search", search)]
