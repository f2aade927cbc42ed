"""The operator's pages, behind a token: ladder, tournaments, bots, and the settings in force.

Forms change things, each answered by a redirection; the next page says what came of it. What a form
does is in :mod:`~polynya_web.pages.operator_actions`. Every form carries its session's secret, and
is refused if another site's page has sent it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from polynya_tournaments.disk_space import DiskUse, measure, warning
from polynya_tournaments.errors import TournamentError
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.text import moment_ms
from polynya_web.http.access import proves
from polynya_web.http.operator_sessions import Notice, OperatorSession, check_csrf
from polynya_web.http.parameters import page_number, parameter
from polynya_web.http.request_body import read_form
from polynya_web.pages.operator_actions import ACTIONS
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

HOME, BOTS = "/operator", "/operator/bots"
PAGE_SIZE = 50


def _control(request: Request) -> OperatorControl:
    control = site_of(request).control
    if control is None:
        raise HTTPException(404, "this server has no operator's pages")
    return control


async def home(request: Request) -> Response:
    """The ladder, the tournaments and the settings; without a session the login."""
    control, site = _control(request), site_of(request)
    session = site.sessions.of(request)
    if session is None:
        return _private(page(request, "operator/login.html", section="operator"))
    tournaments = control.tournaments
    rows = await site.ask(site.database.tournaments.all)
    disk, scarce = await site.ask(_disk, site.database.file)
    return _shown(
        request,
        "operator/home.html",
        session,
        control=control,
        offers=await site.ask(tournaments.files) if tournaments else [],
        progress={row.name: row for row in rows},
        disk=disk,
        scarce=scarce,
        connected=sorted(site.server.connected) if site.server else [],
    )


def _disk(database: Path | None) -> tuple[DiskUse | None, str | None]:
    """How the database fills its disk, and a warning if there is little room."""
    if database is None:  # it is on a server
        return None, None
    try:
        use = measure(database)
    except OSError:  # the folder is gone
        return None, None
    return use, warning(use, database.absolute().parent)


async def bots(request: Request) -> Response:
    """All bots, with what can be done to them."""
    _control(request)
    site = site_of(request)
    session = _session(request)
    wanted, number = (parameter(request, "name") or "").casefold(), page_number(request)
    rows = await site.ask(site.database.bots.all)
    found = [row for row in rows if wanted in row.name.casefold()]
    return _shown(
        request,
        "operator/bots.html",
        session,
        rows=found[(number - 1) * PAGE_SIZE : number * PAGE_SIZE],
        wanted=parameter(request, "name"),
        number=number,
        pages=-(-len(found) // PAGE_SIZE),
        connected=site.server.connected if site.server else {},
    )


async def annul(request: Request) -> Response:
    """How many matches of a bot since a time would be annulled, and the form that does it."""
    _control(request)
    site, session = site_of(request), _session(request)
    name, since = parameter(request, "name") or "", parameter(request, "since") or ""
    try:
        bot = await site.ask(site.database.bots.get, name)
        since_ms = moment_ms(since, "since")
        count = await site.ask(site.database.interventions.count_to_annul, bot.name, since_ms)
    except TournamentError as error:
        session.notices.append(Notice("bad", str(error)))
        return _to(BOTS)
    return _shown(
        request,
        "operator/annul.html",
        session,
        bot=bot.name,
        since=since,
        since_ms=since_ms,
        count=count,
    )


async def login(request: Request) -> Response:
    """Open a session if the form shows the token."""
    control, site = _control(request), site_of(request)
    form = await read_form(request)
    if not proves(form.get("token", ""), control.token_hash):
        site.attempts.failed(request)
        return _private(page(request, "operator/login.html", 403, section="operator", wrong=True))
    response = _to(HOME)
    site.sessions.open(request, response)
    return response


async def logout(request: Request) -> Response:
    """End the session."""
    check_csrf(_session(request), await read_form(request))
    response = _to("/")
    site_of(request).sessions.close(request, response)
    return response


async def act(request: Request) -> Response:
    """Do what a form asks for."""
    control, session, site = _control(request), _session(request), site_of(request)
    form = await read_form(request)
    check_csrf(session, form)
    action = ACTIONS.get((request.path_params["what"], form.get("action", "")))
    if action is None:
        raise HTTPException(400, "there is no such action")
    try:
        await action(site, control, session, form)
    except TournamentError as error:
        session.notices.append(Notice("bad", str(error)))
    return _to(BOTS if request.path_params["what"] == "bots" else HOME)


def _session(request: Request) -> OperatorSession:
    session = site_of(request).sessions.of(request)
    if session is None:
        raise HTTPException(401, "log in at /operator")
    return session


def _shown(request: Request, template: str, session: OperatorSession, **values: Any) -> Response:
    """A page of a session, with what is to be shown once."""
    notices, tokens = session.notices[:], session.tokens[:]
    session.notices.clear()
    session.tokens.clear()
    return _private(
        page(
            request,
            template,
            section="operator",
            session=session,
            notices=notices,
            tokens=tokens,
            **values,
        )
    )


def _private(response: Response) -> Response:
    response.headers["cache-control"] = "no-store"
    return response


def _to(path: str) -> Response:
    return RedirectResponse(path, 303)


ROUTES = [
    Route("/operator", home),
    Route("/operator/login", login, methods=["POST"]),
    Route("/operator/logout", logout, methods=["POST"]),
    Route("/operator/bots", bots, methods=["GET"]),
    Route("/operator/bots/annul", annul, methods=["GET"]),
    Route("/operator/{what}", act, methods=["POST"]),
]
