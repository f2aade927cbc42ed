"""Matches that are kept back, for the owner of a bot: as its own seats knew them."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.reasons import Reason
from polynya_store import MatchFilter, MatchRow, Store, why_not_seen_by_seats
from polynya_web.http.requests import Refused
from polynya_web.http.responses import NOT_KEPT, replay_response
from polynya_web.pages.owner_uploads import check_key
from polynya_web.site import site_of

LOOKED_AT = 50
"""Among how many of a bot's last matches those are looked for that are kept back."""


def kept_back(store: Store, bot: str) -> list[MatchRow]:
    """The last matches of a bot that only the owners of their bots may see, the latest first."""
    found = store.matches.page(MatchFilter(bot=bot, in_play=False), size=LOOKED_AT)
    return [row for row in found.rows if row.kept_back and why_not_seen_by_seats(row) is None]


async def seen_by_seat(request: Request) -> Response:
    """The view of one seat at each turn of a match, as the viewer wants it."""
    site = site_of(request)
    match, seat = request.path_params["match"], request.path_params["seat"]
    row = await site.ask(site.database.matches.get_public, match)
    if seat >= len(row.seats):
        raise Refused(404, Reason.of("not_found"))
    await check_key(request, site, row.seats[seat].name)
    return await replay_response(match, site.replay_cache.own_replay(match, seat), NOT_KEPT)


ROUTES = [Route("/matches/{match}/seats/{seat:count}", seen_by_seat, methods=["POST"])]
