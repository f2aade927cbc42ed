"""Gives the host's own programs a read-only view of a match that has begun; no events."""

from __future__ import annotations

from collections.abc import Sequence

from polynya_games import State
from polynya_protocol.messages import Software
from polynya_server.match.match import Match
from polynya_server.match.position import MatchView, Position, RunningClocks
from polynya_server.records import MatchEvent


class MatchInPlay:
    """Read-only view of a match that has begun; still usable, and final, when the match is over.

    Args:
        match: the match.
        view: the view to show: live or delayed.

    Attributes:
        setup: game, players, clock.
        options: the game's options with the defaults filled in.
        terms: what the players may know, and whether several are asked at once.
        initial_state: the initial position.
        started_ms: when it began, ms since 1970-01-01 UTC.
        is_over: whether it has ended.
    """

    __slots__ = (
        "_seats",
        "_view",
        "initial_state",
        "is_over",
        "options",
        "setup",
        "started_ms",
        "terms",
    )

    def __init__(self, match: Match, view: MatchView) -> None:
        self.setup = match.setup
        self.options = match.options
        self.terms = match.terms
        self.initial_state = match.initial_state
        self.started_ms = match.started_ms
        self.is_over = False
        self._seats = match.seats
        self._view = view

    @property
    def events(self) -> Sequence[MatchEvent]:
        """The events so far: a live view that grows as the match goes on."""
        return self._view.events

    @property
    def seq(self) -> int:
        """Number of events so far: the ``seq`` of the last one, as sent to spectators."""
        return len(self._view.events)

    @property
    def position(self) -> Position:
        """The position and clocks between turns."""
        return self._view.position

    @property
    def state(self) -> State:
        """The present position, between turns."""
        return self._view.position.state

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stand."""
        return self._view.clocks

    @property
    def software(self) -> list[Software | None]:
        """Each player's own name and version, by seat."""
        return [seat.software for seat in self._seats]
