"""The live hub: one task that updates all viewers, and sleeps without any.

Its cost for the loop of the game server is bounded: frames are computed in background slices, and
after each sending the next one waits until sending takes ``SENDING_SHARE`` of the time. With more
viewers each sees updates less often, and matches are played as fast as without viewers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial

import trio

from polynya_common.errors import StoreError
from polynya_server.log import log
from polynya_store import MatchFilter, Store
from polynya_web.content.background import BackgroundSlices, DatabaseThreads
from polynya_web.content.match_types import MatchView
from polynya_web.content.replay_cache import ReplayCache
from polynya_web.live.feeds import Feed
from polynya_web.live.game_servers import LiveMatch, LiveServers
from polynya_web.live.live_match import WatchedMatch, view_in_play
from polynya_web.live.live_match_list import MAX_LISTED, LiveList
from polynya_web.live.television import Pin, Television
from polynya_web.settings import WebSettings

SHORTEST_PAUSE_S = 0.1
SENDING_S = 0.00015
SENDING_BYTE_S = 1e-8
"""The cost of sending to one viewer, and of each byte sent, in seconds."""
SENDING_SHARE = 0.02
FRAMES_SHARE = 0.02
AFTER_MISTAKE_S = 5
MAX_PINNED = 100
"""Number of televisions at which those without viewers are let go."""
EVERYTHING = Pin()
KEPT_S = 30
"""How long frames are kept after a match's last viewer has left."""


class LiveHub:
    """The live viewers of one site.

    Args:
        servers: the game servers whose matches they watch.
        store: for the tournaments of these matches; None for none.
        ask: the threads that read the store.
        replay_cache: for the results of these matches.
        settings: the number of viewers, and whether remarks of bots are shown.
    """

    def __init__(
        self,
        servers: LiveServers,
        store: Store | None,
        ask: DatabaseThreads,
        replay_cache: ReplayCache,
        settings: WebSettings,
    ) -> None:
        self._servers = servers
        self._store = store
        self._ask = ask
        self._replay_cache = replay_cache
        self._settings = settings
        self._background = background = BackgroundSlices(lambda: servers.in_play > 0, FRAMES_SHARE)
        self._list = LiveList(servers, self._tournaments, background)
        self._list.feed.on_viewer = self._wake
        self._televisions: dict[Pin, Television] = {}
        self._watched: dict[str, WatchedMatch] = {}
        self._opening = trio.Lock()
        self._wanted = trio.Event()
        self._closed = False

    @property
    def viewers(self) -> int:
        """The number of viewers."""
        watching = sum(one.feed.viewers for one in self._watched.values())
        idle = sum(one.idle for one in self._televisions.values())
        return self._list.feed.viewers + idle + watching

    @property
    def is_full(self) -> bool:
        """Whether there are as many viewers as the host allows, or the pages are being closed."""
        return self._closed or self.viewers >= self._settings.max_viewers

    async def matches(self) -> Feed:
        """The list of the matches in play."""
        if not self._list.feed.viewers:
            await self._servers.list_all()
            await self._list.advance()
        return self._list.feed

    async def match(self, name: str) -> Feed | None:
        """The events of a match; None if it is not in play."""
        async with self._opening:
            watched = self._watched.get(name) or await self._open(name)
            if watched is None:
                return None
            self._watched[name] = watched
        watched.wanted_at = trio.current_time()
        await watched.catch_up()
        self._wake()  # the viewer does not follow it yet, but it is kept up to date
        return watched.feed

    def television(self, pin: Pin = EVERYTHING) -> Television:
        """The television that shows the matches of a pin, one after the other."""
        if pin not in self._televisions and len(self._televisions) >= MAX_PINNED:
            self._televisions = {
                other: one for other, one in self._televisions.items() if one.is_followed
            }
        if pin not in self._televisions:
            belonging = partial(self._belonging, pin)
            made = Television(self._servers, self.match, self._background, belonging)
            self._televisions[pin] = made
        return self._televisions[pin]

    async def _belonging(self, pin: Pin, matches: Sequence[LiveMatch]) -> Sequence[LiveMatch]:
        found = [one for one in matches if pin.game in (None, one.setup.game)]
        if pin.tournament is None or not found:
            return found
        tournaments = await self._tournaments([one.setup.match for one in found])
        return [one for one in found if tournaments.get(one.setup.match) == pin.tournament]

    def close(self) -> None:
        """End all feeds, and accept no more viewers."""
        self._closed = True
        for television in self._televisions.values():
            television.close()
        self._wake()
        for feed in (self._list.feed, *(one.feed for one in self._watched.values())):
            feed.end()

    def _wake(self) -> None:
        """Wake the task for a viewer."""
        self._wanted.set()

    async def run(self) -> None:
        """Keep the viewers up to date until the hub is closed."""
        async with trio.open_nursery() as nursery:
            while not self._closed:
                await self._wanted.wait()
                try:
                    cost_s = await self._advance(nursery)
                except Exception:  # a mistake of ours is nothing to the matches
                    log.exception("the viewers were not shown what happened")
                    cost_s = AFTER_MISTAKE_S * SENDING_SHARE
                await trio.sleep(max(SHORTEST_PAUSE_S, cost_s / SENDING_SHARE))
                if not self.viewers and not self._watched:
                    self._wanted = trio.Event()
            nursery.cancel_scope.cancel()

    async def _advance(self, nursery: trio.Nursery) -> float:
        """Show all viewers the new events; returns the cost of sending, in seconds."""
        cost_s = 0.0
        if self._list.feed.viewers:
            await self._servers.list_all()
            cost_s += _cost_s(await self._list.advance(), self._list.feed)
        for watched in list(self._watched.values()):
            if watched.feed.viewers:
                watched.wanted_at = trio.current_time()
            if not watched.waits:
                cost_s += await self._advanced(watched)
            elif not watched.is_advancing:
                nursery.start_soon(self._advanced, watched)
            if self._watched.get(watched.name) is not watched:
                continue
            if watched.is_over and watched.is_shown:
                del self._watched[watched.name]
                self._servers.release(watched.name)
                nursery.start_soon(self._finish, watched)
            elif self._is_gone(watched) or trio.current_time() - watched.wanted_at > KEPT_S:
                self._let_go(watched)
        return cost_s

    async def _advanced(self, watched: WatchedMatch) -> float:
        """Show the viewers of one match its new events; returns the cost of sending, in seconds."""
        try:
            return _cost_s(await watched.advance(), watched.feed)
        except Exception:  # what is wrong with one match is nothing to the others
            log.exception("a match cannot be shown", match=watched.name)
            if self._watched.get(watched.name) is watched:
                self._let_go(watched)
            return 0.0

    def _is_gone(self, watched: WatchedMatch) -> bool:
        """Whether its server stopped showing it before its end, or restarted it."""
        return not watched.is_over and self._servers.match(watched.name) is not watched.match

    def _let_go(self, watched: WatchedMatch) -> None:
        del self._watched[watched.name]
        self._servers.release(watched.name)
        watched.feed.end()

    async def _finish(self, watched: WatchedMatch) -> None:
        try:
            watched.finish(await self._final_view(watched))
        except Exception:  # as above
            log.exception("the end of a match cannot be shown", match=watched.name)
            watched.feed.end()

    async def _final_view(self, watched: WatchedMatch) -> MatchView:
        if self._store is not None:
            try:
                return await self._replay_cache.final_view(watched.name)
            except (StoreError, ValueError) as error:
                log.warning("no end of a match", match=watched.name, error=str(error))
        return watched.without_result()

    async def _open(self, name: str) -> WatchedMatch | None:
        match = await self._servers.find(name)
        if match is None:
            return None
        tournaments = await self._tournaments([name])
        return WatchedMatch(
            match,
            view_in_play(match, tournaments.get(name)),
            self._background,
            with_info=not self._settings.hide_info,
        )

    async def _tournaments(self, names: Collection[str]) -> dict[str, str | None]:
        """The tournaments of matches in play, by match; without unknown ones."""
        store = self._store
        if store is None:
            return {}
        in_play = MatchFilter(in_play=True)
        try:
            if len(names) == 1:
                rows = [await self._ask(store.matches.get, *names)]
            else:
                rows = list((await self._ask(store.matches.page, in_play, size=MAX_LISTED)).rows)
        except StoreError as error:
            log.warning("no tournaments of matches in play", error=str(error))
            return {}
        return {row.match: row.tournament for row in rows}


def _cost_s(sent_bytes: int, feed: Feed) -> float:
    """The cost of sending this number of bytes to each viewer of a feed, in seconds."""
    return feed.viewers * (SENDING_S + sent_bytes * SENDING_BYTE_S) if sent_bytes else 0.0
