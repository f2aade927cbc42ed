"""The versions of an owner's bot: chosen, removed, downloaded, and their matches of validation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.errors import TournamentError
from polynya_common.reasons import Cause, Reason, cause_of
from polynya_store.bots.upload_rows import Upload
from polynya_web.http.request_body import read_form
from polynya_web.http.requests import Refused
from polynya_web.http.responses import NOT_KEPT, archive_response
from polynya_web.site import Site, site_of

Done = tuple[str, Cause]
"""The outcome of an action: its text's key and the version, or ``bad`` and the reason."""


async def _use(site: Site, bot: str, version: str) -> Done:
    chosen = await site.ask(site.database.uploads.prefer, bot, version)
    return ("used" if chosen.again is None else "rebuilt"), version


async def _remove(site: Site, bot: str, version: str) -> Done:
    await site.ask(site.database.uploads.remove, bot, version, Reason.of("owner_removed"))
    return "removed", version


_ACTIONS: dict[str, Callable[[Site, str, str], Awaitable[Done]]] = {"use": _use, "remove": _remove}


async def act_on_version(site: Site, bot: str, form: dict[str, str]) -> Done | None:
    """Do what a form of the owner's page asks for; None if it only shows the page."""
    action = _ACTIONS.get(form.get("action", ""))
    if action is None:
        return None
    try:
        return await action(site, bot, form.get("version", ""))
    except TournamentError as error:
        return "bad", cause_of(error)


async def match(request: Request) -> Response:
    """The last match of a version's validation, with all its positions, as the viewer wants it."""
    site = site_of(request)
    upload = await _owned(request, site, logs=True)
    if upload.replay is None:
        raise Refused(404, Reason.of("no_validation_match", version=upload.label))
    try:
        shown = await site.replay_cache.show_document(upload.replay)
    except (TournamentError, ValueError) as error:
        raise Refused(400, Reason.of("replay_not_shown", why=cause_of(error))) from error
    return Response(shown, media_type="application/json", headers=NOT_KEPT)


async def archive(request: Request) -> Response:
    """The archive of a version, for its owner."""
    site = site_of(request)
    if site.reception is None:
        raise Refused(404, Reason.of("uploads_off"))
    upload = await _owned(request, site)
    response = archive_response(await site.ask(site.reception.archive, upload), upload.label)
    response.headers.update(NOT_KEPT)
    return response


async def _owned(request: Request, site: Site, *, logs: bool = False) -> Upload:
    """The upload of an address, if the form's key belongs to its bot.

    Raises:
        HTTPException: 403, it is not.
    """
    upload = await site.ask(_get, site, request.path_params["number"], logs)
    await check_key(request, site, upload.bot)
    return upload


async def check_key(request: Request, site: Site, bot: str) -> None:
    """Refuse a request whose form has no key of this bot.

    Raises:
        HTTPException: 403.
    """
    form = await read_form(request)
    token_hash = await site.ask(site.database.bots.token_hash, bot)
    site.owner_keys.check(bot, form.get("key", ""), token_hash)


def _get(site: Site, number: int, logs: bool) -> Upload:
    return site.database.uploads.get(number, logs=logs)


ROUTES = [
    Route("/uploads/{number:count}/match", match, methods=["POST"]),
    Route("/uploads/{number:count}/archive", archive, methods=["POST"]),
]
