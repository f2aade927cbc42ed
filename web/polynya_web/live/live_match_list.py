"""The list of the matches in play as its viewers see it: players, turns, scores."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

import trio

from polynya_games import load
from polynya_web.content.background_slices import BackgroundSlices
from polynya_web.content.frames import present_scores
from polynya_web.content.live_types import LiveMatch as ListedMatch
from polynya_web.content.live_types import LiveOver, LiveTurn
from polynya_web.content.match_types import MatchView
from polynya_web.live.feeds import Feed, event
from polynya_web.live.game_servers import LiveMatch, LiveServers
from polynya_web.live.live_match import clocks_of, view_in_play

MAX_LISTED = 100
"""How many matches are listed; those that were begun first."""

Tournaments = Callable[[Collection[str]], Awaitable[dict[str, str | None]]]
"""Gives the tournaments of matches in play, by match."""


@dataclass(slots=True)
class _Listed:
    match: LiveMatch
    view: MatchView
    events: int = 0
    scores: list[int] | None = None


class LiveList:
    """The list of one site.

    Args:
        servers: whose matches are listed.
        tournaments: knows which tournament they belong to.
        background: the time to find the scores in.

    Attributes:
        feed: what its viewers are sent.
    """

    def __init__(
        self, servers: LiveServers, tournaments: Tournaments, background: BackgroundSlices
    ) -> None:
        self.feed = Feed(self._snapshot)
        self._servers = servers
        self._tournaments = tournaments
        self._background = background
        self._listed: dict[str, _Listed] = {}
        self._lock = trio.Lock()

    async def advance(self) -> int:
        """Show the viewers what has changed; how many bytes each of them is sent."""
        async with self._lock:
            chunks = [*self._ended(), *await self._begun(), *await self._gone_on()]
        return self.feed.publish(chunks)

    def _ended(self) -> list[bytes]:
        over = [name for name in self._listed if self._servers.match(name) is None]
        for name in over:
            del self._listed[name]
        return [event("over", LiveOver(match=name)) for name in over]

    async def _begun(self) -> list[bytes]:
        present = {match.setup.match: match for match in self._servers.matches[:MAX_LISTED]}
        begun = [name for name in present if name not in self._listed]
        if not begun:
            return []
        tournaments = await self._tournaments(begun)
        for name in begun:
            match = present[name]
            self._listed[name] = _Listed(match, view_in_play(match, tournaments.get(name)))
        return [event("begun", self._shown(self._listed[name])) for name in begun]

    async def _gone_on(self) -> list[bytes]:
        """The matches that have come further."""
        chunks: list[bytes] = []

        def look(listed: _Listed) -> None:
            match = listed.match
            listed.events = match.seq
            listed.scores = present_scores(load(match.setup.game), match.state)
            shown = self._shown(listed)
            turn = LiveTurn(
                match=match.setup.match, turn=shown.turn, scores=shown.scores, clocks=shown.clocks
            )
            chunks.append(event("turn", turn))

        moved = [one for one in self._listed.values() if one.events < one.match.seq]
        await self._background.each(moved, look)
        return chunks

    def _shown(self, listed: _Listed) -> ListedMatch:
        return ListedMatch(
            match=listed.view,
            turn=listed.events,
            scores=listed.scores,
            clocks=clocks_of(listed.match),
        )

    def _snapshot(self) -> bytes:
        return event("matches", [self._shown(listed) for listed in self._listed.values()])
