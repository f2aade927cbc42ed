"""The positions of a match that the page of one seat shows: one after each step and forfeit."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import msgspec

from polynya_common.reasons import reason_of
from polynya_games import State
from polynya_games.playthrough import Playthrough
from polynya_server import TurnRecord
from polynya_server.records import MatchEvent
from polynya_web.play.table_state import Position

MAX_POSITIONS = 64
"""How many positions are kept: more than two rounds of any game."""

_encode = msgspec.json.Encoder().encode


class SeatView:
    """The last positions of a match, step by step.

    Attributes:
        count: how many positions there have been; the last one has the index ``count - 1``.
    """

    def __init__(self) -> None:
        self.count = 0
        self._match: Playthrough | None = None
        self._positions: deque[msgspec.Raw] = deque(maxlen=MAX_POSITIONS)

    @property
    def state(self) -> State | None:
        """The present position, None before the match has begun."""
        return None if self._match is None else self._match.state

    def since(self, index: int) -> list[msgspec.Raw]:
        """The positions from this index on, as far as they are kept, each encoded."""
        wanted = min(self.count - index, len(self._positions))
        return list(self._positions)[-wanted:] if wanted > 0 else []

    def begin(self, state: State) -> None:
        """The match begins in ``state``."""
        self._match = Playthrough(state)
        self._add(Position(self.count, 0, None, state.to_json()))

    def follow(self, event: MatchEvent) -> None:
        """A turn was played, or a seat has forfeited; neither is shown before the match begins."""
        if self._match is None:
            return
        for change in self._match.follow(event):
            if isinstance(event, TurnRecord):
                index = change.index or 0
                seen = self.position_after(change.state, event.turn, event.seat, event.steps, index)
            else:
                seen = Position(
                    self.count,
                    0,
                    event.seat,
                    change.state.to_json(),
                    forfeit=event.reason,
                    detail=str(event.detail),
                    detail_cause=reason_of(event.detail),
                )
            self._add(seen)

    def position_after(
        self, state: State, turn: int, seat: int, steps: Sequence[list[Any]], index: int
    ) -> Position:
        """The position ``state`` that step ``index`` of a turn led to, as the next one."""
        return Position(self.count, turn, seat, state.to_json(), list(steps), index)

    def _add(self, position: Position) -> None:
        self._positions.append(msgspec.Raw(_encode(position)))
        self.count += 1
