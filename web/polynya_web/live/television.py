"""The television: one match after the other, always the most interesting match in play.

All of its viewers see the same match, so that it costs the server what one match with viewers does.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing

import trio

from polynya_games import load
from polynya_web.content.background import BackgroundSlices
from polynya_web.content.frames import present_scores
from polynya_web.content.live_types import Featured, Waiting
from polynya_web.live.feeds import BEAT, BEAT_S, Feed, event
from polynya_web.live.game_servers import LiveMatch, LiveServers

STAY_S = 6
"""How long the end of a match is shown, in seconds."""
LOOK_S = 1.0
"""Poll interval while no match is in play."""
MAX_COMPARED = 100
"""Number of matches to choose from, the latest ones."""


class Television:
    """The television of one site.

    Args:
        servers: whose matches it shows.
        open_match: gives the events of a match; None if it is not in play any more.
        background: the time to compare matches in.

    Attributes:
        idle: how many viewers it has that see no match just now.
    """

    def __init__(
        self,
        servers: LiveServers,
        open_match: Callable[[str], Awaitable[Feed | None]],
        background: BackgroundSlices,
    ) -> None:
        self.idle = 0
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

    async def follow(self) -> AsyncGenerator[bytes]:
        """The events for one viewer, encoded, until it is closed."""
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
            found = [one for one in self._servers.matches if one.setup.match != before]
            self._shown = await self._best(found[-MAX_COMPARED:])
            return self._shown

    def _is_in_play(self, name: str) -> bool:
        match = self._servers.match(name)
        return match is not None and not match.is_over

    async def _best(self, matches: Sequence[LiveMatch]) -> str | None:
        margins: list[float] = []
        await self._background.each(matches, lambda one: margins.append(margin(one)))
        best = most_interesting(matches, margins)
        return None if best is None else best.setup.match


def margin(match: LiveMatch) -> float:
    """How far the first is ahead of the last, as a part of the first's score; from 0 to 1."""
    scores = present_scores(load(match.setup.game), match.state) or [0]
    most = max(map(abs, scores))
    return min(1.0, (max(scores) - min(scores)) / most) if most else 0.0


def most_interesting(matches: Sequence[LiveMatch], margins: Sequence[float]) -> LiveMatch | None:
    """The match with the strongest and most equal bots and the closest score, taken together.

    Each of the three puts the matches into an order, and the sum of a match's places counts,
    because ratings of different games and systems have no common scale. Of equal matches it is
    the last to have begun.

    Args:
        matches: those in play, in the order of beginning.
        margins: of each, see :func:`margin`.
    """
    strengths = _places([-_mean_rating(one) for one in matches])
    gaps = _places([_rating_gap(one) for one in matches])
    closeness = _places(margins)
    sums = [sum(places) for places in zip(strengths, gaps, closeness, strict=True)]
    best = min(range(len(matches)), key=lambda index: (sums[index], -index), default=None)
    return None if best is None else matches[best]


def _places(figures: Sequence[float]) -> list[int]:
    """For each figure, the number of smaller ones."""
    order = sorted(figures)
    first = {figure: order.index(figure) for figure in set(figures)}
    return [first[figure] for figure in figures]


def _ratings(match: LiveMatch) -> list[float]:
    return [rating for rating in match.setup.ratings or () if rating is not None]


def _mean_rating(match: LiveMatch) -> float:
    known = _ratings(match)
    return sum(known) / len(known) if known else 0.0


def _rating_gap(match: LiveMatch) -> float:
    """Gap between the best and the weakest bot; large if a bot has no rating."""
    known = _ratings(match)
    if len(known) < len(match.setup.players):
        return float("inf")
    return max(known) - min(known)
