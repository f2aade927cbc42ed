"""What one seat knows of its match, from nothing but the messages that it is sent.

Messages in, positions out, without a socket: the rules that the server uses fill in the positions
between the steps of a turn, so that the page can show a turn step by step.
"""

from __future__ import annotations

import contextlib
from collections import deque
from typing import Any

import msgspec

from polynya_games import GameError, IllegalForfeit, State, load
from polynya_protocol.messages import (
    Forfeited,
    FromServer,
    MatchOver,
    MatchResume,
    MatchStart,
    Moved,
    Player,
    Turn,
)
from polynya_web.play.views import Asked, Over, Position

KEPT = 64
"""How many positions are kept: more than two rounds of any game."""

_encode = msgspec.json.Encoder().encode


class Following:
    """A match as one seat sees it.

    Attributes:
        match: its id, None before it has begun.
        seat: our seat.
        players: who plays, by seat.
        asked: the turn that we are asked for, None while it is not ours.
        over: how it ended, None while it has not.
        state: the present position.
        positions: the last ``KEPT`` of them, each a ``Position`` as JSON.
        count: how many there have been; the last one has the index ``count - 1``.
    """

    def __init__(self) -> None:
        self.match: str | None = None
        self.seat = 0
        self.players: list[Player] = []
        self.asked: Asked | None = None
        self.over: Over | None = None
        self.state: State | None = None
        self.positions: deque[msgspec.Raw] = deque(maxlen=KEPT)
        self.count = 0
        self._game = ""

    def take(self, message: FromServer) -> None:
        """A message about the match has come; others are passed over."""
        if isinstance(message, MatchStart | MatchResume):
            self._begin(message)
        elif isinstance(message, Turn):
            self._ask(message)
        elif isinstance(message, Moved):
            self._move(message)
        elif isinstance(message, Forfeited):
            self._forfeit(message)
        elif isinstance(message, MatchOver):
            self.asked = None
            self.over = Over(message.ranking, message.scores, message.reason, message.detail)

    def since(self, index: int) -> list[msgspec.Raw]:
        """The positions from this index on, as far as they are kept."""
        wanted = min(self.count - index, len(self.positions))
        return list(self.positions)[-wanted:] if wanted > 0 else []

    def after(self, steps: list[list[Any]]) -> Position | None:
        """The position after some steps of the turn that we are asked for, which are legal."""
        if self.state is None or self.asked is None:
            return None
        state = self.state
        for step in steps:
            state = state.apply(step)
        return self._position(state, self.asked.turn, self.seat, steps, len(steps) - 1)

    def _begin(self, message: MatchStart | MatchResume) -> None:
        self.match, self._game = message.match, message.game
        self.players = message.players
        self.seat = message.seat or 0
        self.asked = None
        self._be_in(message.state)

    def _ask(self, turn: Turn) -> None:
        if turn.state is not None:
            self._be_in(turn.state)
        self.asked = Asked(turn.turn, turn.legal or [])

    def _be_in(self, document: dict[str, Any]) -> None:
        """The server says where the match stands: nothing to do if that is where we saw it go."""
        if self.state is not None and self.state.to_json() == document:
            return
        self.state = load(self._game).state_from_json(document)
        self._add(Position(self.count, 0, None, document))

    def _move(self, moved: Moved) -> None:
        if moved.seat == self.seat:
            self.asked = None
        # What the rules do not allow cannot have been played; the next `turn` puts it right.
        with contextlib.suppress(GameError):
            for index, step in enumerate(moved.steps):
                if self.state is not None:
                    self.state = self.state.apply(step)
                    seen = self._position(self.state, moved.turn, moved.seat, moved.steps, index)
                    self._add(seen)

    def _forfeit(self, forfeit: Forfeited) -> None:
        if forfeit.seat == self.seat:
            self.asked = None
        if self.state is None:
            return
        with contextlib.suppress(IllegalForfeit):
            self.state = self.state.forfeit(forfeit.seat)
        document = self.state.to_json()
        self._add(
            Position(
                self.count,
                0,
                forfeit.seat,
                document,
                forfeit=forfeit.reason,
                detail=forfeit.detail,
            )
        )

    def _position(
        self, state: State, turn: int, seat: int, steps: list[list[Any]], index: int
    ) -> Position:
        return Position(self.count, turn, seat, state.to_json(), steps, index)

    def _add(self, position: Position) -> None:
        self.positions.append(msgspec.Raw(_encode(position)))
        self.count += 1
