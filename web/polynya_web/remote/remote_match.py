"""A match on another server, followed as a spectator."""

from __future__ import annotations

import trio

from polynya_games import State, load
from polynya_games.playthrough import Playthrough
from polynya_protocol.messages import Forfeited, MatchResume, Moved, Software
from polynya_server.match.position import RunningClocks
from polynya_server.records import ForfeitRecord, MatchSetup
from polynya_store import MatchRow
from polynya_web.content.frames import ToldTurn


class RemoteMatch:
    """A match since the pages began to follow it.

    It has the attributes of a ``MatchInPlay``, so the pages show both alike.

    Args:
        row: the match as the database lists it.
        snapshot: how it stands.

    Attributes:
        setup: game, players, clock.
        options: the game's options with the defaults filled in.
        initial: the position at that moment, of the form in the game's rules.
        started_ms: when the match began, ms since 1970-01-01 UTC.
        is_over: whether it has ended.
        seq: how many events there were, those before that moment too.
        events: those since.

    Raises:
        ValueError: the snapshot is no position of this game, or has other players than the match.
    """

    def __init__(self, row: MatchRow, snapshot: MatchResume) -> None:
        if snapshot.view or snapshot.joint:
            raise ValueError(f"{row.match}: not all of it is shown before it is over")
        self._match = Playthrough(load(snapshot.game).state_from_json(snapshot.state))
        names = tuple(player.name for player in snapshot.players)
        if names != tuple(seat.name for seat in row.seats) or len(names) != self.state.players:
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
        self.initial = snapshot.state
        self.started_ms = row.started_ms
        self.is_over = False
        self.seq = snapshot.seq
        self.events: list[ToldTurn | ForfeitRecord] = []
        self._turn = snapshot.seq
        self._remaining_ms = snapshot.remaining_ms
        self._asked_at: float | None = None

    @property
    def state(self) -> State:
        """The present position."""
        return self._match.state

    @property
    def software(self) -> list[Software | None]:
        """No software: spectators do not receive it."""
        return [None] * len(self.setup.players)

    @property
    def clocks(self) -> RunningClocks:
        """The clocks as they stand; before the first event it is unknown how long one has run."""
        seat, since = self.state.to_move, self._asked_at
        if seat is None or since is None or self.is_over:
            return RunningClocks(None, self._remaining_ms, None, None)
        limits = (self._remaining_ms[seat], self.setup.clock.move_ms)
        limit_ms = min((limit for limit in limits if limit is not None), default=None)
        running_ms = int((trio.current_time() - since) * 1000)
        return RunningClocks(seat, self._remaining_ms, limit_ms, running_ms)

    def follow(self, message: Moved | Forfeited) -> None:
        """Follow one event.

        Raises:
            ValueError: it is not the next one, or not possible by the rules.
        """
        if message.seq != self.seq + 1:
            raise ValueError(f"{message.match}: event {message.seq} came after {self.seq}")
        event = self._turn_of(message) if isinstance(message, Moved) else self._forfeit_of(message)
        self._match.follow(event)
        self.events.append(event)
        if isinstance(event, ToldTurn):
            self._turn, self._remaining_ms = event.turn, event.remaining_ms
        self.seq = message.seq
        self._asked_at = trio.current_time()

    def _turn_of(self, moved: Moved) -> ToldTurn:
        if len(moved.remaining_ms) != self.state.players:
            raise ValueError(f"{moved.match}: clocks of {len(moved.remaining_ms)} seats")
        if moved.steps is None:
            raise ValueError(f"{moved.match}: the steps of seat {moved.seat} are concealed")
        return ToldTurn(
            turn=moved.turn,
            seat=moved.seat,
            steps=moved.steps,
            charged_ms=moved.elapsed_ms,
            remaining_ms=moved.remaining_ms,
        )

    def _forfeit_of(self, forfeited: Forfeited) -> ForfeitRecord:
        return ForfeitRecord(
            turn=self._turn and self._turn + 1,
            seat=forfeited.seat,
            reason=forfeited.reason,
            detail=forfeited.detail,
        )
