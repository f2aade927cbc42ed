"""The positions of a match that the page of one seat shows: one after each step and forfeit."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import msgspec

from polynya_games import State
from polynya_server import ForfeitRecord, TurnRecord
from polynya_web.play.table_state import Position

MAX_POSITIONS = 64
"""How many positions are kept: more than two rounds of any game."""

_encode = msgspec.json.Encoder().encode


class SeatView:
    """The last positions of a match, step by step.

    Attributes:
        state: the present position, None before the match has begun.
        count: how many positions there have been; the last one has the index ``count - 1``.
    """

    def __init__(self) -> None:
        self.state: State | None = None
        self.count = 0
        self._positions: deque[msgspec.Raw] = deque(maxlen=MAX_POSITIONS)

    def since(self, index: int) -> list[msgspec.Raw]:
        """The positions from this index on, as far as they are kept, each encoded."""
        wanted = min(self.count - index, len(self._positions))
        return list(self._positions)[-wanted:] if wanted > 0 else []

    def begin(self, state: State) -> None:
        """The match begins in ``state``."""
        self.state = state
        self._add(Position(self.count, 0, None, state.to_json()))

    def add_turn(self, turn: TurnRecord) -> None:
        """A legal turn was played."""
        for index, step in enumerate(turn.steps):
            if self.state is not None:
                self.state = self.state.apply(step)
                self._add(self.position_after(self.state, turn.turn, turn.seat, turn.steps, index))

    def add_forfeit(self, forfeit: ForfeitRecord, state: State) -> None:
        """A seat has forfeited, which led to ``state``."""
        self.state = state
        document, reason, detail = state.to_json(), forfeit.reason, forfeit.detail
        self._add(
            Position(self.count, 0, forfeit.seat, document, forfeit=reason, detail=detail),
        )

    def position_after(
        self, state: State, turn: int, seat: int, steps: Sequence[list[Any]], index: int
    ) -> Position:
        """The position ``state`` that step ``index`` of a turn led to, as the next one."""
        return Position(self.count, turn, seat, state.to_json(), list(steps), index)

    def _add(self, position: Position) -> None:
        self._positions.append(msgspec.Raw(_encode(position)))
        self.count += 1
