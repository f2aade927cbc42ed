"""A match in play as those see it who only look: values and read-only views, no events.

Who looks asks when it suits him. Nothing of his is called by the match, so nothing that he does, or
fails to do, can hurt it, and a match that nobody looks at pays nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from polynya_games import State
from polynya_protocol.messages import Software
from polynya_server.monotonic import NS_PER_US, NowNs
from polynya_server.records import ForfeitRecord, MatchSetup, TurnRecord
from polynya_server.referee import Referee
from polynya_server.remote_seat import RemoteSeat
from polynya_server.session import Session


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


class MatchInPlay:
    """A match that has begun; it may be looked at when it is over, too, and then stands still.

    Attributes:
        setup: what is played.
        options: the game's options with the defaults filled in.
        initial: the initial position, of the form in the game's rules.
        started_ms: when it began, ms since 1970-01-01 UTC.
        is_over: whether it has ended.
    """

    __slots__ = (
        "_began_ns",
        "_now",
        "_referee",
        "_seats",
        "_sessions",
        "initial",
        "is_over",
        "options",
        "setup",
        "started_ms",
    )

    def __init__(
        self,
        setup: MatchSetup,
        options: dict[str, Any],
        initial: dict[str, Any],
        started_ms: int,
        referee: Referee,
        seats: Sequence[RemoteSeat],
        sessions: Sequence[Session],
        now: NowNs,
        began_ns: int,
    ) -> None:
        self.setup = setup
        self.options = options
        self.initial = initial
        self.started_ms = started_ms
        self.is_over = False
        self._referee = referee
        self._seats = seats
        self._sessions = sessions
        self._now = now
        self._began_ns = began_ns

    @property
    def events(self) -> Sequence[TurnRecord | ForfeitRecord]:
        """What has happened so far: a view, to which the match adds at its end."""
        return self._referee.events

    @property
    def state(self) -> State:
        """The present position, between turns."""
        return self._referee.state

    @property
    def elapsed_us(self) -> int:
        """The time since the match began, which the times of its events count from."""
        return (self._now() - self._began_ns) // NS_PER_US

    @property
    def software(self) -> list[Software | None]:
        """What each seat's bot says it runs."""
        return [session.software for session in self._sessions]

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stand."""
        referee = self._referee
        remaining_ms, seat = referee.clock.remaining_ms(), referee.asked
        running_ms = None if seat is None else self._seats[seat].running_ms
        if seat is None or running_ms is None:
            return RunningClocks(None, remaining_ms, None, None)
        return RunningClocks(seat, remaining_ms, referee.clock.limit_ms(seat), running_ms)
