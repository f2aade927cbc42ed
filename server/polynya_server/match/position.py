"""How a match stands: the position between two turns, and the clocks at one moment."""

from __future__ import annotations

from dataclasses import dataclass

from polynya_games import State
from polynya_server.match.time_control import MatchClock


@dataclass(frozen=True, slots=True)
class Position:
    """How a match stands between two events.

    Attributes:
        state: the position.
        remaining_ms: each seat's budget, None without one.
        limit_ms: the time limit of the turn that begins now, None if the match ends here.
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
        limit_ms: the time limit of the present turn, None if no clock runs.
        running_ms: how long its clock has been running, None if none does.
    """

    to_move: int | None
    remaining_ms: list[int | None]
    limit_ms: int | None
    running_ms: int | None
