"""The functions that answer the API: of the request and its checked parameters."""

from __future__ import annotations

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from polynya_common.errors import TournamentError
from polynya_common.reasons import Reason, cause_of, reason_of
from polynya_games import installed, load
from polynya_store import BotRow, MatchFilter
from polynya_store.matches.deals import PublicDeal
from polynya_store.recorded_secret import PublicSecret
from polynya_tournaments.tournament.status import TournamentStatus, status_of
from polynya_web.api.list_types import (
    BotList,
    BotProfile,
    BotView,
    GameView,
    Ladder,
    LadderAnalysis,
    MatchList,
    OptionView,
    Schedule,
    TournamentList,
)
from polynya_web.api.owners import check_owner
from polynya_web.api.query import (
    AnalysisQuery,
    Following,
    FramesQuery,
    MatchesQuery,
    Paged,
    Pinned,
    Query,
    RatingsQuery,
)
from polynya_web.content.live_types import OverEvent
from polynya_web.content.match_types import MatchView
from polynya_web.content.match_views import view_of_row
from polynya_web.content.pool_analyses import choose
from polynya_web.content.seats.seat_choice import seat_choices
from polynya_web.http.parameters import named, pool_of_path, selection_of_path
from polynya_web.http.request_body import read_body
from polynya_web.http.requests import Refused
from polynya_web.http.responses import NOT_KEPT, replay_response
from polynya_web.live.feeds import EventStream, Feed, event, events_until_now
from polynya_web.live.live_hub import LiveHub
from polynya_web.live.television import Pin
from polynya_web.site import Site, site_of

MAX_REPLAY_BYTES = 4 * 1024 * 1024
REPLAY_S = 120.0
"""How long a replay may take to arrive."""
JSON = "application/json"


async def games(_request: Request, _query: Query) -> list[GameView]:
    """The games that are installed."""
    return [
        GameView(
            name=game.name,
            title=game.title,
            min_players=game.min_players,
            max_players=game.max_players,
            options=[
                OptionView(name=one.name, default=one.default, description=one.description)
                for one in game.options
            ],
        )
        for game in map(load, installed())
    ]


async def matches(request: Request, query: MatchesQuery) -> MatchList:
    """Matches, page by page, those that were begun last first."""
    site = site_of(request)
    wanted = MatchFilter(
        game=query.game,
        bot=query.bot or query.opponent,
        opponent=query.opponent if query.bot else None,
        tournament=query.tournament,
        in_play=None if query.state == "any" else query.state == "in_play",
    )
    found = await site.ask(
        site.database.matches.page,
        wanted,
        newer_than=None if query.older else query.newer,
        older_than=query.older,
        size=query.size,
    )
    return MatchList(
        matches=[view_of_row(row) for row in found.rows], older=found.older, newer=found.newer
    )


async def match(request: Request, _query: Query) -> MatchView:
    """One match."""
    site, name = site_of(request), request.path_params["match"]
    row = await site.ask(site.database.matches.get_public, name)
    return await site.replay_cache.view_of(row)


async def deal(request: Request, _query: Query) -> PublicDeal | None:
    """The deal of a match that is over, with the secret that it follows from once that is out.

    Also of an attempt that a crash ended; null in a game without hidden chance.
    """
    site, name = site_of(request), request.path_params["match"]
    found: PublicDeal | None = await site.ask(site.database.matches.public_deal, name)
    return found


async def frames(request: Request, query: FramesQuery) -> Response:
    """A match that is over, with all its positions and times; all of it, or as one seat knew it.

    While its tournament keeps a match back, the header ``Authorization: Bearer TOKEN`` with the
    token of the bot at ``seat`` gives what this seat knew at each turn, once all matches with the
    same deal are over.
    """
    site, match = site_of(request), request.path_params["match"]
    if query.seat is not None and "authorization" in request.headers:
        row = await site.ask(site.database.matches.get_public, match)
        if row.kept_back and query.seat in seat_choices(len(row.seats)):
            seat = int(query.seat)
            await check_owner(request, site, row.seats[seat].name)
            own = site.replay_cache.own_replay(match, seat)
            return await replay_response(match, own, NOT_KEPT)
    return await replay_response(match, site.replay_cache.replay(match, query.seat))


async def frames_of_file(request: Request, _query: Query) -> Response:
    """A replay document, as ``polynya replay export`` writes it, with all its positions.

    The text form of a match (``--text``) is taken, too. Nothing of it is kept.
    """
    document = await read_body(request, MAX_REPLAY_BYTES, REPLAY_S)
    try:
        shown = await site_of(request).replay_cache.show_document(document)
    except TournamentError as error:
        raise Refused(400, cause_of(error)) from error
    except (ValueError, RecursionError) as error:
        raise Refused(400, Reason.of("replay_not_shown", why=cause_of(error))) from error
    return Response(shown, media_type=JSON)


async def live(request: Request, query: Following) -> Response:
    """The matches in play, as server-sent events.

    First ``matches``, a list of ``LiveMatch``, again whenever this viewer has fallen behind; then
    ``begun`` (``LiveMatch``), ``turn`` (``LiveTurn``) and ``over`` (``LiveOver``). Up to 16 matches
    have their boards with them.
    """
    return _events(request, query, await _hub(request).matches())


async def television(request: Request, query: Pinned) -> Response:
    """One match after the other, the most interesting one in play, as server-sent events.

    First ``featured`` (``Featured``), and then the events of that match as of ``/live/{match}``,
    whose ``over`` is followed by ``waiting`` (``Waiting``) and the next match. Also ``waiting``
    while none is in play. The strongest and most equal bots with the closest score come first.
    With ``tournament`` or ``game`` only matches of these are shown.
    """
    return EventStream(_hub(request).television(Pin(query.tournament, query.game)).follow())


async def live_match(request: Request, query: Following) -> Response:
    """A match as server-sent events; a match that is over is shown at once.

    First ``replay`` (``Replay``), again whenever this viewer has fallen behind; then ``turn``
    (``TurnEvent``), ``forfeit`` (``ForfeitEvent``) and at last ``over`` (``OverEvent``).
    """
    name = request.path_params["match"]
    try:
        feed = await _hub(request).match(name)
    except ValueError as error:
        why = Reason.of("replay_of_match_not_shown", match=name, why=cause_of(error))
        raise Refused(404, why) from error
    return _events(request, query, feed or await _over(site_of(request), name))


def _events(request: Request, query: Following, feed: Feed) -> Response:
    """A stream of a feed's events, or what has happened until now.

    A browser that connects again sends the last id in a header.
    """
    after = query.after or request.headers.get("last-event-id")
    return events_until_now(feed.missed(after)) if query.once else EventStream(feed.follow(after))


def _hub(request: Request) -> LiveHub:
    site = site_of(request)
    hub = site.hub
    if hub is None or not site.is_live:
        raise Refused(404, "nothing is played here: only a database is shown")
    if hub.is_full:
        raise Refused(503, Reason.of("too_many_viewers"))
    return hub


async def _over(site: Site, name: str) -> Feed:
    """The events of a match that is over: all of it, and that it is over."""
    response = await replay_response(name, site.replay_cache.replay(name))
    replay = msgspec.Raw(response.body)
    over = OverEvent(match=await site.replay_cache.view(name))
    shown = event("replay", replay) + event("over", over)
    feed = Feed(lambda: shown)
    feed.end()
    return feed


async def ratings(request: Request, query: RatingsQuery) -> Ladder:
    """A ladder, page by page, the best first; of several pools of the game that with most bots.

    Its order is that of the estimates from all recent results, computed once a minute at the most.
    """
    site = site_of(request)
    pool = await site.ask(site.database.ratings.largest_pool, *pool_of_path(request))
    estimates = await site.ladder_orders.of(site.database, pool)
    found = await site.ask(
        site.database.ladder.page, pool, estimates, page=query.page, size=query.size
    )
    return Ladder(**pool._asdict(), bots=found.bots, rows=list(found.rows))


async def analysis(request: Request, _query: AnalysisQuery) -> LadderAnalysis:
    """The strengths of a ladder's bots from all its results at once, or from a selection of them.

    Of more than 20,000 matches the last ones are taken, of more than 100 bots those with most
    matches. An analysis is kept for a while.
    """
    site = site_of(request)
    chosen = await site.ask(choose, site.database, *selection_of_path(request))
    selection, found = (
        chosen.selection,
        await site.pool_analyses.of(site.database, chosen.selection),
    )
    estimates = found.analysis
    return LadderAnalysis(
        game=selection.game or "",
        players=selection.players or 0,
        clock_class=selection.clock_class,
        variant=selection.variant,
        matches=found.matches,
        taken_ms=found.taken_ms,
        bots=[] if estimates is None else list(estimates.bots),
        draw_rate=None if estimates is None else estimates.draw_rate,
        without=str(found.without),
        without_cause=reason_of(found.without),
    )


async def bots(request: Request, query: Paged) -> BotList:
    """The bots by name, page by page."""
    site = site_of(request)
    rows = await site.ask(site.database.bots.all)
    first = (query.page - 1) * query.size
    shown = [_bot(row) for row in rows[first : first + query.size]]
    return BotList(total=len(rows), bots=shown)


def _bot(row: BotRow) -> BotView:
    return BotView(
        name=row.name,
        created_ms=row.created_ms,
        registered=row.registered,
        suspended=row.suspension is not None,
    )


async def bot(request: Request, _query: Query) -> BotProfile:
    """One bot: where it stands, and how often it has forfeited."""
    site, name = site_of(request), named(request.path_params["bot"])
    store = site.database
    estimates = await site.ladder_orders.of_all(store, await site.ask(store.ratings.pools))

    def asked() -> BotProfile:
        row = store.bots.get(name)
        return BotProfile(
            bot=_bot(row),
            places=store.profiles.places(name, estimates),
            forfeits=store.profiles.forfeits(name),
            interventions=store.interventions.all(name),
        )

    return await site.ask(asked)


async def tournaments(request: Request, _query: Query) -> TournamentList:
    """All tournaments."""
    site = site_of(request)
    return TournamentList(tournaments=await site.ask(site.database.tournaments.all))


async def tournament(request: Request, _query: Query) -> TournamentStatus:
    """The terms and the table of a tournament, as ``polynya tournament status --json`` gives them.

    While its results are hidden it says so, and gives the terms alone.
    """
    site = site_of(request)
    found = await site.tournament_cache.of(site.database, named(request.path_params["tournament"]))
    return status_of(found.standings, found.terms)


async def secrets(request: Request, _query: Query) -> list[PublicSecret]:
    """The commitments of ladders, month by month, and the secrets of those that are over.

    All set-ups of a month's ladder matches follow from its secret.
    """
    site = site_of(request)
    found: list[PublicSecret] = await site.ask(site.database.ladder.public_secrets)
    return found


async def schedule(request: Request, query: Paged) -> Schedule:
    """The matches that were drawn up for a tournament, page by page."""
    site, name = site_of(request), named(request.path_params["tournament"])
    rows = await site.ask(
        site.database.tournaments.schedule_page, name, page=query.page, size=query.size
    )
    return Schedule(tournament=name, rows=list(rows))
