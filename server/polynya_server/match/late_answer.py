"""Says why a match is annulled, or why a late answer is a forfeit."""

from __future__ import annotations

from collections.abc import Sequence

from polynya_common.reasons import Reason
from polynya_games import RulesFailed
from polynya_protocol.errors import printable
from polynya_server.log import log
from polynya_server.match.seat import Answer
from polynya_server.records import RulesFailure
from polynya_server.timing.monotonic_clock import NS_PER_MS

_MOST_SAID = 300
"""The number of characters of the rules' own error that stand in a reason."""

_MOST_ASKED = 4_000
"""The number of characters of a question that stand in a record."""


def is_server_fault(overrun_ms: int, loop_delay_ns: int) -> bool:
    """Whether the server was late by more than half of an answer's overrun."""
    return 2 * loop_delay_ns > overrun_ms * NS_PER_MS


def why_annulled(turn_number: int, overrun_ms: int, loop_delay_ns: int) -> Reason:
    """Reason for annulling a match in which the server was late.

    Args:
        turn_number: the turn that was answered.
        overrun_ms: its charge minus its limit.
        loop_delay_ns: the largest delay of the server while the bot's clock ran.
    """
    return Reason.of(
        "server_was_late",
        turn=turn_number,
        over_ms=overrun_ms,
        delay_ms=loop_delay_ns // NS_PER_MS,
    )


def why_rules_failed(turn_number: int, error: RulesFailed, seats: Sequence[int] = ()) -> Reason:
    """Reason for annulling a match whose rules gave no usable answer, which all may see.

    Args:
        turn_number: the turn that ended with it; 0 in the set-up.
        error: what they did.
        seats: those that had answered in the turn.
    """
    log.error(
        "the rules of a game failed",
        game=error.game,
        turn=turn_number,
        seats=list(seats),
        question=error.question,
        why=str(error),
        output=error.output,
    )
    said = printable(str(error))[:_MOST_SAID]
    return Reason.of("rules_failed", turn=turn_number, why=said)


def rules_failure(error: RulesFailed, seats: Sequence[int] = ()) -> RulesFailure:
    """The note for the operator in the record of a match whose rules failed."""
    return RulesFailure(tuple(seats), printable(error.question)[:_MOST_ASKED])


def why_late(turn_number: int, overrun_ms: int, answer: Answer) -> Reason:
    """Reason for the forfeit of a seat that answered ``overrun_ms`` too late."""
    timing = answer.timing
    return Reason.of(
        "late",
        turn=turn_number,
        charged_ms=timing.charged_ms,
        over_ms=overrun_ms,
        limit_ms=timing.limit_ms,
        unnamed=answer.unnamed or None,
    )
