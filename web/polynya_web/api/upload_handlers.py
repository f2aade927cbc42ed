"""The functions that answer the API's questions about uploads, and take them."""

from __future__ import annotations

from typing import Final

import trio
from starlette.exceptions import HTTPException
from starlette.requests import Request

from polynya_tournaments.store import Store
from polynya_tournaments.store.bots.upload_rows import State, Upload
from polynya_tournaments.uploads.errors import UploadError
from polynya_web.api.query import Query
from polynya_web.content.match_types import Value
from polynya_web.content.path_segments import named
from polynya_web.http.uploaded_file import uploaded_file
from polynya_web.site import Site, site_of

FIELD: Final = "archive"
_BEARER: Final = "bearer "


class VersionView(Value, frozen=True):
    """A version of a bot that its author handed in.

    Attributes:
        bot, version, language, games: what its manifest says.
        sha256: of its archive, in hexadecimal.
        uploaded_ms: when it came, in ms since 1970.
        state: how far it is.
        plays: whether its bot plays this version.
        detail: why it was refused or disabled; for its owner only.
        build_log: what building it printed; for its owner only.
    """

    bot: str
    version: str
    language: str
    games: list[str]
    sha256: str
    uploaded_ms: int
    state: State
    plays: bool
    detail: str | None = None
    build_log: str | None = None


async def upload_version(request: Request, _query: Query) -> VersionView:
    """Hand in a version of a bot: a ZIP or tar.gz file with a ``polynya.toml`` at its top.

    The bot's token comes in the header ``Authorization: Bearer TOKEN``, the file in the field
    ``archive``. The answer comes when the archive is checked, kept and recorded; then the version
    is built and validated. The same archive twice is one version.
    """
    site, bot = site_of(request), named(request.path_params["bot"])
    reception = site.reception
    if reception is None:
        raise HTTPException(404, "this server takes no uploads; its host starts it with --uploads")
    await _check_owner(request, site, bot)
    async with uploaded_file(request, FIELD, reception.limits.packed_bytes) as archive:
        try:
            upload = await trio.to_thread.run_sync(
                reception.receive, bot, archive, limiter=site.receiving
            )
        except UploadError as error:
            raise HTTPException(400, str(error)) from error
        except OSError as error:
            raise HTTPException(503, f"the upload cannot be kept: {error.strerror}") from error
    return _view(upload, owned=True)


async def versions(request: Request, _query: Query) -> list[VersionView]:
    """The versions of a bot that its author handed in, the latest first.

    With the header ``Authorization: Bearer TOKEN`` also what only its owner may see.
    """
    site, bot = site_of(request), named(request.path_params["bot"])
    owned = "authorization" in request.headers
    if owned:
        await _check_owner(request, site, bot)
    found = await site.ask(_versions, site.database, bot, owned)
    return [_view(upload, owned=owned) for upload in found]


def _versions(store: Store, bot: str, logs: bool) -> list[Upload]:
    store.bots.get(bot)  # or there is no such bot
    return store.uploads.of_bot(bot, logs=logs)


async def _check_owner(request: Request, site: Site, bot: str) -> None:
    """Check the token of a request.

    Raises:
        HTTPException: 401, there is none; 403 or 429, it is not this bot's.
    """
    given = request.headers.get("authorization", "")
    if not given.lower().startswith(_BEARER):
        raise HTTPException(
            401,
            "send the bot's token in the header Authorization: Bearer TOKEN",
            {"www-authenticate": "Bearer"},
        )
    token_hash = await site.ask(site.database.bots.token_hash, bot)
    site.attempts.check_bot(request, bot, given[len(_BEARER) :].strip(), token_hash)


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
        detail=upload.detail if owned else None,
        build_log=upload.build_log if owned else None,
    )
