"""The position and clocks of a match, and views of a match in play.

Viewers poll; the match never calls them. A viewer can therefore not hurt a match, and a match
without viewers pays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from polynya_games import State
from polynya_games.seats import acting
from polynya_server.match.time_control import MatchClock
from polynya_server.records import MatchEvent
from polynya_server.timing.monotonic_clock import NS_PER_MS

if TYPE_CHECKING:
    from polynya_server.match.referee import Referee
    from polynya_server.match.seat import Participant


@dataclass(frozen=True, slots=True)
class Position:
    """Position and budgets of a match between two events.

    Attributes:
        state: the position.
        remaining_ms: each seat's budget, None without one.
        limit_ms: the time limit of the turn that begins now, the longest one of a joint turn; None
            if the match ends here.
    """

    state: State
    remaining_ms: list[int | None]
    limit_ms: int | None


def position_of(state: State, clock: MatchClock) -> Position:
    """Combine a game state with the clock's budgets and limit."""
    limit_ms = max(map(clock.limit_ms, acting(state)), default=None)
    return Position(state, clock.remaining_ms(), limit_ms)


@dataclass(frozen=True, slots=True)
class RunningClocks:
    """The clocks of a match at one moment.

    Attributes:
        to_move: the seat whose clock runs, None if none does; the least of a joint turn.
        remaining_ms: each seat's budget when its clock last stopped, None without one.
        limit_ms: the time limit of the present turn, None if no clock runs; of a joint turn the
            longest one.
        running_ms: how long its clock has been running, None if none does.
        acting: the seats whose clocks run. In a joint turn they are all that were asked, whether
            they have answered or not, and their clocks run since they were asked.
    """

    to_move: int | None
    remaining_ms: list[int | None]
    limit_ms: int | None
    running_ms: int | None
    acting: tuple[int, ...] = ()


class MatchView(Protocol):
    """View of a match at one moment: now, or some time ago."""

    @property
    def events(self) -> Sequence[MatchEvent]:
        """The events so far: a live view that grows as the match goes on."""

    @property
    def position(self) -> Position:
        """The position after them."""

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stand."""


class LiveView:
    """View of a match as it is now.

    It refers to the referee, not to the match, so the match can be freed when it is over.
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
        remaining_ms, asked = referee.clock.remaining_ms(), referee.asked
        if len(asked) > 1:
            running_ms: int | None = (referee.now() - referee.asked_ns) // NS_PER_MS
        else:
            running_ms = self._seats[asked[0]].running_ms if asked else None
        if running_ms is None:
            return RunningClocks(None, remaining_ms, None, None)
        limit_ms = max(map(referee.clock.limit_ms, asked))
        return RunningClocks(asked[0], remaining_ms, limit_ms, running_ms, asked)
