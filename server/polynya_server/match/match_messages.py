"""Builds the messages about a match, for players and spectators, and the legal steps in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from polynya_games import IllegalStep, InvalidStep, State, seats
from polynya_games.turns import illegal_step, joint_step, step_after_turn
from polynya_protocol.messages import (
    Forfeited,
    ForfeitReason,
    MatchOver,
    MatchResume,
    MatchStart,
    Moved,
    RatingChange,
)
from polynya_server.match.match_setup import PLAIN, MatchTerms
from polynya_server.match.position import Position
from polynya_server.match.seat import MatchContext, Transition
from polynya_server.records import (
    ForfeitRecord,
    MatchRecord,
    MatchSetup,
    TurnRecord,
    players_of,
)

Steps = list[list[Any]]


STANDARD_DETAIL: dict[ForfeitReason, str] = {
    "illegal_move": "its steps were not legal",
    "timeout": "it did not answer in time",
    "disconnected": "it lost its connection or left",
    "resigned": "it resigned",
    "not_ready": "it was not ready",
    "protocol_error": "it broke the protocol",
}
"""The sentences for the others about a forfeit in a match with joint turns or hidden parts."""


def legal_steps(state: State, seat: int | None = None) -> Steps:
    """The legal steps of a seat (None for the one to move), in the form of the messages."""
    steps = state.legal_steps() if seat is None else seats.legal_steps(state, seat)
    return [list(step) for step in steps]


def steps_after(state: State, steps: list[Any], seat: int | None = None) -> tuple[Steps, bool]:
    """The legal steps after ``steps`` of a turn that begins in ``state``; whether it is complete.

    Args:
        state: the position in which the turn begins.
        steps: the steps so far, of any form.
        seat: whose turn it is; None for the seat to move.

    Raises:
        IllegalTurn: names the first bad step and why.
    """
    if seat is not None and len(seats.acting(state)) > 1:
        if not steps:
            return legal_steps(state, seat), False
        joint_step(state, seat, steps)
        return [], True
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
        state=match.initial
        if match.terms.is_plain
        else seats.view(match.initial_state, seat_index),
        **keys_of_terms(match.terms, match.initial_state),
    )


def keys_of_terms(terms: MatchTerms, state: State) -> dict[str, Any]:
    """The keys that only a match with joint turns or hidden parts has."""
    if terms.is_plain:
        return {}
    return {
        "acting": list(seats.acting(state)),
        "view": terms.has_view or None,
        "joint": terms.joint or None,
        "commitment": terms.commitment,
    }


class MatchSnapshot(Protocol):
    """A match at one moment: its present state, or the state that spectators see."""

    @property
    def setup(self) -> MatchSetup:
        """The set-up: game, players, clock."""

    @property
    def options(self) -> dict[str, Any]:
        """The game's options with the defaults filled in."""

    @property
    def terms(self) -> MatchTerms:
        """Whether the match has joint turns or hidden parts, and the terms of these."""

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
        state=seats.view(position.state, seat_index),
        remaining_ms=position.remaining_ms,
        **keys_of_terms(match.terms, position.state),
    )


def moved_message(
    match_id: str,
    seq: int,
    turn: TurnRecord,
    receiver: int | None = None,
    within: Transition | None = None,
    terms: MatchTerms = PLAIN,
) -> Moved:
    """A turn was played. Arguments are positional: this runs for each turn and seat.

    Args:
        match_id: the match.
        seq: the number of the message.
        turn: the turn.
        receiver: a seat, None for the spectators.
        within: the turn's transition in a match with joint turns or hidden parts, of which each
            receiver is told what it may know.
        terms: the match's.
    """
    if within is None:
        return Moved(
            match_id, seq, turn.turn, turn.seat, turn.steps, turn.charged_ms, turn.remaining_ms
        )
    is_told = turn.seat not in seats.concealed(within.state, receiver)
    return Moved(
        match=match_id,
        seq=seq,
        turn=turn.turn,
        seat=turn.seat,
        steps=turn.steps if is_told else None,
        elapsed_ms=turn.charged_ms,
        remaining_ms=turn.remaining_ms,
        **_end_of_transition(receiver, within, terms),
    )


def forfeited_message(
    match_id: str,
    seq: int,
    forfeit: ForfeitRecord,
    receiver: int | None = None,
    within: Transition | None = None,
    terms: MatchTerms = PLAIN,
) -> Forfeited:
    """A seat has forfeited; in a match with a transition only it is told what was wrong."""
    if within is None:
        return Forfeited(
            match=match_id,
            seq=seq,
            seat=forfeit.seat,
            reason=forfeit.reason,
            detail=str(forfeit.detail),
        )
    is_own = forfeit.seat == receiver
    return Forfeited(
        match=match_id,
        seq=seq,
        seat=forfeit.seat,
        reason=forfeit.reason,
        detail=str(forfeit.detail) if is_own else STANDARD_DETAIL[forfeit.reason],
        turn=forfeit.turn,
        **_end_of_transition(receiver, within, terms),
    )


def _end_of_transition(
    receiver: int | None, within: Transition, terms: MatchTerms
) -> dict[str, Any]:
    """The keys of a transition's last message alone: seats to move next, and new knowledge."""
    if not within.is_last:
        return {}
    state = within.state
    told: dict[str, Any] = {
        "acting": list(seats.acting(state)),
        "seen": seats.seen(state, receiver) or None,
    }
    if receiver is None:
        scores = None if terms.scores is None else terms.scores(state)
        told["state"] = seats.view(state, None)
        told["scores"] = None if scores is None else list(scores)
    return told


def match_over(record: MatchRecord, changes: Sequence[RatingChange], seq: int) -> MatchOver:
    """The result; if all seats have forfeited all are told rank 1, though nothing counts."""
    all_forfeited = record.all_forfeited
    return MatchOver(
        match=record.setup.match,
        seq=seq,
        ranking=[1] * len(record.setup.players) if all_forfeited else record.ranking,
        scores=record.scores,
        reason="forfeit" if all_forfeited else record.reason,
        detail=None if record.detail is None else str(record.detail),
        replay=record.setup.match,
        ratings=list(changes) or None,
        deal=record.setup.deal if record.setup.reveal == "match" else None,
    )
