"""The television: one match after the other, always the most interesting match in play.

All of its viewers see the same match, so that it costs the server what one match with viewers does.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import NamedTuple

import trio

from polynya_web.content.background import BackgroundSlices
from polynya_web.content.live_types import Featured, Waiting
from polynya_web.live.feeds import BEAT, BEAT_S, Feed, event
from polynya_web.live.game_servers import LiveMatch, LiveServers
from polynya_web.live.interest import margin, most_interesting

STAY_S = 6
"""How long the end of a match is shown, in seconds."""
LOOK_S = 1.0
"""Poll interval while no match is in play."""
MAX_COMPARED = 100
"""Number of matches to choose from, the latest ones."""


Belonging = Callable[[Sequence[LiveMatch]], Awaitable[Sequence[LiveMatch]]]


class Pin(NamedTuple):
    """The tournament or game that a television is pinned to; None for everything."""

    tournament: str | None = None
    game: str | None = None


class Television:
    """The television of one site, or of one tournament or game of it.

    Args:
        servers: whose matches it shows.
        open_match: gives the events of a match; None if it is not in play any more.
        background: the time to compare matches in.
        belonging: of some matches those that it may show.

    Attributes:
        idle: how many viewers it has that see no match just now.
    """

    def __init__(
        self,
        servers: LiveServers,
        open_match: Callable[[str], Awaitable[Feed | None]],
        background: BackgroundSlices,
        belonging: Belonging,
    ) -> None:
        self.idle = 0
        self._viewers = 0
        self._belonging = belonging
        self._servers = servers
        self._open_match = open_match
        self._background = background
        self._shown: str | None = None
        self._choosing = trio.Lock()
        self._looked_at = -LOOK_S
        self._closed = trio.Event()

    def close(self) -> None:
        """Disconnect its viewers."""
        self._closed.set()

    @property
    def is_followed(self) -> bool:
        """Whether it has a viewer."""
        return self._viewers > 0

    async def follow(self) -> AsyncGenerator[bytes]:
        """The events for one viewer, encoded, until it is closed."""
        self._viewers += 1
        try:
            async with aclosing(self._events()) as events:
                async for chunk in events:
                    yield chunk
        finally:
            self._viewers -= 1

    async def _events(self) -> AsyncGenerator[bytes]:
        before: str | None = None
        while not self._closed.is_set():
            name = await self._choose(before)
            feed = None if name is None else await self._open_match(name)
            if name is None or feed is None:
                yield event("waiting", Waiting(next_s=None))
                async with aclosing(self._rest(before)) as beats:
                    async for beat in beats:
                        yield beat
                continue
            yield event("featured", Featured(match=name))
            async with aclosing(feed.follow()) as chunks:
                async for chunk in chunks:
                    yield chunk
            before = None if self._is_in_play(name) else name
            if before is not None and not self._closed.is_set():
                yield event("waiting", Waiting(next_s=STAY_S))
                await self._pause(STAY_S)

    async def _rest(self, before: str | None) -> AsyncGenerator[bytes]:
        """Heartbeats until there is a match to show."""
        silent_s = 0.0
        while not self._closed.is_set():
            await self._pause(LOOK_S)
            if await self._choose(before) is not None:
                return
            silent_s += LOOK_S
            if silent_s >= BEAT_S:
                silent_s = 0.0
                yield BEAT

    async def _pause(self, seconds: float) -> None:
        self.idle += 1
        try:
            with trio.move_on_after(seconds):
                await self._closed.wait()
        finally:
            self.idle -= 1

    async def _choose(self, before: str | None) -> str | None:
        """The match that is shown to all, chosen anew when it is over; None without any.

        Args:
            before: the match that the viewer has just seen, which is over or cannot be shown.
        """
        async with self._choosing:
            if self._shown is not None and self._shown != before and self._is_in_play(self._shown):
                return self._shown
            now = trio.current_time()
            if self._shown is None and now - self._looked_at < LOOK_S:
                return None
            self._looked_at = now
            await self._servers.list_all()
            others = [one for one in self._servers.matches if one.setup.match != before]
            found = await self._belonging(others[-MAX_COMPARED:])
            self._shown = await self._best(found)
            return self._shown

    def _is_in_play(self, name: str) -> bool:
        match = self._servers.match(name)
        return match is not None and not match.is_over

    async def _best(self, matches: Sequence[LiveMatch]) -> str | None:
        margins: list[float] = []
        await self._background.each(matches, lambda one: margins.append(margin(one)))
        best = most_interesting(matches, margins)
        return None if best is None else best.setup.match
