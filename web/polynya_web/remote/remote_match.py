"""A match on another server, followed as a spectator.

Where everything is visible the rules are followed here; else the server says what spectators know.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import trio

from polynya_games import State, load
from polynya_games.playthrough import Playthrough
from polynya_games.seats import SeatState
from polynya_protocol.messages import Forfeited, MatchResume, Moved, Software
from polynya_server.match.position import RunningClocks
from polynya_server.records import ForfeitRecord, MatchSetup
from polynya_store import MatchRow
from polynya_web.content.seats.told_events import Told, ToldTurn

Event = TypeVar("Event")


class _Followed(Generic[Event]):
    """A match since the pages began to follow it, however it is followed.

    Args:
        row: the match as the database lists it.
        snapshot: how it stands.

    Attributes:
        setup: game, players, clock.
        options: the game's options with the defaults filled in.
        started_ms: when the match began, ms since 1970-01-01 UTC.
        is_over: whether it has ended.
        seq: how many events there were, those before that moment too.
        events: those since.
    """

    def __init__(self, row: MatchRow, snapshot: MatchResume) -> None:
        names = tuple(player.name for player in snapshot.players)
        if names != tuple(seat.name for seat in row.seats):
            raise ValueError(f"{row.match}: the server shows other players than the database")
        self.setup = MatchSetup(
            match=row.match,
            game=snapshot.game,
            players=names,
            ratings=tuple(player.rating for player in snapshot.players),
            clock=snapshot.clock,
            seed=row.seed,
            rated=row.rated,
        )
        self.options = snapshot.options
        self.started_ms = row.started_ms
        self.is_over = False
        self.seq = snapshot.seq
        self.events: list[Event] = []
        self._turn = snapshot.seq
        self._remaining_ms = snapshot.remaining_ms
        self._asked_at: float | None = None

    @property
    def software(self) -> list[Software | None]:
        """No software: spectators do not receive it."""
        return [None] * len(self.setup.players)

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now."""
        raise NotImplementedError

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stand; before the first event it is unknown how long one has run."""
        seats, since = self.acting, self._asked_at
        if not seats or since is None or self.is_over:
            return RunningClocks(None, self._remaining_ms, None, None)
        move_ms = self.setup.clock.move_ms
        limits = [
            min(known)
            for seat in seats
            if (known := [one for one in (self._remaining_ms[seat], move_ms) if one is not None])
        ]
        running_ms = int((trio.current_time() - since) * 1000)
        limit_ms = max(limits, default=None)
        return RunningClocks(seats[0], self._remaining_ms, limit_ms, running_ms, seats)

    def follow(self, message: Moved | Forfeited) -> None:
        """Follow one event.

        Raises:
            ValueError: it is not the next one, or not possible by the rules.
        """
        if message.seq != self.seq + 1:
            raise ValueError(f"{message.match}: event {message.seq} came after {self.seq}")
        event = self._turn_of(message) if isinstance(message, Moved) else self._forfeit_of(message)
        self._add(event, message)
        if isinstance(event, ToldTurn):
            self._turn, self._remaining_ms = event.turn, event.remaining_ms
        self.seq = message.seq
        self._asked_at = trio.current_time()

    def _add(self, event: ToldTurn | ForfeitRecord, message: Moved | Forfeited) -> None:
        """Add the event of a message."""
        raise NotImplementedError

    def _turn_of(self, moved: Moved) -> ToldTurn:
        if len(moved.remaining_ms) != len(self.setup.players):
            raise ValueError(f"{moved.match}: clocks of {len(moved.remaining_ms)} seats")
        return ToldTurn(
            turn=moved.turn,
            seat=moved.seat,
            steps=moved.steps,
            charged_ms=moved.elapsed_ms,
            remaining_ms=moved.remaining_ms,
        )

    def _forfeit_of(self, forfeited: Forfeited) -> ForfeitRecord:
        turn = self._turn and self._turn + 1
        return ForfeitRecord(
            turn=turn if forfeited.turn is None else forfeited.turn,
            seat=forfeited.seat,
            reason=forfeited.reason,
            detail=forfeited.detail,
        )


class RemoteMatch(_Followed[ToldTurn | ForfeitRecord]):
    """A match in which everybody sees everything.

    It has the attributes of a ``MatchInPlay``, so the pages show both alike.

    Attributes:
        initial_state: the position when the pages began to follow it.

    Raises:
        ValueError: the snapshot is no position of this game, or has other players than the match.
    """

    def __init__(self, row: MatchRow, snapshot: MatchResume) -> None:
        super().__init__(row, snapshot)
        self.initial_state = load(snapshot.game).state_from_json(snapshot.state)
        self._match = Playthrough(self.initial_state)
        if self.state.players != len(self.setup.players):
            raise ValueError(f"{row.match}: the position is of {self.state.players} seats")

    @property
    def state(self) -> State:
        """The present position."""
        return self._match.state

    @property
    def acting(self) -> tuple[int, ...]:
        """The seat to move."""
        return self._match.acting

    def _add(self, event: ToldTurn | ForfeitRecord, message: Moved | Forfeited) -> None:
        if isinstance(event, ToldTurn) and event.steps is None:
            raise ValueError(f"{message.match}: the steps of seat {event.seat} are concealed")
        self._match.follow(event)
        self.events.append(event)


class RemotePublicMatch(_Followed[Told]):
    """A match with joint turns or hidden parts, as its server tells spectators of it.

    Attributes:
        initially_known: what spectators knew when the pages began to follow it.
        known: what they know now.
        scores: the scores that the server told last; None without any.

    Raises:
        ValueError: the game is not installed, or the match has other players.
    """

    def __init__(self, row: MatchRow, snapshot: MatchResume) -> None:
        super().__init__(row, snapshot)
        load(snapshot.game)
        self.initially_known = SeatState.from_wire(None, snapshot.state, snapshot.acting or ())
        self.known = self.initially_known
        self.scores: list[int] | None = None
        self._untold: list[ToldTurn | ForfeitRecord] = []

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now."""
        return self.known.acting

    def _add(self, event: ToldTurn | ForfeitRecord, message: Moved | Forfeited) -> None:
        """Add an event; all of a transition are shown with the last, which has the state."""
        state, acting, seen = message.state, message.acting, message.seen or ()
        if acting is not None and state is None:
            raise ValueError(f"{message.match}: the state after event {message.seq} is missing")
        self._untold.append(event)
        if acting is None or state is None:
            return
        self.known = SeatState.from_wire(None, state, acting, seen)
        self.scores = message.scores
        shown, self._untold = self._untold, []
        self.events += [Told(one, self.known, self.scores, one is event) for one in shown]


FollowedMatch = RemoteMatch | RemotePublicMatch


def followed(row: MatchRow, snapshot: MatchResume) -> FollowedMatch:
    """Begin to follow a match, in the way that its snapshot asks for.

    Raises:
        ValueError: the snapshot does not fit the match.
    """
    if snapshot.view or snapshot.joint:
        return RemotePublicMatch(row, snapshot)
    return RemoteMatch(row, snapshot)
