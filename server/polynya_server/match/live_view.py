"""A match in play for the objects that only look at it: they ask, the match never calls them.

A viewer can therefore not hurt a match, and a match without viewers pays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from polynya_server.match.position import Position, RunningClocks, position_of
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Participant
from polynya_server.records import MatchEvent


class MatchView(Protocol):
    """A match at one moment: now, or some time ago."""

    @property
    def events(self) -> Sequence[MatchEvent]:
        """The events so far: a view, to which the match adds at its end."""

    @property
    def position(self) -> Position:
        """The position after them."""

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stand."""


class LiveView:
    """A match as it is now.

    It refers to the referee and not to the match, which is freed when it is over.
    """

    __slots__ = ("_referee", "_seats")

    def __init__(self, referee: Referee, seats: Sequence[Participant]) -> None:
        self._referee = referee
        self._seats = seats

    @property
    def events(self) -> Sequence[MatchEvent]:
        """See :class:`MatchView`."""
        return self._referee.events

    @property
    def position(self) -> Position:
        """See :class:`MatchView`."""
        return position_of(self._referee.state, self._referee.clock)

    @property
    def clocks(self) -> RunningClocks:
        """See :class:`MatchView`."""
        referee = self._referee
        remaining_ms, seat = referee.clock.remaining_ms(), referee.asked
        running_ms = None if seat is None else self._seats[seat].running_ms
        if seat is None or running_ms is None:
            return RunningClocks(None, remaining_ms, None, None)
        return RunningClocks(seat, remaining_ms, referee.clock.limit_ms(seat), running_ms)
