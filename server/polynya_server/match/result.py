"""Builds the record of a match that has ended."""

from __future__ import annotations

import time
from typing import Any

import msgspec

import polynya_games
from polynya_common.reasons import Cause, Reason
from polynya_games import Outcome, Termination
from polynya_protocol.messages import OverReason, Software
from polynya_server.match.match_setup import create_initial_state
from polynya_server.match.referee import Referee
from polynya_server.records import MachineLoad, MatchRecord, MatchSetup, RulesFailure
from polynya_server.timing.monotonic_clock import NS_PER_MS
from polynya_server.version import version

ALL_FORFEITED = Reason.of("all_forfeited")
"""Why a match has no result in which all seats forfeited: it counts as if all had been absent
(wire contract, "On the wire")."""


def match_record(
    setup: MatchSetup,
    options: dict[str, Any],
    initial: dict[str, Any],
    software: list[Software | None],
    started_ms: int,
    referee: Referee,
    machine: MachineLoad | None = None,
) -> MatchRecord:
    """Build the record of a match that ``referee`` has played to its end.

    Args:
        setup: the match as it was to be played.
        options: the game's options with the defaults filled in.
        initial: the initial position, as JSON.
        software: each bot's own name and version, by seat.
        started_ms: when it began, ms since 1970.
        referee: knows the rest.
        machine: how busy the machine was.
    """
    broken_off = referee.annulled or referee.aborted
    if broken_off is None and len(referee.state.forfeited) == len(setup.players):
        broken_off = ALL_FORFEITED
    outcome = None if broken_off else referee.state.outcome
    return MatchRecord(
        setup=setup,
        options=options,
        state=initial,
        software=software,
        server=version(),
        started_ms=started_ms,
        finished_ms=time.time_ns() // NS_PER_MS,
        events=referee.events,
        ranking=list(outcome.ranking) if outcome else None,
        scores=list(outcome.scores) if outcome else None,
        reason=_reason(referee, outcome),
        termination=outcome.termination.value if outcome else None,
        detail=broken_off,
        server_fault=referee.annulled is not None,
        machine=machine,
        rules_failure=referee.rules_failure or msgspec.UNSET,
    )


def _reason(referee: Referee, outcome: Outcome | None) -> OverReason:
    if referee.annulled:
        return "annulled"
    if outcome is None:
        return "aborted"
    return "forfeit" if outcome.termination is Termination.FORFEIT else "finished"


def unrecorded(record: MatchRecord) -> MatchRecord:
    """The record to tell the players if it could not be stored: without a result."""
    return msgspec.structs.replace(
        record,
        ranking=None,
        scores=None,
        reason="aborted",
        detail=Reason.of("not_recorded"),
    )


def record_without_position(
    setup: MatchSetup, why: Cause, failure: RulesFailure | None = None
) -> MatchRecord:
    """Build the record of an annulled match of which not even the initial position is known.

    With a ``failure`` of the rules, if that was why.
    """
    now_ms = time.time_ns() // NS_PER_MS
    return MatchRecord(
        setup=setup,
        options=dict(setup.options),
        state={},
        software=[None] * len(setup.players),
        server=version(),
        started_ms=now_ms,
        finished_ms=now_ms,
        events=[],
        ranking=None,
        scores=None,
        reason="annulled",
        detail=why,
        server_fault=True,
        rules_failure=failure or msgspec.UNSET,
    )


def annulled_record(setup: MatchSetup, why: Cause) -> MatchRecord:
    """Build the record of a match that could not be played, through no fault of a bot.

    Raises:
        ValueError: there is no such game, or not with these options (a ``GameError``).
    """
    state, options = create_initial_state(polynya_games.load, setup)
    return msgspec.structs.replace(
        record_without_position(setup, why), options=options, state=state.to_json()
    )
