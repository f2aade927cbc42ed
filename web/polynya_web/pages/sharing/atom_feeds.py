"""Feeds of the last results of a bot and of a tournament, in the Atom format (RFC 4287)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_protocol.errors import printable
from polynya_store import MatchFilter, MatchRow
from polynya_store.recorded_secret import PublicSecret
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
    """The last results of a tournament, and the commitments to its secrets."""
    site, name = site_of(request), named(request.path_params["name"])
    terms = await site.ask(site.database.tournaments.terms, name)
    wanted = MatchFilter(tournament=name, in_play=False)
    return await _feed(request, name, wanted, f"/tournaments/{segment(name)}", terms.secrets)


async def _feed(
    request: Request,
    title: str,
    wanted: MatchFilter,
    page: str,
    secrets: Sequence[PublicSecret] = (),
) -> Response:
    site, t = site_of(request), texts_for(request)
    address = root(request) + page
    rows = (await site.ask(site.database.matches.page, wanted, size=LAST)).rows
    results = [
        _Entry(f"{root(request)}/matches/{segment(row.match)}", _sentence(row, t), _ended_ms(row))
        for row in rows
    ]
    commitments = [
        _Entry(
            f"{address}#{one.commitment}",
            f"{t('secret.commitment')}: {one.commitment}",
            one.made_ms,
        )
        for one in secrets
    ]
    document = _document(title, address, [*results, *commitments], t)
    headers = {"cache-control": "public, max-age=60", "vary": "Accept-Language, Cookie"}
    return Response(document, media_type="application/atom+xml", headers=headers)


class _Entry(NamedTuple):
    """An entry: its address, its title, and when it came, ms since 1970."""

    address: str
    title: str
    at_ms: int


def _document(title: str, page: str, entries: Sequence[_Entry], t: Texts) -> bytes:
    feed = ET.Element("feed", xmlns=_ATOM)
    _add(feed, "id", page)
    _add(feed, "title", f"{printable(title)} · {t('site.name')}")
    _add(feed, "updated", iso_moment(entries[0].at_ms) if entries else _NEVER)
    ET.SubElement(feed, "link", href=page)
    ET.SubElement(feed, "link", rel="self", href=f"{page}/feed.atom")
    for one in entries:
        entry = ET.SubElement(feed, "entry")
        _add(entry, "id", one.address)
        _add(entry, "title", one.title)
        _add(entry, "updated", iso_moment(one.at_ms))
        _add(ET.SubElement(entry, "author"), "name", t("site.name"))
        ET.SubElement(entry, "link", href=one.address)
    return bytes(ET.tostring(feed, encoding="utf-8", xml_declaration=True))


def _ended_ms(row: MatchRow) -> int:
    """When a match ended; its beginning while its result is hidden."""
    return row.finished_ms or row.started_ms


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
