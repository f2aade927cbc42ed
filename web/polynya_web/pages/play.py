"""A person's seat: the form for a match against bots, and the table that it is played at."""

from __future__ import annotations

import re
import secrets
from collections.abc import AsyncGenerator, Mapping
from urllib.parse import quote

import msgspec
import trio
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from polynya_common.reasons import Reason
from polynya_games import load
from polynya_web.content.texts import Texts, texts_for
from polynya_web.http.request_body import read_body, read_form
from polynya_web.http.requests import Refused, address_of, check_origin, is_https
from polynya_web.live.feeds import EventStream
from polynya_web.pages.rendering import page
from polynya_web.play.human_match import HumanMatch
from polynya_web.play.human_matches import HumanMatches
from polynya_web.play.match_request import (
    MOVE_MS,
    USUAL_MOVE_MS,
    builtin_opponents,
    chosen,
    games,
    read_match_request,
)
from polynya_web.play.table_state import RefusedError, Steps

COOKIE = "person"
"""Cookie with the secret that proves a person's seat."""

_SECRET = r"[A-Za-z0-9_-]{43}"  # noqa: S105 -- its form
_DAY_S = 24 * 3600


def secret_of(request: Request) -> str | None:
    """The browser's secret; None without one."""
    given = request.cookies.get(COOKIE, "")
    return given if re.fullmatch(_SECRET, given) else None


def new_secret() -> str:
    """A new secret of 256 random bits."""
    return secrets.token_urlsafe(32)


def give_secret(response: Response, request: Request, secret: str) -> None:
    """Set the secret as a cookie for this site only, hidden from scripts."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=_DAY_S,
        path="/play",
        httponly=True,
        samesite="strict",
        secure=is_https(request),
    )


async def read_steps(request: Request) -> Steps:
    """The steps that the page asks about or plays.

    Raises:
        HTTPException: 400, 403 or 413: it is none of it, comes from another site, is too long.
    """
    check_origin(request)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused(400, "this takes application/json")
    body = await read_body(request)
    try:
        return msgspec.json.decode(body, type=Steps)
    except (ValueError, RecursionError) as error:
        raise Refused(400, f"these are no steps: {error}") from error


WORDS = (
    "board.",
    "number.",
    "play.",
    "rank.",
    "result.",
    "viewer.concealed",
    "viewer.forfeits.",
    "viewer.result.and",
    "viewer.seen",
)
"""The texts that the scripts of the table need."""
MAX_PAGES = 8
"""Maximum number of open pages of one match."""
_BEAT_S = 15

_encode = msgspec.json.Encoder().encode


def _human_matches(request: Request) -> HumanMatches | None:
    matches: HumanMatches | None = request.app.state.human_matches
    return matches


async def choose(request: Request) -> Response:
    """The form for a match."""
    return _form(request, dict(request.query_params))


async def begin(request: Request) -> Response:
    """Begin the requested match, or show the form with the reason against it."""
    form = await read_form(request)
    matches = _human_matches(request)
    if matches is None:
        return _form(request, {})
    secret = secret_of(request) or new_secret()
    try:
        wanted = read_match_request(form, matches.opponents(form.get("game", "")))
        match = matches.begin(wanted, secret, address_of(request))
    except RefusedError as refusal:
        return _form(request, form, refusal)
    return _to_table(request, match, secret)


async def again(request: Request) -> Response:
    """Begin the same match again."""
    check_origin(request)
    matches, match, secret = _seat(request)
    try:
        return _to_table(request, matches.again(match, secret, address_of(request)), secret)
    except RefusedError as refusal:
        return _form(request, {"game": match.setup.game}, refusal)


async def table(request: Request) -> Response:
    """The table for the owner of the seat; others are sent to the viewer of the match."""
    name = request.path_params["match"]
    matches = _human_matches(request)
    match = None if matches is None else matches.find(name, secret_of(request))
    if match is None:
        return RedirectResponse(f"/matches/{quote(name, safe='')}", 303)
    texts = texts_for(request)
    return page(
        request,
        "play_table.html",
        section="play",
        headers={"cache-control": "no-store"},
        game=load(match.setup.game),
        match=match,
        data={"match": name, "game": match.setup.game},
        words=texts.starting(*WORDS) | texts.reasons("match") | texts.refusals(match.setup.game),
    )


async def events(request: Request) -> Response:
    """The table as server-sent events ``table``, each a ``TableState`` as JSON."""
    matches, match, _ = _seat(request)
    if match.pages >= MAX_PAGES:
        raise Refused(429, Reason.of("too_many_match_pages", most=MAX_PAGES))
    return EventStream(TableFeed(matches, match, texts_for(request)).follow())


async def compose(request: Request) -> Response:
    """The legal steps after those of a turn: a ``Composed`` for a ``Steps``."""
    match, asked = await _asked(request)
    try:
        answer = match.seat.compose(asked.turn, asked.steps)
    except RefusedError as refusal:
        return _refusal(request, refusal)
    return Response(_encode(answer), media_type="application/json")


async def move(request: Request) -> Response:
    """Play a turn, given as ``Steps``."""
    match, asked = await _asked(request)
    try:
        match.seat.play(asked.turn, asked.steps)
    except RefusedError as refusal:
        return _refusal(request, refusal)
    return Response(status_code=204)


async def resign(request: Request) -> Response:
    """Give the match up, or not begin it."""
    check_origin(request)
    _, match, _ = _seat(request)
    match.resign()
    return Response(status_code=204)


def _seat(request: Request) -> tuple[HumanMatches, HumanMatch, str]:
    """The match of the path, if it belongs to this browser.

    Raises:
        HTTPException: 404, it is not, or there is none.
    """
    matches, secret = _human_matches(request), secret_of(request)
    match = None if matches is None else matches.find(request.path_params["match"], secret)
    if matches is None or match is None or secret is None:
        raise Refused(404, Reason.of("no_seat_here"))
    return matches, match, secret


async def _asked(request: Request) -> tuple[HumanMatch, Steps]:
    steps = await read_steps(request)
    _, match, _ = _seat(request)
    return match, steps


def _to_table(request: Request, match: HumanMatch, secret: str) -> Response:
    response = RedirectResponse(f"/play/{match.setup.match}", 303)
    give_secret(response, request, secret)
    return response


def _form(
    request: Request, form: Mapping[str, str], refusal: RefusedError | None = None
) -> Response:
    matches = _human_matches(request)
    if matches is None:
        return page(request, "play_off.html", 404, section="play")
    choice = chosen(form)
    return page(
        request,
        "play.html",
        200 if refusal is None else 409,
        {"cache-control": "no-store"},
        section="play",
        sentence=None if refusal is None else _sentence(texts_for(request), refusal),
        form=form,
        games=games(),
        game=choice.game,
        players=choice.players,
        builtin=builtin_opponents(choice.game.name),
        connected=matches.opponents(choice.game.name),
        times=MOVE_MS,
        usual_time=USUAL_MOVE_MS,
    )


def _sentence(texts: Texts, refusal: RefusedError) -> str:
    values = {
        name: texts.said(value)[0] if isinstance(value, Reason) else value
        for name, value in refusal.values.items()
    }
    return texts(refusal.key, **values)


def _refusal(request: Request, refusal: RefusedError) -> Response:
    document = {"error": _sentence(texts_for(request), refusal)}
    return Response(_encode(document), 409, media_type="application/json")


class TableFeed:
    """The events for one page of a table: its state, and again after each change."""

    def __init__(self, matches: HumanMatches, match: HumanMatch, texts: Texts) -> None:
        self._matches = matches
        self._match = match
        self._texts = texts

    async def follow(self) -> AsyncGenerator[bytes]:
        """See :class:`~polynya_web.live.feeds.Feed`."""
        known, match, changes = 0, self._match, self._match.seat.changes
        with match.page_open():
            while not self._matches.is_closed:
                version, failure, is_last = changes.version, match.failure, match.is_over
                table = match.table(known, None if failure is None else self._texts(failure))
                known = table.count
                yield b"event: table\ndata: " + _encode(table) + b"\n\n"
                if is_last:
                    return
                while version == changes.version:
                    with trio.move_on_after(_BEAT_S) as scope:
                        await changes.wait(version)
                    if scope.cancelled_caught:
                        yield b": still here\n\n"


ROUTES = [
    Route("/play", choose),
    Route("/play", begin, methods=["POST"]),
    Route("/play/{match}", table),
    Route("/play/{match}/events", events),
    Route("/play/{match}/compose", compose, methods=["POST"]),
    Route("/play/{match}/move", move, methods=["POST"]),
    Route("/play/{match}/resign", resign, methods=["POST"]),
    Route("/play/{match}/again", again, methods=["POST"]),
]
