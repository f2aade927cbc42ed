"""A match in play as those see it who only look: values and read-only views, no events.

Who looks asks when it suits him. Nothing of his is called by the match, so nothing that he does, or
fails to do, can hurt it, and a match that nobody looks at pays nothing. He sees the match as it is,
or as it was some time ago (``delay.py``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from polynya_games import State
from polynya_protocol.messages import Software
from polynya_server.match.referee import Referee
from polynya_server.match.time_control import MatchClock
from polynya_server.records.replay import MatchEvent, MatchSetup
from polynya_server.sessions.remote_seat import RemoteSeat
from polynya_server.sessions.session import Session


@dataclass(frozen=True, slots=True)
class Position:
    """How a match stands between two events.

    Attributes:
        state: the position.
        remaining_ms: each seat's budget, None without one.
        limit_ms: what the turn that begins now may take, None if the match ends here.
    """

    state: State
    remaining_ms: list[int | None]
    limit_ms: int | None


def position_of(state: State, clock: MatchClock) -> Position:
    """How a match in this state stands by this clock."""
    seat = state.to_move
    limit_ms = None if seat is None else clock.limit_ms(seat)
    return Position(state, clock.remaining_ms(), limit_ms)


@dataclass(frozen=True, slots=True)
class RunningClocks:
    """The clocks of a match at one moment.

    Attributes:
        to_move: the seat whose clock runs, None if none does.
        remaining_ms: each seat's budget when its clock last stopped, None without one.
        limit_ms: what the present turn may take in all, None if no clock runs.
        running_ms: how long its clock has been running, None if none does.
    """

    to_move: int | None
    remaining_ms: list[int | None]
    limit_ms: int | None
    running_ms: int | None


class Scene(Protocol):
    """What is seen of a match."""

    @property
    def events(self) -> Sequence[MatchEvent]:
        """What has happened so far: a view, to which the match adds at its end."""

    @property
    def position(self) -> Position:
        """How the match stands after that."""

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stand."""


class Present:
    """A match as it is."""

    __slots__ = ("_referee", "_seats")

    def __init__(self, referee: Referee, seats: Sequence[RemoteSeat]) -> None:
        self._referee = referee
        self._seats = seats

    @property
    def events(self) -> Sequence[MatchEvent]:
        """See :class:`Scene`."""
        return self._referee.events

    @property
    def position(self) -> Position:
        """See :class:`Scene`."""
        return position_of(self._referee.state, self._referee.clock)

    @property
    def clocks(self) -> RunningClocks:
        """See :class:`Scene`."""
        referee = self._referee
        remaining_ms, seat = referee.clock.remaining_ms(), referee.asked
        running_ms = None if seat is None else self._seats[seat].running_ms
        if seat is None or running_ms is None:
            return RunningClocks(None, remaining_ms, None, None)
        return RunningClocks(seat, remaining_ms, referee.clock.limit_ms(seat), running_ms)


class MatchInPlay:
    """A match that has begun; it may be looked at when it is over, too, and then stands still.

    Attributes:
        setup: what is played.
        options: the game's options with the defaults filled in.
        initial: the initial position, of the form in the game's rules.
        started_ms: when it began, ms since 1970-01-01 UTC.
        is_over: whether it has ended.
    """

    __slots__ = ("_scene", "_sessions", "initial", "is_over", "options", "setup", "started_ms")

    def __init__(
        self,
        setup: MatchSetup,
        options: dict[str, Any],
        initial: dict[str, Any],
        started_ms: int,
        sessions: Sequence[Session],
        scene: Scene,
    ) -> None:
        self.setup = setup
        self.options = options
        self.initial = initial
        self.started_ms = started_ms
        self.is_over = False
        self._sessions = sessions
        self._scene = scene

    @property
    def events(self) -> Sequence[MatchEvent]:
        """What has happened so far: a view, to which the match adds at its end."""
        return self._scene.events

    @property
    def position(self) -> Position:
        """How it stands, between turns."""
        return self._scene.position

    @property
    def state(self) -> State:
        """The present position, between turns."""
        return self._scene.position.state

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stand."""
        return self._scene.clocks

    @property
    def software(self) -> list[Software | None]:
        """What each seat's bot says it runs."""
        return [session.software for session in self._sessions]
