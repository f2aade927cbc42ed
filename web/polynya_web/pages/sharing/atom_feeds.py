"""Feeds of the last results of a bot and of a tournament, in the Atom format (RFC 4287)."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_protocol.errors import printable
from polynya_store import MatchFilter, MatchRow
from polynya_web.content.texts import Texts, texts_for
from polynya_web.http.parameters import named, segment
from polynya_web.pages.rendering import iso_moment, root
from polynya_web.site import site_of

LAST = 30
"""How many results a feed has."""
_ATOM = "http://www.w3.org/2005/Atom"
_NEVER = "1970-01-01T00:00:00Z"


async def of_bot(request: Request) -> Response:
    """The last results of a bot."""
    site, name = site_of(request), named(request.path_params["name"])
    await site.ask(site.database.bots.get, name)
    return await _feed(
        request, name, MatchFilter(bot=name, in_play=False), f"/bots/{segment(name)}"
    )


async def of_tournament(request: Request) -> Response:
    """The last results of a tournament."""
    site, name = site_of(request), named(request.path_params["name"])
    await site.ask(site.database.tournaments.terms, name)
    wanted = MatchFilter(tournament=name, in_play=False)
    return await _feed(request, name, wanted, f"/tournaments/{segment(name)}")


async def _feed(request: Request, title: str, wanted: MatchFilter, page: str) -> Response:
    site = site_of(request)
    rows = (await site.ask(site.database.matches.page, wanted, size=LAST)).rows
    document = _document(title, root(request), page, rows, texts_for(request))
    headers = {"cache-control": "public, max-age=60", "vary": "Accept-Language, Cookie"}
    return Response(document, media_type="application/atom+xml", headers=headers)


def _document(title: str, site_root: str, page: str, rows: Sequence[MatchRow], t: Texts) -> bytes:
    feed = ET.Element("feed", xmlns=_ATOM)
    _add(feed, "id", site_root + page)
    _add(feed, "title", f"{printable(title)} · {t('site.name')}")
    _add(feed, "updated", _updated(rows[0]) if rows else _NEVER)
    ET.SubElement(feed, "link", href=site_root + page)
    ET.SubElement(feed, "link", rel="self", href=f"{site_root}{page}/feed.atom")
    for row in rows:
        address = f"{site_root}/matches/{segment(row.match)}"
        entry = ET.SubElement(feed, "entry")
        _add(entry, "id", address)
        _add(entry, "title", _sentence(row, t))
        _add(entry, "updated", _updated(row))
        _add(ET.SubElement(entry, "author"), "name", t("site.name"))
        ET.SubElement(entry, "link", href=address)
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True))


def _updated(row: MatchRow) -> str:
    """When a match ended; its beginning while its result is hidden."""
    return iso_moment(row.finished_ms or row.started_ms)


def _sentence(row: MatchRow, t: Texts) -> str:
    """The bots of a match in the order of their ranks, and how it ended."""
    if row.hidden:
        return f"{', '.join(printable(seat.name) for seat in row.seats)}: {t('result.hidden')}"
    placed = sorted(row.seats, key=lambda seat: seat.rank or len(row.seats))
    names = ", ".join(
        f"{seat.rank}. {printable(seat.name)}" if seat.rank else printable(seat.name)
        for seat in placed
    )
    return f"{names} ({t.word('result', row.reason)})"


def _add(above: ET.Element, name: str, text: str) -> None:
    ET.SubElement(above, name).text = text


ROUTES = [
    Route("/bots/{name}/feed.atom", of_bot),
    Route("/tournaments/{name}/feed.atom", of_tournament),
]
