"""Pictures of matches, bots and tournaments, for other sites that show a link to their pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.reasons import Reason
from polynya_contest.pairing.standings import Standing
from polynya_protocol.errors import printable
from polynya_web.content.contest_names import game_title, round_name
from polynya_web.content.result_sentences import result_sentences
from polynya_web.content.texts import TEXTS, Texts
from polynya_web.content.tournaments.table_order import (
    ELIMINATIONS,
    has_winner,
    in_order,
    share,
)
from polynya_web.content.tournaments.tournament_cache import TournamentSnapshot
from polynya_web.http.parameters import named
from polynya_web.http.requests import Refused
from polynya_web.pages.matches import find_match
from polynya_web.pages.rendering import rating
from polynya_web.pictures.card import Card, TooManyPicturesError
from polynya_web.site import site_of

_FOREMOST = 5
_HEADERS = {
    "cache-control": "public, max-age=300",
    "cross-origin-resource-policy": "cross-origin",  # other sites show it: that is what it is for
}


async def of_match(request: Request) -> Response:
    """The players of a match, and how it ended."""
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
        players=tuple(
            (seat.seat, printable(seat.name) + ("" if score is None else f"  {score}"))
            for seat, score in zip(view.seats, scores, strict=True)
        ),
        text=text,
        foot=t("site.name"),
    )
    return await _answer(request, card)


async def of_bot(request: Request) -> Response:
    """Where a bot stands in the rankings."""
    site, t = site_of(request), _texts(request)
    name = named(request.path_params["name"])
    await site.ask(site.database.bots.get, name)
    places = await site.ask(site.database.profiles.places, name)
    lines = [
        f"{place.rank}. {game_title(place.pool.game)} ({rating(place.rating)})"
        for place in places
        if place.rank is not None
    ]
    card = Card(
        heading=t("table.bot"),
        title=printable(name),
        players=_unmarked(lines[:_FOREMOST]),
        text="",
        foot=t("site.name"),
    )
    return await _answer(request, card)


async def of_tournament(request: Request) -> Response:
    """The first places of a tournament's table."""
    site, t = site_of(request), _texts(request)
    name = named(request.path_params["name"])
    found = await site.tournament_cache.of(site.database, name)
    table, hidden = found.standings, found.hidden_until_ms is not None
    game = t("game.players", game=printable(game_title(table.game)), players=table.players)
    card = Card(
        heading=game,
        title=printable(name),
        players=() if hidden else _unmarked(_foremost(found, t)),
        text=t("result.hidden") if hidden else t.word("format", table.format),
        foot=t("site.name"),
    )
    return await _answer(request, card)


def _foremost(found: TournamentSnapshot, t: Texts) -> list[str]:
    """The first lines of the table, each with the figure that decides its place."""
    table = found.standings
    rows = in_order(table, found.stages, found.challengers)
    placed = [row for row in rows if row.place is not None][:_FOREMOST]
    return [" ".join(_line(row, found, t)) for row in placed]


def _line(row: Standing, found: TournamentSnapshot, t: Texts) -> Iterator[str]:
    table, name = found.standings, printable(row.name)
    part = share(row, table.players)
    if table.format in ELIMINATIONS:
        stage = found.stages.get(row.name)
        yield name if stage else f"{row.place}. {name}"
        if stage:
            yield f" {t('tournament.still_in')}: {round_name(stage.round, t)}"
        else:
            yield f" {round_name(str(row.figures['out']), t)}"
    elif not has_winner(table):
        yield name
        yield "" if part is None else f" {t.number(100 * part, '.1f')} %"
    else:
        score = row.figures.get("score", row.points)
        yield f"{row.place}. {name}  {t.number(score) if isinstance(score, float) else ''}"


def _unmarked(lines: Iterable[str]) -> tuple[tuple[None, str], ...]:
    return tuple((None, line) for line in lines)


async def _answer(request: Request, card: Card) -> Response:
    try:
        picture = await site_of(request).pictures.picture(card)
    except TooManyPicturesError as error:
        raise Refused(503, Reason.of("pictures_busy")) from error
    return Response(picture, media_type="image/png", headers=_HEADERS)


def _texts(request: Request) -> Texts:
    language = request.path_params["language"]
    if language not in TEXTS:
        raise Refused(404, Reason.of("no_such_language"))
    return TEXTS[language]


ROUTES = [
    Route("/pictures/{language}/matches/{name}.png", of_match),
    Route("/pictures/{language}/bots/{name}.png", of_bot),
    Route("/pictures/{language}/tournaments/{name}.png", of_tournament),
]
