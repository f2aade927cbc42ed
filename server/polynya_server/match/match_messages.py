"""Builds the messages about a match, for players and spectators, and the legal steps in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from polynya_games import IllegalStep, InvalidStep, State
from polynya_games.turns import illegal_step, step_after_turn
from polynya_protocol.messages import (
    Forfeited,
    MatchOver,
    MatchResume,
    MatchStart,
    Moved,
    RatingChange,
)
from polynya_server.match.position import Position
from polynya_server.match.seat import MatchContext
from polynya_server.records import (
    ForfeitRecord,
    MatchRecord,
    MatchSetup,
    TurnRecord,
    players_of,
)

Steps = list[list[Any]]


def legal_steps(state: State) -> Steps:
    """All legal steps, in the form of the messages."""
    return [list(step) for step in state.legal_steps()]


def steps_after(state: State, steps: list[Any]) -> tuple[Steps, bool]:
    """The legal steps after ``steps`` of a turn that begins in ``state``; whether it is complete.

    Raises:
        IllegalTurn: names the first bad step and why.
    """
    position = state
    for index, step in enumerate(steps):
        if index and (position.to_move is None or position.turn_over):
            raise step_after_turn(index, step)
        try:
            position = position.apply(step)
        except (InvalidStep, IllegalStep) as error:
            raise illegal_step(index, step, error) from error
    is_over = position.to_move is None or (len(steps) > 0 and position.turn_over)
    return ([] if is_over else legal_steps(position)), is_over


def match_start(match: MatchContext, seq: int, seat_index: int) -> MatchStart:
    """The first message to a seat."""
    return MatchStart(
        match=match.setup.match,
        seq=seq,
        game=match.setup.game,
        seat=seat_index,
        players=players_of(match.setup),
        options=match.options,
        clock=match.setup.clock,
        state=match.initial,
    )


class MatchSnapshot(Protocol):
    """A match at one moment: its present state, or the state that spectators see."""

    @property
    def setup(self) -> MatchSetup:
        """The set-up: game, players, clock."""

    @property
    def options(self) -> dict[str, Any]:
        """The game's options with the defaults filled in."""

    @property
    def position(self) -> Position:
        """The position and the clocks between two turns."""


def match_resume(match: MatchSnapshot, seq: int, seat_index: int | None) -> MatchResume:
    """The state of a match, for a seat whose bot came back or for a spectator (seat None)."""
    setup, position = match.setup, match.position
    return MatchResume(
        match=setup.match,
        seq=seq,
        game=setup.game,
        seat=seat_index,
        players=players_of(setup),
        options=match.options,
        clock=setup.clock,
        state=position.state.to_json(),
        remaining_ms=position.remaining_ms,
    )


def moved_message(match_id: str, seq: int, turn: TurnRecord) -> Moved:
    """A turn was played. Arguments are positional: this runs for each turn and seat."""
    return Moved(
        match_id, seq, turn.turn, turn.seat, turn.steps, turn.charged_ms, turn.remaining_ms
    )


def forfeited_message(match_id: str, seq: int, forfeit: ForfeitRecord) -> Forfeited:
    """A seat has forfeited."""
    return Forfeited(
        match=match_id,
        seq=seq,
        seat=forfeit.seat,
        reason=forfeit.reason,
        detail=str(forfeit.detail),
    )


def match_over(record: MatchRecord, changes: Sequence[RatingChange], seq: int) -> MatchOver:
    """The result."""
    return MatchOver(
        match=record.setup.match,
        seq=seq,
        ranking=record.ranking,
        scores=record.scores,
        reason=record.reason,
        detail=None if record.detail is None else str(record.detail),
        replay=record.setup.match,
        ratings=list(changes) or None,
    )
