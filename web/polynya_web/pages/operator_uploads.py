"""The operator's pages of uploads: versions, the build queue, the disk, and what can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from polynya_common.reasons import Reason
from polynya_store import Store
from polynya_store.bots.upload_rows import BotUsage, Upload
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.validation.validation_matches import match_text
from polynya_web.http.operator_sessions import Notice, OperatorSession
from polynya_web.http.parameters import page_number, parameter
from polynya_web.http.requests import Refused
from polynya_web.http.responses import archive_response
from polynya_web.pages.operator_actions import Action, Form, reason
from polynya_web.pages.operator_frame import (
    operator_control,
    operator_page,
    operator_session,
    private,
)
from polynya_web.site import Site, site_of

UPLOADS = "/operator/uploads"
PAGE_SIZE = 50
MOST_USAGE = 50
"""Rows of the disk table, largest bots first."""


@dataclass(frozen=True, slots=True)
class _Listed:
    """The contents of the list.

    Attributes:
        rows: the uploads of the page.
        total: how many there are.
        waiting: what is built, and what waits.
        matches: how many rated matches the versions have played.
        usage: the disk, by bot.
    """

    rows: Sequence[Upload]
    total: int
    waiting: Sequence[Upload]
    matches: Mapping[tuple[str, str], int]
    usage: Sequence[BotUsage]


async def uploads(request: Request) -> Response:
    """All versions, with the possible actions; the queue and the disk."""
    operator_control(request)
    session, site = operator_session(request), site_of(request)
    reception = _reception(site)
    wanted, number = parameter(request, "name"), page_number(request)
    found = await site.ask(_listed, site.database, wanted, number)
    return operator_page(
        request,
        "operator/uploads.html",
        session,
        found=found,
        quotas=reception.settings,
        wanted=wanted,
        number=number,
        pages=-(-found.total // PAGE_SIZE),
        most_usage=MOST_USAGE,
    )


def _listed(store: Store, wanted: str | None, number: int) -> _Listed:
    every = store.uploads.all()
    chosen = [one for one in every if (wanted or "").casefold() in one.bot.casefold()]
    rows = chosen[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]
    return _Listed(
        rows,
        len(chosen),
        [upload for upload in reversed(every) if upload.undecided],
        store.uploads.matches_of({upload.bot for upload in rows}),
        store.uploads.usage(),
    )


async def upload(request: Request) -> Response:
    """One version: what it printed, and its last match of validation."""
    operator_control(request)
    session, site = operator_session(request), site_of(request)
    _reception(site)
    found, match = await site.ask(_whole, site.database, request.path_params["number"])
    return operator_page(request, "operator/upload.html", session, one=found, match=match)


def _whole(store: Store, number: int) -> tuple[Upload, str | None]:
    found = store.uploads.get(number, logs=True)
    return found, match_text(found.replay)


async def archive(request: Request) -> Response:
    """The archive of a version."""
    operator_control(request)
    operator_session(request)
    site = site_of(request)
    reception = _reception(site)
    found = await site.ask(site.database.uploads.get, request.path_params["number"])
    path = await site.ask(reception.archive, found)
    return private(archive_response(path, found.label))


def _reception(site: Site) -> Reception:
    if site.reception is None:
        raise Refused(404, Reason.of("uploads_off_host"))
    return site.reception


# Actions


async def _use(site: Site, _control: OperatorControl, session: OperatorSession, form: Form) -> None:
    found = await _upload(site, form)
    chosen = await site.ask(site.database.uploads.prefer, found.bot, found.version)
    kind = "upload_used" if chosen.again is None else "upload_rebuilt"
    session.notices.append(Notice(kind, chosen.label))


async def _disable(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    found = await _upload(site, form)
    why = reason(form, Reason.of("host_disabled"))
    await site.ask(site.database.uploads.disable, found.bot, found.version, why)
    session.notices.append(Notice("upload_disabled", found.label))


async def _rebuild(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    found = await _upload(site, form)
    await site.ask(site.database.uploads.build_again, found.number)
    session.notices.append(Notice("upload_rebuilt", found.label))


async def _rebuild_all(
    site: Site, _control: OperatorControl, session: OperatorSession, _form: Form
) -> None:
    count = await site.ask(site.database.uploads.build_all_again)
    session.notices.append(Notice("uploads_rebuilt", count=count))


async def _cancel(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    found = await _upload(site, form)
    why = reason(form, Reason.of("host_cancelled"))
    await site.ask(site.database.uploads.cancel, found.number, why)
    session.notices.append(Notice("upload_cancelled", found.label))


async def _remove(
    site: Site, _control: OperatorControl, session: OperatorSession, form: Form
) -> None:
    found = await _upload(site, form)
    why = reason(form, Reason.of("host_removed"))
    await site.ask(site.database.uploads.remove, found.bot, found.version, why)
    session.notices.append(Notice("upload_removed", found.label))


async def _upload(site: Site, form: Form) -> Upload:
    number = form.get("number", "")
    if not (number.isascii() and number.isdecimal() and len(number) <= 9):
        raise Refused(400, Reason.of("form_without_upload"))
    return await site.ask(site.database.uploads.get, int(number))


UPLOAD_ACTIONS: dict[tuple[str, str], Action] = {
    ("uploads", "use"): _use,
    ("uploads", "disable"): _disable,
    ("uploads", "rebuild"): _rebuild,
    ("uploads", "rebuild_all"): _rebuild_all,
    ("uploads", "cancel"): _cancel,
    ("uploads", "remove"): _remove,
}
"""The actions by the part of the address and the field ``action``."""
