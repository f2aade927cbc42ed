"""The operator's pages, behind a token: ladder, tournaments, bots, and the settings in force.

Forms change things, each answered by a redirection; the next page shows the result. Module
:mod:`~polynya_web.pages.operator_actions` does the work. Every form carries its session's secret,
and is refused if another site's page has sent it.
"""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause, Reason, cause_of
from polynya_common.text import moment_ms
from polynya_store.disk_space import DiskUse, measure, warning
from polynya_web.http.operator_sessions import Notice, check_csrf
from polynya_web.http.parameters import page_number, parameter
from polynya_web.http.request_body import read_form
from polynya_web.http.requests import Refused
from polynya_web.http.wrong_tokens import proves
from polynya_web.pages.operator_actions import ACTIONS
from polynya_web.pages.operator_frame import (
    operator_control,
    operator_page,
    operator_session,
    private,
    to_page,
)
from polynya_web.pages.operator_uploads import UPLOAD_ACTIONS, UPLOADS, archive, upload, uploads
from polynya_web.pages.rendering import page
from polynya_web.site import site_of

HOME, BOTS = "/operator", "/operator/bots"
_BACK = {"bots": BOTS, "uploads": UPLOADS}
"""The page that follows a form, by the part of its address."""
PAGE_SIZE = 50


async def home(request: Request) -> Response:
    """The ladder, the tournaments and the settings; without a session the login."""
    control, site = operator_control(request), site_of(request)
    session = site.sessions.of(request)
    if session is None:
        return private(page(request, "operator/login.html", section="operator"))
    tournaments = control.tournaments
    rows = await site.ask(site.database.tournaments.all)
    held = await site.ask(site.database.tournaments.all_held)
    disk, scarce = await site.ask(_disk, site.database.file)
    offers = await site.ask(tournaments.files) if tournaments else []
    if tournaments:
        offers = [one for one in offers if one.name not in tournaments.running]
    return operator_page(
        request,
        "operator/home.html",
        session,
        control=control,
        offers=offers,
        held=dict(held),
        progress={row.name: row for row in rows},
        disk=disk,
        scarce=scarce,
        connected=sorted(site.server.connected) if site.server else [],
    )


def _disk(database: Path | None) -> tuple[DiskUse | None, Cause | None]:
    """Disk use of the database, and a warning if there is little room."""
    if database is None:  # it is on a server
        return None, None
    try:
        use = measure(database)
    except OSError:  # the folder is gone
        return None, None
    return use, warning(use, database.absolute().parent)


async def bots(request: Request) -> Response:
    """All bots, with the possible actions."""
    operator_control(request)
    site = site_of(request)
    session = operator_session(request)
    wanted, number = (parameter(request, "name") or "").casefold(), page_number(request)
    rows = await site.ask(site.database.bots.all)
    found = [row for row in rows if wanted in row.name.casefold()]
    return operator_page(
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
    """Preview of annulling a bot's matches since a time, with the form that does it."""
    operator_control(request)
    site, session = site_of(request), operator_session(request)
    name, since = parameter(request, "name") or "", parameter(request, "since") or ""
    try:
        bot = await site.ask(site.database.bots.get, name)
        since_ms = moment_ms(since, "since")
        count = await site.ask(site.database.interventions.count_to_annul, bot.name, since_ms)
    except TournamentError as error:
        session.notices.append(Notice("bad", cause_of(error)))
        return to_page(BOTS)
    return operator_page(
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
    control, site = operator_control(request), site_of(request)
    form = await read_form(request)
    if not proves(form.get("token", ""), control.token_hash):
        site.attempts.failed(request)
        return private(page(request, "operator/login.html", 403, section="operator", wrong=True))
    response = to_page(HOME)
    site.sessions.open(request, response)
    return response


async def logout(request: Request) -> Response:
    """End the session."""
    check_csrf(operator_session(request), await read_form(request))
    response = to_page("/")
    site_of(request).sessions.close(request, response)
    return response


async def act(request: Request) -> Response:
    """Do what a form asks for."""
    control, session, site = operator_control(request), operator_session(request), site_of(request)
    form = await read_form(request)
    check_csrf(session, form)
    action = (ACTIONS | UPLOAD_ACTIONS).get((request.path_params["what"], form.get("action", "")))
    if action is None:
        raise Refused(400, Reason.of("no_such_action"))
    try:
        await action(site, control, session, form)
    except TournamentError as error:
        session.notices.append(Notice("bad", cause_of(error)))
    return to_page(_BACK.get(request.path_params["what"], HOME))


ROUTES = [
    Route("/operator", home),
    Route("/operator/login", login, methods=["POST"]),
    Route("/operator/logout", logout, methods=["POST"]),
    Route("/operator/bots", bots, methods=["GET"]),
    Route("/operator/bots/annul", annul, methods=["GET"]),
    Route(UPLOADS, uploads, methods=["GET"]),
    Route(f"{UPLOADS}/{{number:count}}", upload, methods=["GET"]),
    Route(f"{UPLOADS}/{{number:count}}/archive", archive, methods=["GET"]),
    Route("/operator/{what}", act, methods=["POST"]),
]
