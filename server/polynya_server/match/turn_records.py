"""Builds the record of a turn from a seat's answer, and that of a forfeit from its fault."""

from __future__ import annotations

from typing import Any, cast

from polynya_games import State
from polynya_server.match.seat import Answer, Fault
from polynya_server.records import ForfeitRecord, TurnRecord, bounded_steps
from polynya_server.timing.monotonic_clock import NS_PER_US

Steps = list[list[Any]]


def played_steps(before: State, after: State, steps: object) -> Steps:
    """The steps that were applied on the way from ``before`` to ``after``.

    Steps after the end of the match are neither checked nor recorded.
    """
    played = cast("Steps", steps)
    if after.to_move is not None or len(played) == 1:
        return played
    state = before
    for count, step in enumerate(played, start=1):
        state = state.apply_legal(tuple(step))
        if state.to_move is None:
            return played[:count]
    return played


def turn_record(
    answer: Answer,
    steps: Steps,
    turn_number: int,
    seat: int,
    remaining_ms: list[int | None],
    began_ns: int,
) -> TurnRecord:
    """Build the record of a legal turn; ``began_ns`` is when the match began."""
    timing = answer.timing
    return TurnRecord(
        turn=turn_number,
        seat=seat,
        steps=steps,
        queued_us=(timing.asked_ns - began_ns) // NS_PER_US,
        flushed_us=(timing.clock_started_ns - began_ns) // NS_PER_US,
        first_byte_us=(timing.first_ns - began_ns) // NS_PER_US,
        last_byte_us=(timing.last_ns - began_ns) // NS_PER_US,
        kernel=timing.by_kernel,
        charged_ms=timing.charged_ms,
        remaining_ms=remaining_ms,
        loop_delay_us=timing.loop_delay_ns // NS_PER_US,
        info=answer.info,
    )


def forfeit_record(fault: Fault, seat: int, turn_number: int, began_ns: int) -> ForfeitRecord:
    """Build the record of a forfeit during turn ``turn_number``."""
    timing = fault.timing
    if timing is None:
        return ForfeitRecord(turn=turn_number, seat=seat, reason=fault.reason, detail=fault.detail)
    answered = timing.answered
    refused_steps, left_out = bounded_steps(fault.refused_steps)
    return ForfeitRecord(
        turn=turn_number,
        seat=seat,
        reason=fault.reason,
        detail=fault.detail,
        queued_us=(timing.asked_ns - began_ns) // NS_PER_US,
        flushed_us=(timing.clock_started_ns - began_ns) // NS_PER_US,
        first_byte_us=(timing.first_ns - began_ns) // NS_PER_US if answered else None,
        last_byte_us=(timing.last_ns - began_ns) // NS_PER_US if answered else None,
        kernel=timing.by_kernel,
        limit_ms=timing.limit_ms,
        charged_ms=timing.charged_ms,
        loop_delay_us=timing.loop_delay_ns // NS_PER_US,
        refused_steps=refused_steps,
        refused_left_out=left_out,
    )
