"""The functions that answer the API's questions about uploads, and take them."""

from __future__ import annotations

import ipaddress
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse

from polynya_common.errors import NotInStoreError, RunError, StoreError
from polynya_common.reasons import Reason, cause_of, reason_of
from polynya_server import HelloError
from polynya_server.rate_limit import network_of
from polynya_store import Store
from polynya_store.bots.upload_rows import Stage, State, Upload
from polynya_tournaments.uploads.errors import QuotaError, UploadError
from polynya_tournaments.uploads.reception import Reception
from polynya_tournaments.uploads.validation.validation_matches import match_text
from polynya_web.api.owners import check_owner
from polynya_web.api.query import Name, Query
from polynya_web.content.match_types import Value
from polynya_web.content.match_views import words
from polynya_web.http.arriving_bodies import Body
from polynya_web.http.parameters import named
from polynya_web.http.request_body import discard_body, read_form, uploaded_file
from polynya_web.http.requests import Refused, address_of
from polynya_web.http.responses import archive_response
from polynya_web.site import Site, site_of

FIELD: Final = "archive"
_STATUS: Final = {
    "bad_name": 400,
    "name_taken": 409,
    "rate_limited": 429,
    "shutting_down": 503,
    "unauthorized": 403,
}
"""The status codes for the words of the wire contract."""


class VersionsQuery(Query, frozen=True):
    """Of the list of versions."""

    version: Annotated[Name, msgspec.Meta(description="Only uploads of this version.")] | None = (
        None
    )
    log: Annotated[
        bool,
        msgspec.Meta(description="The latest upload with its log and its match."),
    ] = False


class VersionQuery(Query, frozen=True):
    """Of one version."""

    version: Annotated[Name, msgspec.Meta(description="The version.")]


class VersionView(Value, frozen=True):
    """A version of a bot that its author uploaded.

    Attributes:
        bot, version, language, games: what its manifest says.
        sha256: of its archive, in hexadecimal.
        uploaded_ms: when it came, in ms since 1970.
        state: how far it is.
        plays: whether its bot plays this version.
        again: how far building it again is; it may play what was built before.
        detail: why it was refused, disabled or removed; for its owner only.
        detail_cause: the same as a code with fields; null where there is only text.
        build_log: what building it printed; for its owner, where logs are asked for.
        match: the last match of its validation, as text; for its owner, where logs are asked for.
    """

    bot: str
    version: str
    language: str
    games: list[str]
    sha256: str
    uploaded_ms: int
    state: State
    plays: bool
    again: Stage | None = None
    detail: str | None = None
    detail_cause: Reason | None = None
    build_log: str | None = None
    match: str | None = None


class Registration(Value, frozen=True):
    """A name that was registered.

    Attributes:
        bot: the name.
        token: what proves it; it is told once.
    """

    bot: str
    token: str


async def register_bot(request: Request, _query: Query) -> Registration:
    """Register a new name, for an author who uploads a program before any bot has connected.

    The form has ``name``, and may have ``registration``: secret words with which the same name may
    be asked for again for ten minutes, if the answer is lost. Servers that take new names from bots
    take them here, within the same limits.
    """
    site = site_of(request)
    _reception(site)
    if site.server is None:
        raise Refused(404, Reason.of("names_registered_elsewhere"))
    form = await read_form(request)
    name, registration = form.get("name", ""), form.get("registration") or None
    try:
        token = await site.server.register(name, address_of(request), registration)
    except HelloError as error:
        raise Refused(_STATUS.get(error.code, 400), cause_of(error)) from error
    return Registration(bot=name, token=token)


async def upload_version(request: Request, _query: Query) -> VersionView:
    """Upload a version of a bot: a ZIP or tar.gz file with a ``polynya.toml`` at its top.

    The bot's token comes in the header ``Authorization: Bearer TOKEN``, the file in the field
    ``archive``. The answer comes when the archive is checked, kept and recorded; then the version
    is built and validated. The same archive twice is one version.
    """
    site, bot = site_of(request), named(request.path_params["bot"])
    reception = _reception(site)
    network = _network(address_of(request))
    try:
        try:
            await check_owner(request, site, bot)
            body = await site.bodies.begin(
                partial(site.ask, reception.gate.begin, bot, network), network
            )
        except (HTTPException, QuotaError):
            await discard_body(request, reception.limits.packed_bytes)
            raise
        try:
            upload = await _taken(request, site, reception, bot, network, body)
        finally:
            reception.gate.end(bot)
            site.bodies.end(body)
    except QuotaError as error:
        wait = {} if error.wait_s is None else {"retry-after": str(error.wait_s)}
        raise Refused(429, cause_of(error), wait) from error
    except UploadError as error:
        raise Refused(400, cause_of(error)) from error
    return _view(upload, owned=True)


async def _taken(
    request: Request,
    site: Site,
    reception: Reception,
    bot: str,
    network: str | None,
    body: Body,
) -> Upload:
    """The upload of a request that was let in."""
    async with uploaded_file(request, FIELD, reception.limits.packed_bytes, body) as archive:
        try:
            async with site.receiving:
                return await reception.take(bot, archive, network)
        except RunError as error:
            raise HTTPException(503, f"{error}: try again later") from error
        except OSError as error:
            raise Refused(503, Reason.of("upload_not_kept", why=error.strerror)) from error


async def versions(request: Request, query: VersionsQuery) -> list[VersionView]:
    """The versions of a bot that its author uploaded, the latest first.

    With the header ``Authorization: Bearer TOKEN`` also what only its owner may see. To follow one
    version, ask for it without ``log``.
    """
    site, bot = site_of(request), named(request.path_params["bot"])
    owned = "authorization" in request.headers
    if owned:
        await check_owner(request, site, bot)
    return await site.ask(_versions, site.database, bot, query, owned)


async def use_version(request: Request, query: VersionQuery) -> VersionView:
    """Let a bot play an accepted version, an older one too; its token comes as for an upload."""
    site, bot = site_of(request), named(request.path_params["bot"])
    await check_owner(request, site, bot)
    return _view(await site.ask(site.database.uploads.prefer, bot, query.version), owned=True)


async def remove_version(request: Request, query: VersionQuery) -> VersionView:
    """Keep nothing of a version but its name; a version of a tournament stays."""
    site, bot = site_of(request), named(request.path_params["bot"])
    await check_owner(request, site, bot)
    uploads = site.database.uploads
    try:
        await site.ask(uploads.remove, bot, query.version, Reason.of("owner_removed"))
    except NotInStoreError:
        raise
    except StoreError as error:
        raise Refused(409, cause_of(error)) from error
    return _view((await site.ask(uploads.of_bot, bot, query.version))[0], owned=True)


async def archive(request: Request, query: VersionQuery) -> FileResponse:
    """The archive of a version, for its owner; for all, if the host publishes what has played."""
    site, bot = site_of(request), named(request.path_params["bot"])
    reception = _reception(site)
    owned = "authorization" in request.headers
    if owned:
        await check_owner(request, site, bot)
    upload, path = await site.ask(_archive, site.database, reception, bot, query.version, owned)
    return archive_response(path, upload.label)


def _archive(
    store: Store, reception: Reception, bot: str, version: str, owned: bool
) -> tuple[Upload, Path]:
    store.bots.get(bot)  # or there is no such bot
    found = store.uploads.of_bot(bot, version)
    if not owned:
        found = [upload for upload in found if reception.is_published(upload)]
    if not found:
        raise NotInStoreError(Reason.of("no_such_archive", version=f"{bot}@{version}"))
    return found[0], reception.archive(found[0])


def _versions(store: Store, bot: str, query: VersionsQuery, owned: bool) -> list[VersionView]:
    store.bots.get(bot)  # or there is no such bot
    found = store.uploads.of_bot(bot, query.version)
    if owned and query.log:
        found[:1] = [store.uploads.get(upload.number, logs=True) for upload in found[:1]]
    return [_view(upload, owned=owned) for upload in found]


def _network(address: str) -> str | None:
    """The network of an address; None of this machine: what comes through a proxy is of many."""
    try:
        return None if ipaddress.ip_address(address).is_loopback else network_of(address)
    except ValueError:
        return None


def _reception(site: Site) -> Reception:
    if site.reception is None:
        raise Refused(404, Reason.of("uploads_off_host"))
    return site.reception


def _view(upload: Upload, *, owned: bool) -> VersionView:
    return VersionView(
        bot=upload.bot,
        version=upload.version,
        language=upload.language,
        games=list(upload.games),
        sha256=upload.sha256,
        uploaded_ms=upload.uploaded_ms,
        state=upload.state,
        plays=upload.plays,
        again=upload.again,
        detail=words(upload.detail) if owned else None,
        detail_cause=reason_of(upload.detail) if owned else None,
        build_log=upload.build_log if owned else None,
        match=match_text(upload.replay) if owned else None,
    )
