"""A match in play for its viewers: turns its events into frames and server-sent events."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import trio

from polynya_games import load
from polynya_server.records import ForfeitRecord, MatchEvent
from polynya_web.content.background import BackgroundSlices
from polynya_web.content.live_types import OverEvent
from polynya_web.content.match_types import Clocks, MatchView, Seat
from polynya_web.content.replay_cache import replay_json
from polynya_web.content.seats.told_events import Told, ToldTurn
from polynya_web.live.feeds import Feed, event
from polynya_web.live.game_servers import LiveMatch
from polynya_web.live.shown import frames_of

MAX_EVENTS = 50
"""Number of turns in one update of a fast match; more if the last one is a joint turn."""

LiveEvent = MatchEvent | ToldTurn | Told


class WatchedMatch:
    """A match in play that has viewers.

    Args:
        match: the match.
        view: what is known of it.
        background: the time to make frames in.
        with_info: whether the bots' remarks are shown.

    Attributes:
        feed: what its viewers are sent.
        match, name: the match, and its id.
        waits: whether its rules may wait for a process; no other match waits with it.
        wanted_at: when a viewer last asked for it, on trio's clock.
    """

    def __init__(
        self,
        match: LiveMatch,
        view: MatchView,
        background: BackgroundSlices,
        *,
        with_info: bool,
    ) -> None:
        self.feed = Feed(self._snapshot)
        self.name = match.setup.match
        self.match = match
        game = load(match.setup.game)
        self.waits = game.waits
        self._view = view
        self._place = background.of_game(game)
        self._lock = trio.Lock()
        self.wanted_at = trio.current_time()
        self._frames: Any = frames_of(match, with_info=with_info)
        self._seen = 0
        self._shown = self._made()

    async def catch_up(self) -> None:
        """Make the frames of all events that came while there was no viewer."""
        while not self.feed.viewers and self._next_events():
            await self.advance()

    async def advance(self) -> int:
        """Send viewers the new events; return the number of bytes for each."""
        chunks: list[bytes] = []
        async with self._lock:
            events = self._next_events()
            transitions = self._frames.transitions(events)
            await self._place.each(transitions, lambda some: chunks.extend(self._follow(some)))
        self._shown = self._made()
        return self.feed.publish(chunks)

    def finish(self, view: MatchView) -> None:
        """Send the end of a match whose events were all sent."""
        self._view = view
        self.feed.publish([event("over", OverEvent(match=view))])
        self.feed.end()

    @property
    def is_advancing(self) -> bool:
        """Whether frames are being made."""
        return self._lock.locked()

    @property
    def is_shown(self) -> bool:
        """Whether all events were sent."""
        return self._shown.events == len(self.match.events)

    @property
    def is_over(self) -> bool:
        """Whether the match has ended."""
        return self.match.is_over

    def without_result(self) -> MatchView:
        """The view of a match that is over without a recorded result."""
        return msgspec.structs.replace(self._view, in_play=False)

    def _next_events(self) -> Sequence[LiveEvent]:
        """The next events, and all of the last one's turn: a joint turn is shown whole."""
        events, last = self.match.events, self._seen + MAX_EVENTS
        while last < len(events) and _turn_of(events[last]) == _turn_of(events[last - 1]):
            last += 1
        return events[self._seen : last]

    def _follow(self, happened: Sequence[LiveEvent]) -> Iterator[bytes]:
        """Make the frames of a transition, and the events that show them."""
        made, before = self._frames, self._made()
        made.follow(*happened)
        self._seen += len(happened)
        to_move, clocks = min(made.acting, default=None), self._clocks(self._seen)
        frames = made.frames[before.frames :]
        turns, forfeits = iter(made.turns[before.turns :]), iter(made.forfeits[before.forfeits :])
        for place, one in enumerate(map(_told, happened)):
            own = [frames[place]] if len(happened) > 1 else frames
            if isinstance(one, ForfeitRecord):
                yield event("forfeit", _Forfeit(next(forfeits), own[-1], to_move, clocks))
            else:
                yield event("turn", _Turn(next(turns), own, to_move, one.remaining_ms, clocks))

    def _clocks(self, events: int) -> Clocks | None:
        """The clocks as they run, if they belong to the position after this number of events."""
        return clocks_of(self.match) if events == len(self.match.events) else None

    def _made(self) -> _Made:
        frames = self._frames
        return _Made(self._seen, len(frames.frames), len(frames.turns), len(frames.forfeits))

    def _snapshot(self) -> bytes:
        """The published state; frames in the making are part of the next chunk."""
        frames, shown = self._frames, self._shown
        document = replay_json(
            self._view,
            frames.frames[: shown.frames],
            frames.turns[: shown.turns],
            frames.forfeits[: shown.forfeits],
            self._clocks(shown.events),
        )
        return event("replay", msgspec.Raw(document))


def _told(happened: LiveEvent) -> MatchEvent | ToldTurn:
    return happened.event if isinstance(happened, Told) else happened


def _turn_of(happened: LiveEvent) -> int:
    return _told(happened).turn


def clocks_of(match: LiveMatch) -> Clocks:
    """The clocks of a match at this moment."""
    now = match.clocks
    return Clocks(
        to_move=now.to_move,
        remaining_ms=now.remaining_ms,
        limit_ms=now.limit_ms,
        running_ms=now.running_ms,
        acting=list(now.acting),
    )


def view_in_play(match: LiveMatch, tournament: str | None) -> MatchView:
    """The view of a match in play."""
    setup = match.setup
    ratings = setup.ratings or (None,) * len(setup.players)
    return MatchView(
        match=setup.match,
        tournament=tournament,
        game=setup.game,
        seats=[
            Seat(seat=seat, name=name, rating=rating, software=software)
            for seat, (name, rating, software) in enumerate(
                zip(setup.players, ratings, match.software, strict=True)
            )
        ],
        options=match.options,
        clock=setup.clock,
        rated=setup.rated,
        started_ms=match.started_ms,
        in_play=True,
    )


class _Made(NamedTuple):
    """Counters of a match: its events, and the frames made of them."""

    events: int
    frames: int
    turns: int
    forfeits: int


class _Turn(msgspec.Struct):
    """A ``TurnEvent`` whose parts are JSON already."""

    turn: msgspec.Raw
    frames: list[msgspec.Raw]
    to_move: int | None
    remaining_ms: list[int | None]
    clocks: Clocks | None


class _Forfeit(msgspec.Struct):
    """A ``ForfeitEvent`` whose parts are JSON already."""

    forfeit: msgspec.Raw
    frame: msgspec.Raw
    to_move: int | None
    clocks: Clocks | None
