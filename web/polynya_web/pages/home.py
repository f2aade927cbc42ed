"""The first page, and the matches in play: as a list, as a wall of boards, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.text import join_words
from polynya_games import installed
from polynya_protocol.errors import printable
from polynya_store import LadderPage, MatchFilter, MatchRow, Pool
from polynya_web.content.contest_names import game_title
from polynya_web.content.front.overview import (
    EVERYTHING,
    Overview,
    Selection,
    changes_of_the_day,
    living_pools,
    overview,
)
from polynya_web.content.front.remarkable import Remarkable
from polynya_web.content.front.stages import stages
from polynya_web.content.texts import Texts, texts_for
from polynya_web.http.parameters import parameter
from polynya_web.live.live_match_list import MAX_BOARDS
from polynya_web.pages.ladder import heads
from polynya_web.pages.matches import WORDS
from polynya_web.pages.rendering import address, page, root
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
    site = site_of(request)
    rows: Sequence[MatchRow] = ()
    if site.store is not None:
        wanted = MatchFilter(in_play=True)
        rows = (await site.ask(site.store.matches.page, wanted, size=MOST_LISTED)).rows
    return page(
        request,
        "live.html",
        section="live",
        way="list",
        rows=rows,
        live=site.is_live,
        servers=() if site.others is None else site.others.living,
        words=_words(request),
        games=_titles(),
    )


async def wall(request: Request) -> Response:
    """The boards of the matches in play: of all, of a tournament, or of a game."""
    return await _hall(request, "wall.html", "wall", words=_words(request), games=_titles())


async def television(request: Request) -> Response:
    """One match after the other, the most interesting one in play; else recorded ones."""
    words = texts_for(request).starting("tv.", "recorded.", *WORDS)
    return await _hall(request, "tv.html", "tv", words=words, data={"games": _titles()})


async def _hall(request: Request, template: str, way: str, **values: Any) -> Response:
    """A page for a hall, pinned to a tournament or a game by the address."""
    site, t = site_of(request), texts_for(request)
    problem, wanted = await _pinned(request)
    found, stage_of = Overview(), {}
    if site.store is not None:
        found = await overview(site.ask, site.store, site.tournament_cache, wanted)
        in_play = MatchFilter(game=wanted.game, tournament=wanted.tournament, in_play=True)
        rows = (await site.ask(site.store.matches.page, in_play, size=MAX_BOARDS)).rows
        stage_of = await stages(site.ask, site.store, site.tournament_cache, rows, t)
        found = replace(found, in_play=rows)
    return page(
        request,
        template,
        section=way,
        way=way,
        found=found,
        wanted=wanted,
        problem=problem,
        stages=stage_of,
        live=site.is_live,
        recorded=recorded_data(found.recorded, t),
        here=root(request) + address(request, projector=None).removeprefix(site.settings.base),
        **values,
    )


async def _pinned(request: Request) -> tuple[str, Selection]:
    """The error in the address's pin, or an empty text, and the pin: everything after an error."""
    t, site = texts_for(request), site_of(request)
    tournament, game = parameter(request, "tournament"), parameter(request, "game")
    if game is not None and game not in installed():
        return t("pinned.no_game", game=game, games=join_words(sorted(installed()))), EVERYTHING
    if tournament is not None:
        known = [] if site.store is None else await site.ask(site.store.tournaments.all)
        if tournament not in [row.name for row in known]:
            return t("pinned.no_tournament", tournament=tournament), EVERYTHING
    return "", Selection(tournament, game)


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
