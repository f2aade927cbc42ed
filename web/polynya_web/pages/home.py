"""The first page, and the list of the matches in play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_tournaments.store import (
    LadderPage,
    MatchFilter,
    MatchRow,
    Store,
    TournamentRow,
)
from polynya_web.content.texts import texts_for
from polynya_web.pages.ladder import heads
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

LAST = 10
IN_PLAY = 6
TOURNAMENTS = 5


@dataclass(frozen=True, slots=True)
class Overview:
    """The contents of the first page that come from a database."""

    in_play: Sequence[MatchRow] = ()
    last: Sequence[MatchRow] = ()
    tournaments: Sequence[TournamentRow] = ()
    ladders: Sequence[LadderPage] = ()


def overview(store: Store) -> Overview:
    """Matches in play and those that ended last, tournaments that go on, heads of ladders."""
    tournaments = store.tournaments.all()[::-1]
    running = [row for row in tournaments if row.played < row.scheduled]
    return Overview(
        in_play=store.matches.page(MatchFilter(in_play=True), size=IN_PLAY).rows,
        last=store.matches.page(MatchFilter(in_play=False), size=LAST).rows,
        tournaments=(running or tournaments)[:TOURNAMENTS],
        ladders=heads(store),
    )


async def home(request: Request) -> Response:
    """The first page."""
    site = site_of(request)
    found = Overview() if site.store is None else await site.ask(overview, site.store)
    return page(
        request, "home.html", found=found, most=IN_PLAY, live=site.is_live, words=_words(request)
    )


async def live(request: Request) -> Response:
    """All matches in play; scripts keep them up to date."""
    site = site_of(request)
    rows: Sequence[MatchRow] = ()
    if site.store is not None:
        wanted = MatchFilter(in_play=True)
        rows = (await site.ask(site.store.matches.page, wanted, size=200)).rows
    return page(
        request,
        "live.html",
        section="live",
        rows=rows,
        live=site.is_live,
        servers=() if site.others is None else site.others.living,
        words=_words(request),
    )


def _words(request: Request) -> dict[str, str]:
    return texts_for(request).starting("live.")


ROUTES = [Route("/", home), Route("/live", live)]
