"""Bots: the list, and a page for each; its token opens its log and its failures."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from polynya_games import installed
from polynya_hosting.bot_logs import last_lines, log_path
from polynya_server import ForfeitRecord, decode_replay
from polynya_store import (
    BotRow,
    Intervention,
    MatchFilter,
    MatchRow,
    Opponent,
    Place,
    Pool,
    Store,
    VersionRow,
)
from polynya_store.bots.bot_repository import BotState
from polynya_store.bots.upload_rows import Upload
from polynya_store.ladder.bot_records import BestRating, SeatResults
from polynya_store.matches.match_repository import ProcessRow
from polynya_web.content.front.overview import decided_of
from polynya_web.content.ladder_orders import Estimates
from polynya_web.content.texts import texts_for
from polynya_web.http.parameters import PoolWords, choice, named, parameter, pool_of_query
from polynya_web.http.request_body import read_form
from polynya_web.http.responses import NOT_KEPT
from polynya_web.live.game_servers import LocalServers
from polynya_web.pages.ladder import Line, rating_line
from polynya_web.pages.matches import viewer_words
from polynya_web.pages.owner_matches import kept_back
from polynya_web.pages.owner_uploads import Done, act_on_version
from polynya_web.pages.rendering import page
from polynya_web.site import Site, site_of

PAGE_SIZE = 100
STATES: tuple[BotState, ...] = ("registered", "suspended", "revoked")
MATCHES = 10
FAILURES = 10
PROCESSES = 20
OPPONENTS = 50
UPLOADS = 20
OFTEN = 3
"""Matches from which on results against an opponent say something."""
NAMED = 3
HALF = 0.5
POINTS = 250
"""Maximum number of points of a rating chart."""


@dataclass(frozen=True, slots=True)
class Achieved:
    """The record of a bot, for the head of its page.

    Attributes:
        place: on the ladder that is chosen; None without a rating.
        best: its best rating there.
        record: its results there, by seat.
        beats, loses_to: the opponents it does best and worst against, of those met often enough.
        in_play: what it plays now.
        gains: by how much each version's rating differs from the one before it, by their places
            in the list of versions; None for a first version.
    """

    place: Place | None
    best: BestRating | None
    record: Sequence[SeatResults]
    beats: Sequence[Opponent]
    loses_to: Sequence[Opponent]
    in_play: Sequence[MatchRow]
    gains: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Profile:
    """The public contents of a bot's page; ``chosen`` is the pool of its opponents."""

    bot: BotRow
    places: Sequence[Place]
    versions: Sequence[VersionRow]
    forfeits: dict[str, int]
    matches: Sequence[MatchRow]
    chosen: Pool | None
    opponents: Sequence[Opponent]
    line: Line | None
    interventions: Sequence[Intervention]
    uploads: Sequence[Upload]
    published: Collection[int]
    """The numbers of the uploads whose archives are for all."""
    achieved: Achieved


@dataclass(frozen=True, slots=True)
class Failure:
    """A forfeit with all that its record says."""

    match: str
    forfeit: ForfeitRecord


@dataclass(frozen=True, slots=True)
class Inside:
    """The contents for a bot's owner only.

    Attributes:
        log: the end of its log, if any.
        failures: its last ones.
        processes: what the host's processes of it used in its last matches, and how they ended.
        matches: those of the failures and processes, by id.
        uploads: its last ones with their logs, by their numbers.
        key: what the forms of the page act with.
        done: what came of the form before.
        kept_back: its last matches that only owners may see, each of them its own seats' view.
    """

    log: Sequence[str] | None
    failures: Sequence[Failure]
    processes: Sequence[ProcessRow]
    matches: Mapping[str, MatchRow]
    uploads: Mapping[int, Upload]
    key: str
    done: Done | None
    kept_back: Sequence[MatchRow]


async def bots(request: Request) -> Response:
    """All bots by name, or those whose name contains ``name``."""
    site = site_of(request)
    name, state = parameter(request, "name") or "", choice(request, "state", STATES)
    found = await site.ask(
        site.database.bots.page,
        name=name,
        state=state,
        before=parameter(request, "before"),
        after=parameter(request, "after"),
        size=PAGE_SIZE,
    )
    return page(
        request,
        "bots.html",
        section="bots",
        found=found,
        online={row.name for row in found.rows if _is_online(site, row.name)},
        wanted={"name": name, "state": state},
        states=STATES,
    )


async def bot(request: Request) -> Response:
    """A bot's page; by POST with its token also the owner's part."""
    site, name = site_of(request), named(request.path_params["name"])
    inside = await _inside(request, site, name) if request.method == "POST" else None
    store = site.database
    estimates = await site.ladder_orders.of_all(store, await site.ask(store.ratings.pools))
    found = await site.ask(_profile, site, name, pool_of_query(request), estimates)
    titles = await _titles(site, store, name)
    lines = [found.line] if found.line is not None and found.line.points else []
    texts = texts_for(request)
    response = page(
        request,
        "bot.html",
        section="bots",
        found=found,
        titles=titles,
        online=_is_online(site, name),
        inside=inside,
        lines=lines,
        takes_uploads=site.reception is not None and not found.bot.guest,
        data={"lines": lines},
        words=viewer_words(texts, *installed()),
        upload_words=texts.starting("number.", "viewer.result.and")
        | texts.reasons("match", "page", "replay", "upload"),
    )
    if inside is not None:
        response.headers.update(NOT_KEPT)
    return response


def _profile(
    site: Site, name: str, wanted: PoolWords | None, estimates: Mapping[Pool, Estimates]
) -> Profile:
    store = site.database
    bot_ = store.bots.get(name)
    uploads = store.uploads.of_bot(name)[:UPLOADS]
    places = store.profiles.places(name, estimates)
    most = max(places, key=lambda place: place.games, default=None)
    if wanted is not None:
        chosen: Pool | None = store.ratings.largest_pool(*wanted)
    else:
        chosen = most.pool if most else None
    versions = store.ratings.versions(bot=name)
    opponents = store.profiles.opponents(name, chosen) if chosen else []
    return Profile(
        achieved=_achieved(store, name, chosen, places, opponents, versions),
        bot=bot_,
        places=places,
        versions=versions,
        forfeits=store.profiles.forfeits(name),
        matches=store.matches.page(MatchFilter(bot=name), size=MATCHES).rows,
        chosen=chosen,
        opponents=opponents[:OPPONENTS],
        line=rating_line(store, name, chosen, POINTS) if chosen else None,
        interventions=store.interventions.all(name),
        uploads=uploads,
        published={one.number for one in uploads if _is_published(site, one)},
    )


def _achieved(
    store: Store,
    name: str,
    chosen: Pool | None,
    places: Sequence[Place],
    opponents: Sequence[Opponent],
    versions: Sequence[VersionRow],
) -> Achieved:
    met = [one for one in opponents if one.matches >= OFTEN]
    met.sort(key=_share, reverse=True)
    return Achieved(
        place=next((one for one in places if one.pool == chosen), None),
        best=store.profiles.best_rating(name, chosen) if chosen else None,
        record=store.profiles.record_by_seat(name, chosen) if chosen else (),
        beats=[one for one in met if _share(one) > HALF][:NAMED],
        loses_to=[one for one in met[::-1] if _share(one) < HALF][:NAMED],
        in_play=store.matches.page(MatchFilter(bot=name, in_play=True), size=NAMED).rows,
        gains=_gains(versions),
    )


def _share(opponent: Opponent) -> float:
    return (opponent.wins + opponent.draws / 2) / opponent.matches


def _gains(versions: Sequence[VersionRow]) -> list[float | None]:
    """The difference of each version to the one before it in the same pool."""
    last: dict[Pool, float] = {}
    found: list[float | None] = []
    for one in versions:
        before = last.get(one.pool)
        found.append(None if before is None else one.rating - before)
        last[one.pool] = one.rating
    return found


async def _titles(site: Site, store: Store, name: str) -> list[str]:
    """The tournaments that a bot has won, among those that it entered last."""
    found = []
    for tournament in await site.ask(store.profiles.tournaments, name):
        decided = decided_of(await site.tournament_cache.of(store, tournament))
        if decided is not None and name in decided.winners:
            found.append(tournament)
    return found


def _is_online(site: Site, name: str) -> bool | None:
    """Whether a bot is connected; None where these pages cannot know."""
    if not isinstance(site.servers, LocalServers):
        return None
    servers = list(site.servers)
    return any(name in server.connected for server in servers) if servers else None


def _is_published(site: Site, upload: Upload) -> bool:
    return site.reception is not None and site.reception.is_published(upload)


async def _inside(request: Request, site: Site, name: str) -> Inside:
    """The page for the owner.

    Raises:
        HTTPException: 403 or 429, the token is not this bot's, or the key is not.
    """
    form = await read_form(request)
    token_hash = await site.ask(site.database.bots.token_hash, name)
    done = None
    if "key" in form:
        site.owner_keys.check(name, form["key"], token_hash)
        done = await act_on_version(site, name, form)
    else:
        site.attempts.check_bot(request, name, form.get("token", ""), token_hash)
    key = form.get("key") or site.owner_keys.give(name, token_hash or b"")
    return await site.ask(_look_inside, site, name, key, done)


def _look_inside(site: Site, name: str, key: str, done: Done | None) -> Inside:
    store = site.database
    of_uploads = [] if site.reception is None else [site.reception.folder.logs]
    path = log_path([*store.tournaments.log_folders(name), *of_uploads], name)
    failures = [
        one for match in store.profiles.forfeited(name, FAILURES) for one in _of(store, match, name)
    ]
    processes = store.processes.of_bot(name, PROCESSES)
    shown = {one.match for one in failures} | {one.match for one in processes}
    last = store.uploads.of_bot(name)[:UPLOADS]
    return Inside(
        None if path is None else last_lines(path),
        failures,
        processes,
        {match: store.matches.get(match) for match in shown},
        {one.number: store.uploads.get(one.number, logs=True) for one in last},
        key,
        done,
        kept_back(store, name),
    )


def _of(store: Store, match: str, bot_: str) -> list[Failure]:
    record = decode_replay(store.matches.replay(match))
    seats = [seat for seat, name in enumerate(record.setup.players) if name == bot_]
    return [Failure(match, forfeit) for forfeit in record.forfeits if forfeit.seat in seats]


ROUTES = [
    Route("/bots", bots),
    Route("/bots/{name:path}", bot, methods=["GET", "POST"]),
]
