"""The objects that all pages share: settings, database, game servers, caches, sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import trio
from starlette.requests import Request

from polynya_common.reasons import Reason
from polynya_server import Server
from polynya_server.http.budget import HttpBudget
from polynya_store import Store
from polynya_tournaments.ladder.operator_control import OperatorControl
from polynya_tournaments.uploads.reception import Reception
from polynya_web.content.background import BackgroundSlices, DatabaseThreads
from polynya_web.content.ladder_orders import LadderOrders
from polynya_web.content.pool_analyses import PoolAnalyses
from polynya_web.content.replay_cache import ReplayCache
from polynya_web.content.tournaments.tournament_cache import TournamentCache
from polynya_web.http.arriving_bodies import ArrivingBodies
from polynya_web.http.operator_sessions import OperatorSessions
from polynya_web.http.owner_keys import OwnerKeys
from polynya_web.http.requests import Refused
from polynya_web.http.static_assets import StaticAssets, read_assets
from polynya_web.http.wrong_tokens import TokenAttempts
from polynya_web.live.game_servers import LiveServers, LocalServers
from polynya_web.live.live_hub import LiveHub
from polynya_web.page_sources import PageSources
from polynya_web.pictures.card import PictureCache
from polynya_web.remote.remote_servers import RemoteServers
from polynya_web.settings import WebSettings

MOST_RECEIVED = 6
"""Uploads checked at the same time: each takes a process and the disk."""
MOST_DOWNLOADS = 2
"""Downloads of all replays of a tournament at the same time."""
PAGES_SHARE = 0.1
"""Share of the loop's time for pages and replays while matches are played."""


@dataclass(frozen=True, slots=True)
class Site:
    """Objects that exist once for all pages.

    Attributes:
        settings: of the web pages.
        store: the database; None where a single replay is shown.
        server: the game server of this process; None where only a database is looked at.
        servers: this one and those of the tournaments beside it, or else ``others``.
        others: all that play into the database; None beside a game server, and without a database.
        ask: calls a function in a thread, so that the loop of the game server never waits for it;
            for everything that asks the database::

                rows = await site.ask(site.database.ratings.find, game=game, players=players)

        background: the time for pages and replays.
        budget: the time for all that is asked for.
        replay_cache: the replays as the viewer wants them.
        hub: the viewers of matches in play; None where nothing is played.
        tournament_cache: what tournaments' pages say.
        pictures: cards for links to the pages.
        pool_analyses: strengths from all results of a ladder.
        ladder_orders: the estimates by which ladders are ordered.
        attempts: wrong tokens that were shown.
        sessions: the logins of the operator.
        owner_keys: what owners of bots act with.
        control: what the operator may do; None where there is nothing.
        assets: style, scripts and pictures.
        reception: takes uploads; None where there are none.
        game: the game that the server's bots play; None where that is open.
        bodies: of uploads that are arriving.
        receiving: bounds how many uploads are checked at the same time.
        downloading: bounds how many readers are sent all replays of a tournament at the same time.
    """

    settings: WebSettings
    store: Store | None
    server: Server | None
    servers: LiveServers
    others: RemoteServers | None
    ask: DatabaseThreads
    background: BackgroundSlices
    budget: HttpBudget
    replay_cache: ReplayCache
    hub: LiveHub | None
    tournament_cache: TournamentCache
    pictures: PictureCache
    pool_analyses: PoolAnalyses
    ladder_orders: LadderOrders
    attempts: TokenAttempts
    sessions: OperatorSessions
    owner_keys: OwnerKeys
    control: OperatorControl | None
    assets: StaticAssets
    reception: Reception | None
    game: str | None
    bodies: ArrivingBodies
    receiving: trio.CapacityLimiter
    downloading: trio.CapacityLimiter

    @property
    def is_live(self) -> bool:
        """Whether there is a game server whose matches can be followed."""
        return self.hub is not None and (self.others is None or self.others.is_live)

    @property
    def database(self) -> Store:
        """The database.

        Raises:
            HTTPException: 404, there is none here.
        """
        if self.store is None:
            raise Refused(404, Reason.of("no_database"))
        return self.store


def make_site(settings: WebSettings, sources: PageSources) -> Site:
    """Make the site of the given parts."""
    store, server, control = sources.store, sources.server, sources.control
    own = LocalServers(server, None if control is None else control.tournaments)
    budget = HttpBudget(lambda: own.in_play > 0)
    ask = DatabaseThreads(budget.spend)
    others = RemoteServers(store, ask) if store is not None and server is None else None
    servers: LiveServers = others or own
    background = BackgroundSlices(lambda: own.in_play > 0, PAGES_SHARE)
    replay_cache = ReplayCache(store, ask, background)
    plays = server is not None or others is not None
    hub = LiveHub(servers, store, ask, replay_cache, settings) if plays else None
    return Site(
        settings=settings,
        store=store,
        server=server,
        servers=servers,
        others=others,
        ask=ask,
        background=background,
        budget=budget,
        replay_cache=replay_cache,
        hub=hub,
        tournament_cache=TournamentCache(ask),
        pictures=PictureCache(ask, background),
        pool_analyses=PoolAnalyses(ask),
        ladder_orders=LadderOrders(ask),
        attempts=TokenAttempts(),
        sessions=OperatorSessions(),
        owner_keys=OwnerKeys(),
        control=control,
        assets=read_assets(),
        reception=sources.reception,
        game=sources.game,
        bodies=ArrivingBodies(),
        receiving=trio.CapacityLimiter(MOST_RECEIVED),
        downloading=trio.CapacityLimiter(MOST_DOWNLOADS),
    )


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    return cast("Site", request.app.state.site)
