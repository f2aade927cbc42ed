"""Lists of matches: all of them, or those of a game, of a bot, of two bots, of a tournament."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_games import installed
from polynya_store import MatchFilter
from polynya_web.http.parameters import parameter
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

STATES = {"in_play": True, "ended": False}
"""The choices of the parameter ``state``, as the filter has them."""


async def matches(request: Request) -> Response:
    """A page of the list, from the newest match, or from the place ``older`` or ``newer``."""
    site = site_of(request)
    wanted = MatchFilter(
        game=parameter(request, "game"),
        bot=parameter(request, "bot"),
        opponent=parameter(request, "opponent") if parameter(request, "bot") else None,
        tournament=parameter(request, "tournament"),
        in_play=STATES.get(parameter(request, "state") or ""),
    )
    found = await site.ask(
        site.database.matches.page,
        wanted,
        newer_than=parameter(request, "newer"),
        older_than=parameter(request, "older"),
    )
    return page(
        request,
        "matches.html",
        section="matches",
        found=found,
        wanted=wanted,
        games=sorted(installed()),
        state=parameter(request, "state"),
    )


ROUTES = [Route("/matches", matches)]
