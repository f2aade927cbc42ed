"""The first page, and the matches in play: as a list, as a wall of boards, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_games import installed
from polynya_store import (
    LadderPage,
    MatchFilter,
    MatchRow,
    Store,
    TournamentRow,
)
from polynya_web.content.contest_names import game_title
from polynya_web.content.texts import texts_for
from polynya_web.live.live_match_list import MAX_BOARDS
from polynya_web.pages.ladder import heads
from polynya_web.pages.matches import WORDS
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

LAST = 10
IN_PLAY = 6
MOST_LISTED = 200
TOURNAMENTS = 5


@dataclass(frozen=True, slots=True)
class Overview:
    """The contents of the first page that come from a database."""

    in_play: Sequence[MatchRow] = ()
    last: Sequence[MatchRow] = ()
    tournaments: Sequence[TournamentRow] = ()
    ladders: Sequence[LadderPage] = ()


def overview(store: Store, ladders: Sequence[LadderPage]) -> Overview:
    """Matches in play and latest ones, running tournaments, and the given ladders."""
    tournaments = store.tournaments.all()[::-1]
    running = [row for row in tournaments if row.played < row.to_play]
    return Overview(
        in_play=store.matches.page(MatchFilter(in_play=True), size=IN_PLAY).rows,
        last=store.matches.page(MatchFilter(in_play=False), size=LAST).rows,
        tournaments=(running or tournaments)[:TOURNAMENTS],
        ladders=ladders,
    )


async def home(request: Request) -> Response:
    """The first page."""
    site = site_of(request)
    found = Overview()
    if site.store is not None:
        found = await site.ask(overview, site.store, await heads(site))
    return page(
        request,
        "home.html",
        found=found,
        most=IN_PLAY,
        live=site.is_live,
        words=_words(request),
        games=_titles(),
    )


async def live(request: Request) -> Response:
    """All matches in play; scripts keep them up to date."""
    return await _in_play(request, "live.html", "list", MOST_LISTED)


async def wall(request: Request) -> Response:
    """The boards of the matches in play."""
    return await _in_play(request, "wall.html", "wall", MAX_BOARDS)


async def _in_play(request: Request, template: str, way: str, most: int) -> Response:
    site = site_of(request)
    rows: Sequence[MatchRow] = ()
    if site.store is not None:
        rows = (await site.ask(site.store.matches.page, MatchFilter(in_play=True), size=most)).rows
    return page(
        request,
        template,
        section="live",
        way=way,
        rows=rows,
        live=site.is_live,
        servers=() if site.others is None else site.others.living,
        words=_words(request),
        games=_titles(),
    )


async def television(request: Request) -> Response:
    """One match after the other, the most interesting one in play."""
    return page(
        request,
        "tv.html",
        section="tv",
        way="tv",
        live=site_of(request).is_live,
        words=texts_for(request).starting("tv.", *WORDS),
        data={"games": _titles()},
    )


def _words(request: Request) -> dict[str, str]:
    return texts_for(request).starting("live.", "board.", "projector.")


def _titles() -> dict[str, str]:
    """The games as people call them, by name."""
    return {name: game_title(name) for name in installed()}


ROUTES = [
    Route("/", home),
    Route("/live", live),
    Route("/wall", wall),
    Route("/tv", television),
]
