"""The operator's pages, behind a token: ladder, tournaments, bots, and the settings in force.

What is done is done by forms, each answered by a redirection; what came of it stands on the next
page. Every form carries its session's secret, and is refused if another site's page has sent it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from polynya_server import hash_token, new_token
from polynya_tournaments.config.bot_names import KnownNames
from polynya_tournaments.errors import TournamentError
from polynya_tournaments.ladder.operator_control import Control
from polynya_tournaments.store import BotRow
from polynya_tournaments.tournament.manager import RunningTournament, TournamentManager
from polynya_web.http.access import proves, read_form
from polynya_web.http.operator_sessions import Session, check_csrf
from polynya_web.pages.asked import given, page_number
from polynya_web.pages.rendering import page
from polynya_web.site import Site, site_of

HOME, BOTS = "/operator", "/operator/bots"
ON_PAGE = 50
LONGEST_REASON = 200

Form = dict[str, str]
Action = Callable[[Site, Control, Session, Form], Awaitable[None]]


def _control(request: Request) -> Control:
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
    return _shown(
        request,
        "operator/home.html",
        session,
        control=control,
        offers=await site.ask(tournaments.files) if tournaments else [],
        progress={row.name: row for row in rows},
        connected=sorted(site.server.connected) if site.server else [],
    )


async def bots(request: Request) -> Response:
    """All bots, with what can be done to them."""
    _control(request)
    site = site_of(request)
    session = _session(request)
    wanted, number = (given(request, "name") or "").casefold(), page_number(request)
    rows = await site.ask(site.database.bots.all)
    found = [row for row in rows if wanted in row.name.casefold()]
    return _shown(
        request,
        "operator/bots.html",
        session,
        rows=found[(number - 1) * ON_PAGE : number * ON_PAGE],
        wanted=given(request, "name"),
        number=number,
        pages=-(-len(found) // ON_PAGE),
        connected=site.server.connected if site.server else {},
    )


async def login(request: Request) -> Response:
    """Open a session for who shows the token."""
    control, site = _control(request), site_of(request)
    form = await read_form(request)
    site.attempts.check(request)
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
        session.notices.append(("bad", str(error)))
    return _to(BOTS if request.path_params["what"] == "bots" else HOME)


def _session(request: Request) -> Session:
    session = site_of(request).sessions.of(request)
    if session is None:
        raise HTTPException(401, "log in at /operator")
    return session


def _shown(request: Request, template: str, session: Session, **values: Any) -> Response:
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


# Bots


async def _add(site: Site, _control: Control, session: Session, form: Form) -> None:
    name = form.get("name", "")
    known = await site.ask(site.database.bots.all)
    KnownNames(row.name for row in known).add(name)
    if any(row.name == name and row.registered for row in known):
        raise TournamentError(f"{name} has a token; rotate it to give another")
    await _give_token(site, session, name)


async def _rotate(site: Site, _control: Control, session: Session, form: Form) -> None:
    row = await _bot(site, form)
    if row.revoked:
        raise TournamentError(
            f"the token of {row.name} was revoked; add it to let it in again, with a new one"
        )
    if not row.registered:
        raise TournamentError(f"{row.name} has no token yet; add it to give one")
    await _give_token(site, session, row.name)


async def _give_token(site: Site, session: Session, name: str) -> None:
    token = new_token()
    await site.ask(site.database.bots.set_token, name, hash_token(token))
    session.tokens.append((name, token))


async def _revoke(site: Site, _control: Control, session: Session, form: Form) -> None:
    row = await _bot(site, form)
    await site.ask(site.database.bots.revoke, row.name)
    session.notices.append(("revoked", row.name))


async def _suspend(site: Site, _control: Control, session: Session, form: Form) -> None:
    row = await _bot(site, form)
    why = form.get("why", "")[:LONGEST_REASON] or "the host suspended it"
    await site.ask(site.database.interventions.suspend, row.name, why)
    session.notices.append(("suspended", row.name))


async def _resume(site: Site, _control: Control, session: Session, form: Form) -> None:
    row = await _bot(site, form)
    await site.ask(site.database.interventions.resume, row.name)
    session.notices.append(("resumed", row.name))


async def _bot(site: Site, form: Form) -> BotRow:
    return await site.ask(site.database.bots.get, form.get("name", ""))


# The ladder and the tournaments


async def _pause_ladder(_site: Site, control: Control, session: Session, _form: Form) -> None:
    if control.ladder is not None:
        control.ladder.pause()
        session.notices.append(("ladder_paused", ""))


async def _resume_ladder(_site: Site, control: Control, session: Session, _form: Form) -> None:
    if control.ladder is not None:
        control.ladder.resume()
        session.notices.append(("ladder_resumed", ""))


async def _start(_site: Site, control: Control, session: Session, form: Form) -> None:
    name = await _contests(control).start(form.get("file", ""))
    session.notices.append(("started", name))


async def _pause(_site: Site, control: Control, session: Session, form: Form) -> None:
    running = _running(control, form)
    running.switch.pause()
    session.notices.append(("paused", running.name))


async def _go_on(_site: Site, control: Control, session: Session, form: Form) -> None:
    running = _running(control, form)
    running.switch.resume()
    session.notices.append(("gone_on", running.name))


async def _stop(_site: Site, control: Control, session: Session, form: Form) -> None:
    running = _running(control, form)
    running.stop.set()
    session.notices.append(("stopping", running.name))


def _contests(control: Control) -> TournamentManager:
    if control.tournaments is None:
        raise TournamentError("tournaments cannot be started from here")
    return control.tournaments


def _running(control: Control, form: Form) -> RunningTournament:
    running = _contests(control).running.get(form.get("name", ""))
    if running is None:
        raise TournamentError("this tournament is not being played")
    return running


ACTIONS: dict[tuple[str, str], Action] = {
    ("bots", "add"): _add,
    ("bots", "rotate"): _rotate,
    ("bots", "revoke"): _revoke,
    ("bots", "suspend"): _suspend,
    ("bots", "resume"): _resume,
    ("ladder", "pause"): _pause_ladder,
    ("ladder", "resume"): _resume_ladder,
    ("tournaments", "start"): _start,
    ("tournaments", "pause"): _pause,
    ("tournaments", "resume"): _go_on,
    ("tournaments", "stop"): _stop,
}
"""What can be done: by the part of the address and the field ``action``."""

ROUTES = [
    Route("/operator", home),
    Route("/operator/login", login, methods=["POST"]),
    Route("/operator/logout", logout, methods=["POST"]),
    Route("/operator/bots", bots, methods=["GET"]),
    Route("/operator/{what}", act, methods=["POST"]),
]
