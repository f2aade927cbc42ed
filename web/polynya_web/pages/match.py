"""One match: watched while it is in play, played back afterwards, or from a file."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_tournaments.store import MatchRow
from polynya_web.rendering import page
from polynya_web.site import site_of
from polynya_web.texts import texts_for

WORDS = ("board.", "viewer.", "forfeit.", "result.")
"""The texts that the viewer's scripts need."""


async def match(request: Request) -> Response:
    """The viewer of a match, and what the database knows of it."""
    row = await _row(request)
    return page(
        request,
        "match.html",
        section="live" if row.reason is None else "matches",
        match=row,
        data={"match": row.match, "in_play": row.reason is None},
        words=texts_for(request).starting(*WORDS),
    )


async def _row(request: Request) -> MatchRow:
    site = site_of(request)
    return await site.ask(site.database.match, request.path_params["match"])


async def download(request: Request) -> Response:
    """The replay as it was recorded: one msgpack document."""
    row = await _row(request)
    if row.reason is None:
        raise HTTPException(404, f"match {row.match} is in play: its replay is not written yet")
    site = site_of(request)
    document = await site.ask(site.database.replay, row.match)
    name = "".join(char if char.isascii() and char.isalnum() else "-" for char in row.match)
    headers = {"content-disposition": f'attachment; filename="{name}.replay"'}
    return Response(document, media_type="application/vnd.msgpack", headers=headers)


async def replay(request: Request) -> Response:
    """An empty viewer, for a replay file."""
    words = texts_for(request).starting(*WORDS)
    return page(request, "replay.html", section="replay", words=words)


ROUTES = [
    Route("/matches/{match}", match),
    Route("/matches/{match}/replay", download),
    Route("/replay", replay),
]
