"""The messages that tell of a match, made from its values: for players and for spectators."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

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
    """A match as it stands, or as it is shown."""

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
    """How the match stands: to a seat whose bot came back, or to a spectator (seat None)."""
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
    """A turn was played; positional arguments, for this is made for each turn and seat."""
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
