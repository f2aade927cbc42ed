"""The operator's actions: what each form of the operator's pages does."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause, Reason
from polynya_common.text import moment_ms
from polynya_contest.config.bot_names import KnownNames
from polynya_server import hash_token, new_token
from polynya_store import OPERATOR, BotRow
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.tournament.manager import RunningTournament, TournamentManager
from polynya_web.http.operator_sessions import Notice, OperatorSession
from polynya_web.site import Site

MAX_REASON = 200

Form = dict[str, str]
Action = Callable[[Site, OperatorControl, OperatorSession, Form], Awaitable[None]]


# Bots


async def _add(site: Site, _control: OperatorControl, session: OperatorSession, form: Form) -> None:
    name = form.get("name", "")
    known = await site.ask(site.database.bots.all)
    KnownNames(row.name for row in known).add(name)
    if any(row.name == name and row.registered for row in known):
        raise TournamentError(Reason.of("has_token", bot=name))
    await _give_token(site, session, name)


async def _rotate(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    row = await _bot(site, form)
    if row.revoked:
        raise TournamentError(Reason.of("token_is_revoked", bot=row.name))
    if not row.registered:
        raise TournamentError(Reason.of("has_no_token", bot=row.name))
    await _give_token(site, session, row.name)


async def _give_token(site: Site, session: OperatorSession, name: str) -> None:
    token = new_token()
    await site.ask(site.database.bots.set_token, name, hash_token(token))
    session.tokens.append((name, token))


async def _revoke(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    row = await _bot(site, form)
    await site.ask(site.database.bots.revoke, row.name)
    session.notices.append(Notice("revoked", row.name))


async def _suspend(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    row = await _bot(site, form)
    why = reason(form, Reason.of("host_suspended"))
    await site.ask(site.database.interventions.suspend, row.name, why, OPERATOR)
    session.notices.append(Notice("suspended", row.name))


async def _resume(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    row = await _bot(site, form)
    await site.ask(site.database.interventions.resume, row.name, who=OPERATOR)
    session.notices.append(Notice("resumed", row.name))


async def _annul(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    row, since_ms = await _bot(site, form), moment_ms(form.get("since", ""), "since")
    why = reason(form, Reason.of("host_annulled"))
    count = await site.ask(site.database.interventions.annul, row.name, since_ms, why, OPERATOR)
    session.notices.append(Notice("annulled", row.name, count))


def reason(form: Form, otherwise: Reason) -> Cause:
    """The reason in a form, or another one where it has none."""
    return form.get("why", "").strip()[:MAX_REASON] or otherwise


async def _bot(site: Site, form: Form) -> BotRow:
    return await site.ask(site.database.bots.get, form.get("name", ""))


# The ladder and the tournaments


async def _pause_ladder(
    _site: Site, control: OperatorControl, session: OperatorSession, _form: Form
) -> None:
    if control.ladder is not None:
        control.ladder.pause()
        session.notices.append(Notice("ladder_paused"))


async def _resume_ladder(
    _site: Site, control: OperatorControl, session: OperatorSession, _form: Form
) -> None:
    if control.ladder is not None:
        control.ladder.resume()
        session.notices.append(Notice("ladder_resumed"))


async def _start(
    _site: Site, control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    name = await _tournaments(control).start(form.get("file", ""))
    session.notices.append(Notice("started", name))


async def _play_held(
    _site: Site, control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    name = await _tournaments(control).start(form.get("file", ""), play_held=True)
    session.notices.append(Notice("started", name))


async def _pause(
    _site: Site, control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    running = _running(control, form)
    running.switch.pause()
    session.notices.append(Notice("paused", running.name))


async def _go_on(
    _site: Site, control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    running = _running(control, form)
    running.switch.resume()
    session.notices.append(Notice("gone_on", running.name))


async def _stop(
    _site: Site, control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    running = _running(control, form)
    running.stop.set()
    session.notices.append(Notice("stopping", running.name))


def _tournaments(control: OperatorControl) -> TournamentManager:
    if control.tournaments is None:
        raise TournamentError(Reason.of("no_tournaments_here"))
    return control.tournaments


def _running(control: OperatorControl, form: Form) -> RunningTournament:
    running = _tournaments(control).running.get(form.get("name", ""))
    if running is None:
        raise TournamentError(Reason.of("tournament_not_running"))
    return running


ACTIONS: dict[tuple[str, str], Action] = {
    ("bots", "add"): _add,
    ("bots", "rotate"): _rotate,
    ("bots", "revoke"): _revoke,
    ("bots", "suspend"): _suspend,
    ("bots", "resume"): _resume,
    ("bots", "annul"): _annul,
    ("ladder", "pause"): _pause_ladder,
    ("ladder", "resume"): _resume_ladder,
    ("tournaments", "start"): _start,
    ("tournaments", "play_held"): _play_held,
    ("tournaments", "pause"): _pause,
    ("tournaments", "resume"): _go_on,
    ("tournaments", "stop"): _stop,
}
"""The actions by the part of the address and the field ``action``."""
