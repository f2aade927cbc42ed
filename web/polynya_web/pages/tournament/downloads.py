"""Downloads of a tournament: its replays in one file, its report and its bundle."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from io import RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from polynya_common.errors import NotInStoreError
from polynya_common.file_names import file_stems
from polynya_common.reasons import Reason
from polynya_store import MatchFilter, MatchRow
from polynya_web.http.parameters import named
from polynya_web.http.requests import Refused
from polynya_web.http.responses import StreamedBytes
from polynya_web.site import Site, site_of

if TYPE_CHECKING:
    from typing_extensions import Buffer

MAX_REPLAYS = 60_000
"""A ZIP file without extensions has no more than 65,535 files."""
AT_ONCE = 50

REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "frame-ancestors 'none'; sandbox allow-downloads allow-popups"
)
"""A report has its style and its pictures in it, and no scripts."""


async def replays(request: Request) -> Response:
    """All replays of a tournament whose results may be shown, as one ZIP file.

    Raises:
        HTTPException: 403, they are hidden; 404, there are too many; 503, others download just now.
    """
    site, name = site_of(request), named(request.path_params["name"])
    terms = await site.ask(site.database.tournaments.terms, name)
    if terms.hidden:
        raise Refused(403, Reason.of("results_hidden"))
    played = (await site.ask(site.database.tournaments.public_progress, name)).played
    if played > MAX_REPLAYS:
        raise Refused(404, Reason.of("too_many_replays", count=played))
    if site.downloading.available_tokens == 0:
        raise Refused(503, Reason.of("replays_busy"))
    return StreamedBytes(
        _zipped(site, name), "application/zip", _saved_as(f"{_stem(name)}-replays.zip")
    )


async def _zipped(site: Site, tournament: str) -> AsyncGenerator[bytes]:
    """Write the file piece by piece, with one replay in memory at a time."""
    sink = _Sink()
    async with site.downloading:
        with ZipFile(sink, "w", ZIP_DEFLATED, compresslevel=6) as archive:
            async with aclosing(_ended(site, tournament)) as rows:
                async for row in rows:
                    try:
                        document = await site.ask(site.database.matches.public_replay, row.match)
                    except NotInStoreError:  # a result alone was imported, or it was removed
                        continue
                    entry = f"{file_stems([row.match])[row.match]}.replay"
                    await site.ask(archive.writestr, entry, document)
                    yield sink.taken()
        yield sink.taken()


async def _ended(site: Site, tournament: str) -> AsyncGenerator[MatchRow]:
    """The matches of a tournament whose results may be shown."""
    wanted, older = MatchFilter(tournament=tournament, in_play=False), None
    while True:
        page = await site.ask(site.database.matches.page, wanted, older_than=older, size=AT_ONCE)
        for row in page.rows:
            if not (row.hidden or row.kept_back):
                yield row
        older = page.older
        if older is None:
            return


class _Sink(RawIOBase):
    """A write-only file whose written bytes can be taken."""

    def __init__(self) -> None:
        super().__init__()
        self._parts: list[bytes] = []

    def write(self, data: Buffer) -> int:
        """Keep bytes until they are taken."""
        self._parts.append(bytes(data))
        return len(self._parts[-1])

    def taken(self) -> bytes:
        """All bytes that were written since the last time."""
        parts, self._parts = self._parts, []
        return b"".join(parts)


async def report(request: Request) -> Response:
    """The report that the host has published, as a page."""
    path = await _published(request, ".html")
    return FileResponse(
        path,
        media_type="text/html",
        headers={"cache-control": "no-cache", "content-security-policy": REPORT_POLICY},
    )


async def bundle(request: Request) -> Response:
    """The bundle that the host has published."""
    path = await _published(request, ".zip")
    headers = {"cache-control": "no-cache", **_saved_as(path.name)}
    return FileResponse(path, media_type="application/zip", headers=headers)


async def _published(request: Request, suffix: str) -> Path:
    """A file from the host's folder of reports.

    Raises:
        HTTPException: 403, the results are hidden; 404, there is none.
    """
    site, name = site_of(request), named(request.path_params["name"])
    terms = await site.ask(site.database.tournaments.terms, name)
    if terms.hidden or terms.frozen:
        raise Refused(403, Reason.of("results_hidden"))
    path = published(site, name, suffix)
    if path is None:
        raise Refused(404, Reason.of("no_such_publication"))
    return path


def published(site: Site, tournament: str, suffix: str) -> Path | None:
    """The host's file ``TOURNAMENT.html`` or ``.zip``; None if there is none."""
    if not site.settings.reports:
        return None
    path = Path(site.settings.reports) / f"{tournament}{suffix}"
    return path if path.name == f"{tournament}{suffix}" and path.is_file() else None


def _stem(name: str) -> str:
    kept = "-_."
    return "".join(
        char if char.isascii() and (char.isalnum() or char in kept) else "-" for char in name
    )


def _saved_as(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{_stem(name)}"'}


ROUTES = [
    Route("/tournaments/{name}/replays.zip", replays),
    Route("/tournaments/{name}/report.html", report),
    Route("/tournaments/{name}/bundle.zip", bundle),
]
