"""Pictures of matches, bots and tournaments, for other sites that show a link to their pages."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.errors import NotInStoreError
from polynya_protocol.errors import printable
from polynya_store import MatchFilter, MatchRow
from polynya_web.content.match_types import MatchView
from polynya_web.content.path_segments import named
from polynya_web.content.result_sentences import result_sentences
from polynya_web.content.texts import TEXTS, Texts
from polynya_web.pages.match import find_match
from polynya_web.pages.rendering import game_title, rating
from polynya_web.pictures.card import Card, Position
from polynya_web.pictures.picture_cache import TooManyPicturesError
from polynya_web.site import Site, site_of

_SHOWN = 0.6
"""The position that a picture shows, as a part of the match: at the end a board may be empty."""
_MAX_REPLAY_BYTES = 8 * 1024 * 1024
"""A replay with more is not read for a picture."""
_FOREMOST = 5
_PLACES = 2
_HEADERS = {
    "cache-control": "public, max-age=300",
    "cross-origin-resource-policy": "cross-origin",  # other sites show it: that is what it is for
}


async def of_match(request: Request) -> Response:
    """The board of a match, who played and how it ended; its first position while it is in play."""
    site, t = site_of(request), _texts(request)
    row, view = await find_match(site, request.path_params["name"])
    hidden = row is not None and row.hidden
    text = t("result.hidden") if hidden else ". ".join(result_sentences(view, t))
    if view.in_play:
        text = t("viewer.in_play")
    scores = [None if hidden or seat.score is None else seat.score for seat in view.seats]
    card = Card(
        heading=printable(view.tournament or view.match),
        title=printable(game_title(view.game)),
        players=[
            (seat.seat, printable(seat.name) + ("" if score is None else f"  {score}"))
            for seat, score in zip(view.seats, scores, strict=True)
        ],
        text=text,
        foot=t("site.name"),
    )
    return await _answer(request, card, view.match, lambda: _position(site, view))


async def of_bot(request: Request) -> Response:
    """Where a bot stands, and the board of its last match."""
    site, t = site_of(request), _texts(request)
    name = named(request.path_params["name"])
    await site.ask(site.database.bots.get, name)
    places = await site.ask(site.database.profiles.places, name)
    ranked = [place for place in places if place.rank is not None][:_PLACES]
    lines: list[tuple[int | None, str]] = [
        (None, f"{place.rank}. {game_title(place.pool.game)} ({rating(place.rating)})")
        for place in ranked
    ]
    last = await _last_match(site, MatchFilter(bot=name, in_play=False))
    if last is not None:
        lines += [(seat, printable(one.name)) for seat, one in enumerate(last.seats)]
    card = Card(
        heading=t("table.bot"), title=printable(name), players=lines, text="", foot=t("site.name")
    )
    return await _answer(request, card, *_board_of(site, last))


async def of_tournament(request: Request) -> Response:
    """The first of a tournament's table, and the board of its last match."""
    site, t = site_of(request), _texts(request)
    name = named(request.path_params["name"])
    found = await site.tournament_cache.of(site.database, name)
    table, hidden = found.standings, found.hidden_until_ms is not None
    game = t("game.players", game=printable(game_title(table.game)), players=table.players)
    card = Card(
        heading=game,
        title=printable(name),
        players=[] if hidden else _foremost(table.rows, t),
        text=t("result.hidden") if hidden else t.word("format", table.format),
        foot=t("site.name"),
    )
    wanted = MatchFilter(tournament=name, in_play=False)
    last = None if hidden else await _last_match(site, wanted)
    return await _answer(request, card, *_board_of(site, last))


def _foremost(rows: Sequence[Any], t: Texts) -> list[tuple[int | None, str]]:
    placed = [row for row in rows if row.place is not None][:_FOREMOST]
    return [(None, f"{row.place}. {printable(row.name)}  {t.number(row.points)}") for row in placed]


async def _last_match(site: Site, wanted: MatchFilter) -> MatchRow | None:
    """The last match of those whose results are told and that were played."""
    rows = (await site.ask(site.database.matches.page, wanted, size=_FOREMOST)).rows
    return next((row for row in rows if row.reason == "finished" and not row.hidden), None)


def _board_of(
    site: Site, row: MatchRow | None
) -> tuple[Hashable, Callable[[], Awaitable[Position | None]]]:
    """The name of a match's board, and the function that gives it."""

    async def position() -> Position | None:
        return None if row is None else await _recorded(site, row.match, row.game)

    return None if row is None else row.match, position


async def _position(site: Site, view: MatchView) -> Position | None:
    if not view.in_play:
        return await _recorded(site, view.match, view.game)
    match = site.servers.match(view.match)
    return None if match is None else Position(view.game, match.initial, None)


async def _recorded(site: Site, match: str, game: str) -> Position | None:
    """A position of a match whose result is told; None if its replay cannot be shown."""
    try:
        document = await site.replay_cache.replay(match)
    except (NotInStoreError, ValueError):
        return None
    if len(document) > _MAX_REPLAY_BYTES:
        return None
    frames = msgspec.json.decode(document, type=_Frames).frames
    frame = msgspec.json.decode(frames[int(_SHOWN * (len(frames) - 1))], type=_Frame)
    return Position(game, frame.state, frame.step)


class _Frames(msgspec.Struct):
    """A ``Replay`` of which one frame is wanted."""

    frames: list[msgspec.Raw]


class _Frame(msgspec.Struct):
    state: Mapping[str, Any]
    step: Sequence[Any] | None


async def _answer(
    request: Request,
    card: Card,
    board: Hashable,
    position: Callable[[], Awaitable[Position | None]],
) -> Response:
    """The picture of a card with a board; ``board`` names it."""

    async def whole() -> Card:
        return msgspec.structs.replace(card, position=await position())

    try:
        picture = await site_of(request).pictures.picture((card.words, board), whole)
    except TooManyPicturesError as error:
        raise HTTPException(503, "many pictures are being drawn; try again in a minute") from error
    return Response(picture, media_type="image/png", headers=_HEADERS)


def _texts(request: Request) -> Texts:
    language = request.path_params["language"]
    if language not in TEXTS:
        raise HTTPException(404, "there is no such language")
    return TEXTS[language]


ROUTES = [
    Route("/pictures/{language}/matches/{name}.png", of_match),
    Route("/pictures/{language}/bots/{name}.png", of_bot),
    Route("/pictures/{language}/tournaments/{name}.png", of_tournament),
]
