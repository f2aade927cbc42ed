"""Matches: lists of them, the page of each, and its viewer alone for other sites to frame."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from itertools import count, takewhile

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_common.errors import NotInStoreError, TournamentError
from polynya_common.reasons import Cause, Reason, cause_of
from polynya_conformance.replay.text_form import TEXT_SUFFIX, as_text
from polynya_conformance.replay.verify import parse_replay
from polynya_games import UnknownGame, installed, load
from polynya_protocol.errors import printable
from polynya_store import MatchFilter, MatchRow, why_not_seen
from polynya_store.matches.deals import PublicDeal, may_have_deal
from polynya_web.content.contest_names import game_title
from polynya_web.content.front.surroundings import surroundings
from polynya_web.content.match_types import MatchView
from polynya_web.content.result_sentences import result_sentences
from polynya_web.content.seats.seat_choice import choices, has_views
from polynya_web.content.texts import HOWTO, Texts, texts_for
from polynya_web.http.parameters import parameter
from polynya_web.http.requests import Refused
from polynya_web.http.security_headers import CONTENT_SECURITY_POLICY
from polynya_web.live.live_match import view_in_play
from polynya_web.pages.rendering import page
from polynya_web.site import Site, site_of

STATES = {"in_play": True, "ended": False}
"""The choices of the parameter ``state``, as the filter has them."""


async def matches(request: Request) -> Response:
    """A page of the list, from the newest match, or from the place ``older`` or ``newer``."""
    site = site_of(request)
    wanted = MatchFilter(
        game=parameter(request, "game"),
        bot=parameter(request, "bot"),
        opponent=parameter(request, "opponent") if parameter(request, "bot") else None,
        tournament=parameter(request, "tournament"),
        in_play=STATES.get(parameter(request, "state") or ""),
    )
    found = await site.ask(
        site.database.matches.page,
        wanted,
        newer_than=parameter(request, "newer"),
        older_than=parameter(request, "older"),
    )
    total = None
    if wanted.bot is not None and wanted.opponent is not None:
        total = await site.ask(site.database.profiles.head_to_head, wanted.bot, wanted.opponent)
    return page(
        request,
        "matches.html",
        total=total,
        section="matches",
        found=found,
        wanted=wanted,
        games=sorted(installed()),
        state=parameter(request, "state"),
    )


WORDS = ("board.", "forfeit.", "number.", "projector.", "result.", "viewer.")
"""The texts that the viewer's scripts need."""


OPENED = "/replay/frames"


async def match(request: Request) -> Response:
    """The page of a match, with its viewer."""
    return await match_page(request, "match.html")


async def match_page(
    request: Request, template: str, headers: Mapping[str, str] | None = None
) -> Response:
    """A page with the viewer of the match that the path names."""
    site = site_of(request)
    row, view = await find_match(site, request.path_params["match"])
    texts = texts_for(request)
    around = None
    if site.store is not None and row is not None:
        around = await surroundings(site.ask, site.store, site.tournament_cache, row, texts)
    views, choice = await _views(request, site, row, view)
    return page(
        request,
        template,
        headers=headers,
        around=around,
        views=views,
        choice=choice,
        deal=await _deal(site, row),
        howto=howto(view.game, texts),
        section="live" if view.in_play else "matches",
        match=view,
        ending=row or view,
        hidden=row is not None and row.hidden,
        unseen=_is_unseen(row),
        why=None if row is None else row.why,
        data={
            "match": view.match,
            "seat": choice,
            "in_play": view.in_play,
            "hidden": row is not None and row.hidden,
            "kept_back": _is_unseen(row),
            "deal_comes_again": row is not None and row.unwatched,
        },
        title=game_title(view.game),
        names=", ".join(printable(seat.name) for seat in view.seats),
        board=view.game if f"boards/{view.game}.js" in site.assets else "plain",
        sentences=result_sentences(view, texts),
        detail=first_detail(view),
        words=viewer_words(texts, view.game),
    )


async def _views(
    request: Request, site: Site, row: MatchRow | None, view: MatchView
) -> tuple[list[str], str | None]:
    """The views that a reader may choose beside the whole truth, and the chosen one."""
    if row is None or view.in_play or _is_unseen(row) or not has_views(view.game):
        return [], None
    if not await site.replay_cache.differs_by_seat(row.match):
        return [], None
    offered, wanted = choices(len(view.seats)), parameter(request, "seat")
    return offered, wanted if wanted in offered else None


async def _deal(site: Site, row: MatchRow | None) -> PublicDeal | None:
    """The deal of a match that all may see; None without one."""
    if site.store is None or row is None or why_not_seen(row) is not None:
        return None
    if not may_have_deal(row.game):
        return None
    found: PublicDeal | None = await site.ask(site.store.matches.public_deal, row.match)
    return found


def _is_unseen(row: MatchRow | None) -> bool:
    """Whether a match cannot be seen yet: it is over, or said to be, or its deal comes again."""
    if row is None or (row.reason is None and not row.unwatched):
        return False
    return why_not_seen(row) is not None


def howto(game: str, t: Texts) -> list[str]:
    """How a spectator reads a game's board, paragraph by paragraph; empty without such texts."""
    keys = (f"board.{game}{HOWTO}{number}" for number in count(1))
    return [t(key) for key in takewhile(t.__contains__, keys)]


async def find_match(site: Site, name: str) -> tuple[MatchRow | None, MatchView]:
    """A match with its row in the database; while it is in play there may be none.

    Raises:
        HTTPException: 404, there is no such match.
    """
    row = await _row(site, name)
    return row, await _view(site, name, row)


def viewer_words(texts: Texts, *games: str) -> dict[str, str]:
    """The texts and reasons that the viewer's scripts need for matches of these games."""
    return texts.starting(*WORDS) | texts.reasons("match", "replay") | texts.refusals(*games)


def first_detail(match: MatchView) -> Cause | None:
    """Why the first seat forfeited; a timeout has its times in the sentence."""
    forfeits = (one for one in match.forfeits or () if one.reason != "timeout")
    first = next(forfeits, match)
    return first.detail_cause or first.detail


async def _row(site: Site, name: str) -> MatchRow | None:
    if site.store is None:
        return None
    try:
        return await site.ask(site.store.matches.get_public, name)
    except NotInStoreError:
        return None


async def _view(site: Site, name: str, row: MatchRow | None) -> MatchView:
    if row is not None:
        return await site.replay_cache.view_of(row)
    in_play = site.servers.match(name)
    if in_play is None:
        raise Refused(404, Reason.of("no_match", match=name))
    return view_in_play(in_play, None)


async def download(request: Request) -> Response:
    """Download the recorded replay, a msgpack document."""
    match, document = await _recorded(request)
    return as_file(document, "application/vnd.msgpack", match, ".replay")


async def download_text(request: Request) -> Response:
    """Download the text form of a match."""
    match, document = await _recorded(request)
    try:
        record = parse_replay(document, f"the replay of {match}")
        place = site_of(request).background.of_game(load(record.setup.game))
        text = await place.once(partial(as_text, record))
    except UnknownGame as error:
        why = Reason.of("match_not_as_text", match=match, why=cause_of(error))
        raise Refused(404, why) from error
    except (TournamentError, ValueError) as error:
        raise Refused(404, cause_of(error)) from error
    return as_file(text.encode(), "text/plain", match, TEXT_SUFFIX)


async def _recorded(request: Request) -> tuple[str, bytes]:
    """The id and the replay of a match whose result may be shown."""
    site = site_of(request)
    row = await site.ask(site.database.matches.get_public, request.path_params["match"])
    refuse_unrecorded(row.match, row)
    return row.match, await site.ask(site.database.matches.public_replay, row.match)


def refuse_unrecorded(match: str, row: MatchRow | None) -> None:
    """Refuse a replay that is not written, or not public yet.

    Raises:
        HTTPException: 404 or 403.
    """
    if row is None or row.reason is None:
        raise Refused(404, Reason.of("match_in_play", match=match))
    why = why_not_seen(row)
    if why is not None:
        raise Refused(403, why)


def as_file(content: bytes, media_type: str, match: str, suffix: str) -> Response:
    """A download that is named after a match."""
    name = "".join(char if char.isascii() and char.isalnum() else "-" for char in match)
    headers = {"content-disposition": f'attachment; filename="{name}{suffix}"'}
    return Response(content, media_type=media_type, headers=headers)


async def replay(request: Request) -> Response:
    """The viewer of the opened match, or an empty one for a replay file."""
    words = viewer_words(texts_for(request), *installed())
    opened = request.app.state.opened
    data = (
        None
        if opened is None
        else {"frames": site_of(request).settings.base + OPENED, "name": opened.setup.match}
    )
    return page(request, "replay.html", section="replay", words=words, data=data)


async def opened_frames(request: Request) -> Response:
    """The match that was opened, with all its positions."""
    opened = request.app.state.opened
    if opened is None:
        raise Refused(404, Reason.of("no_replay_opened"))
    try:
        shown = await site_of(request).replay_cache.show(opened)
    except ValueError as error:
        raise Refused(400, Reason.of("replay_not_shown", why=cause_of(error))) from error
    return Response(shown, media_type="application/json")


FRAMED_POLICY = CONTENT_SECURITY_POLICY.replace("frame-ancestors 'none'", "frame-ancestors *")
"""The page has no form and no button that changes anything, so any site may frame it."""


async def embed(request: Request) -> Response:
    """The viewer of a match, to be framed."""
    return await match_page(
        request, "sharing/embed.html", {"content-security-policy": FRAMED_POLICY}
    )


ROUTES = [
    Route("/matches", matches),
    Route("/matches/{match}", match),
    Route("/matches/{match}/replay", download),
    Route("/matches/{match}/text", download_text),
    Route("/replay", replay),
    Route(OPENED, opened_frames),
    Route("/embed/matches/{match}", embed),
]
