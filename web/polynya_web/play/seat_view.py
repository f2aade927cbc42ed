"""The positions of a match as the page of a person's seat shows them, step by step.

In games in which everybody sees everything they follow from the events. In the others the seat has
its own view of each position, and never a step that is concealed from it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any

import msgspec

from polynya_common.reasons import reason_of
from polynya_games import Game, State
from polynya_games.playthrough import Playthrough
from polynya_games.seats import SeatState, acting
from polynya_server import ForfeitRecord, TurnRecord
from polynya_server.match.seat import Transition
from polynya_server.records import MatchEvent
from polynya_web.content.boards.drawn_board import drawn_board
from polynya_web.content.seats.told_events import ToldTurn, as_told
from polynya_web.play.table_state import Position

MAX_POSITIONS = 64
"""Positions kept: more than two rounds of any game."""

_encode = msgspec.json.Encoder().encode


class SeatView:
    """The last positions of a match in which everybody sees everything.

    Attributes:
        count: how many positions there have been; the last one has the index ``count - 1``.
    """

    def __init__(self, game: Game) -> None:
        self.count = 0
        self._game = game
        self._match: Playthrough | None = None
        self._positions: deque[msgspec.Raw] = deque(maxlen=MAX_POSITIONS)

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now; none before the match has begun."""
        return () if self._match is None else self._match.acting

    def since(self, index: int) -> list[msgspec.Raw]:
        """The positions from this index on, as far as they are kept, each encoded."""
        wanted = min(self.count - index, len(self._positions))
        return list(self._positions)[-wanted:] if wanted > 0 else []

    def begin(self, state: State) -> None:
        """Begin the match in ``state``."""
        self._match = Playthrough(state)
        self._add(self._position(state.to_json()))

    def follow(self, event: MatchEvent, within: Transition | None) -> None:  # noqa: ARG002
        """A turn was played, or a seat has forfeited; neither is shown before the match begins."""
        if self._match is None:
            return
        for change in self._match.follow(event):
            document = change.state.to_json()
            if isinstance(event, TurnRecord):
                self._add(self._step(document, event, event.steps, change.index or 0))
            else:
                self._add(self._forfeit(document, event))

    def composed(self, seat: int, turn: int, before: State, steps: Sequence[list[Any]]) -> Position:
        """The next position, to which the steps of an unfinished turn lead."""
        state = before
        for step in steps:
            state = state.apply(step)
        return self._position(
            state.to_json(), turn=turn, seat=seat, steps=list(steps), step_index=len(steps) - 1
        )

    def _position(self, document: dict[str, Any], **keys: Any) -> Position:
        drawn = drawn_board(self._game, document)
        keys = {"turn": 0, "seat": None, **keys}
        return Position(
            index=self.count, state=document, rows=drawn.rows, board=drawn.board, **keys
        )

    def _step(
        self,
        document: dict[str, Any],
        turn: TurnRecord | ToldTurn,
        steps: list[Any],
        index: int,
        **keys: Any,
    ) -> Position:
        keys = {"turn": turn.turn, "seat": turn.seat, "steps": steps, **keys}
        return self._position(document, step_index=index, **keys)

    def _forfeit(self, document: dict[str, Any], forfeit: ForfeitRecord, **keys: Any) -> Position:
        keys = {"seat": forfeit.seat, "forfeit": forfeit.reason, **keys}
        cause = reason_of(forfeit.detail)
        return self._position(document, detail=str(forfeit.detail), detail_cause=cause, **keys)

    def _add(self, position: Position) -> None:
        self._positions.append(msgspec.Raw(_encode(position)))
        self.count += 1


class OwnView(SeatView):
    """The same in a match with joint turns or hidden parts: the seat's own view.

    Args:
        game: the game.
        seat: the seat.
    """

    def __init__(self, game: Game, seat: int) -> None:
        super().__init__(game)
        self._seat = seat
        self._known: SeatState | None = None
        self._untold: list[MatchEvent] = []

    @property
    def acting(self) -> tuple[int, ...]:
        """The seats that choose now; none before the match has begun."""
        return () if self._known is None else self._known.acting

    def begin(self, state: State) -> None:
        """Begin the match in ``state``."""
        self._known = SeatState.of(state, self._seat)
        self._add(self._position(dict(self._known.view), seen=list(self._known.seen)))

    def follow(self, event: MatchEvent, within: Transition | None) -> None:
        """Show the events of a transition together, each with the position after it."""
        if self._known is None or within is None:
            return
        self._untold.append(event)
        if within.is_last:
            self._known = known = SeatState.of(within.state, self._seat)
            told, self._untold = self._untold, []
            for one in told:
                self._add(self._told(one, known, is_last=one is event))

    def _told(self, event: MatchEvent, known: SeatState, *, is_last: bool) -> Position:
        document, seen = dict(known.view), list(known.seen) if is_last else []
        told = as_told(event, known)
        if isinstance(told, ForfeitRecord):
            return self._forfeit(document, told, seen=seen)
        if told.steps is None:
            return self._position(document, turn=told.turn, seat=told.seat, seen=seen)
        return self._step(document, told, told.steps, len(told.steps) - 1, seen=seen)

    def composed(self, seat: int, turn: int, before: State, steps: Sequence[list[Any]]) -> Position:
        """The position that the seat knows: a step that ends a turn may uncover something."""
        state = before
        if len(acting(before)) == 1:
            for step in steps:
                after = state.apply(step)
                state = state if after.turn_over else after
        view = dict(SeatState.of(state, seat).view)
        return self._position(
            view, turn=turn, seat=seat, steps=list(steps), step_index=len(steps) - 1
        )
