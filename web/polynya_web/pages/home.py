"""The first page, and the matches in play: as a list, as a wall of boards, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_games import installed
from polynya_protocol.errors import printable
from polynya_store import LadderPage, MatchFilter, MatchRow, Pool
from polynya_web.content.contest_names import game_title
from polynya_web.content.front.overview import (
    Overview,
    changes_of_the_day,
    living_pools,
    overview,
)
from polynya_web.content.front.remarkable import Remarkable
from polynya_web.content.texts import Texts, texts_for
from polynya_web.live.live_match_list import MAX_BOARDS
from polynya_web.pages.ladder import heads
from polynya_web.pages.matches import WORDS
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

IN_PLAY = 5
MOST_LISTED = 200
LADDERS = 4


async def home(request: Request) -> Response:
    """The first page: what is played, what was decided, what comes next."""
    site = site_of(request)
    found = Overview()
    ladders: Sequence[LadderPage] = ()
    changes: Mapping[Pool, Mapping[str, float]] = {}
    if site.store is not None:
        found = await overview(site.ask, site.store, site.tournament_cache)
        pools = await site.ask(living_pools, site.store, await site.ask(site.store.ratings.pools))
        ladders = await heads(site, pools[:LADDERS])
        changes = await site.ask(changes_of_the_day, site.store, pools[:LADDERS])
    return page(
        request,
        "home.html",
        found=found,
        ladders=ladders,
        changes=changes,
        most=IN_PLAY,
        live=site.is_live,
        words=_words(request),
        recorded=recorded_data(found.recorded, texts_for(request)),
        games=_titles(),
    )


def recorded_data(found: Sequence[Remarkable], t: Texts) -> list[dict[str, object]]:
    """Recorded matches for the scripts that play them: what each is, and why it is shown."""
    return [
        {
            "match": one.row.match,
            "game": one.row.game,
            "names": [printable(seat.name) for seat in one.row.seats],
            "why": [t(f"recorded.{why}") for why in one.why],
        }
        for one in found
    ]


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
    return texts_for(request).starting("live.", "board.", "projector.", "recorded.")


def _titles() -> dict[str, str]:
    """The games as people call them, by name."""
    return {name: game_title(name) for name in installed()}


ROUTES = [
    Route("/", home),
    Route("/live", live),
    Route("/wall", wall),
    Route("/tv", television),
]
