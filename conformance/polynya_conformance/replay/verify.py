"""Verifies a replay by playing the match again through the rules; reports all differences.

It checks the set-up, every turn and every forfeit, the sums of the clocks, and the result. A
forfeit must have been possible, its times must support it, and refused steps must be illegal, if
the record has all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.reasons import Cause, Reason, reason_of
from polynya_conformance.replay.recorded_times import forfeit_times, match_times, turn_times
from polynya_conformance.replay.text_reader import is_text_form, read_text
from polynya_games import GameError, IllegalTurn, State, load
from polynya_games.playthrough import Playthrough
from polynya_games.turns import check_answer
from polynya_server.errors import cause_of_refusal
from polynya_server.match.match_setup import create_initial_state
from polynya_server.match.time_control import MatchClock, check_untimed
from polynya_server.records import (
    REPLAY_VERSION,
    ForfeitRecord,
    MatchEvent,
    MatchRecord,
    TurnRecord,
    decode_replay,
)


def read_replay(file: Path) -> MatchRecord:
    """The record in a replay file.

    Raises:
        ConfigurationError: the file cannot be read.
        TournamentError: it is not a replay; the message says why.
    """
    try:
        document = file.read_bytes()
    except OSError as error:
        raise ConfigurationError(f"{file} cannot be read: {error.strerror}") from error
    return parse_replay(document, str(file))


def parse_replay(document: bytes, source: Cause) -> MatchRecord:
    """The record in a replay document, or in a match's text form; ``source`` names it in the error.

    Raises:
        TournamentError: the document is no replay, or one of a version that is not known here, or
            the rules do not allow what a text says.
    """
    if is_text_form(document):
        return read_text(document, source)
    try:
        record = decode_replay(document)
    except (ValueError, RecursionError) as error:
        raise TournamentError(_fault(document, source, str(error))) from error
    if record.version != REPLAY_VERSION:
        raise TournamentError(_of_version(source, record.version))
    return record


def _fault(document: bytes, source: Cause, said: str) -> Reason:
    """Say why a document does not decode.

    The decoder's message ``said`` names a place in a replay, so it helps only with replays.
    """
    if not document:
        return Reason.of("file_empty", source=source)
    if said == "Input data was truncated":
        return Reason.of("file_incomplete", source=source)
    version = _version(document)
    if version is None:
        return Reason.of("file_no_replay", source=source)
    if version != REPLAY_VERSION:
        return _of_version(source, version)
    return Reason.of("file_damaged", source=source, reason=said)


class _Versioned(msgspec.Struct):
    """The fields that replays of all versions have."""

    version: int


def _version(document: bytes) -> int | None:
    """The version of a replay that a document states; None if it states none."""
    try:
        return msgspec.msgpack.decode(document, type=_Versioned).version
    except (ValueError, RecursionError):
        return None


def _of_version(source: Cause, version: int) -> Reason:
    return Reason.of("file_of_other_version", source=source, version=version, own=REPLAY_VERSION)


def differences(record: MatchRecord) -> list[str]:
    """List the differences between a replay and the rules, as sentences that name the place.

    After an impossible event, later ones cannot be checked.
    """
    if record.rules_failed and not (record.state or record.events):
        return []  # they failed in the set-up: nothing was played
    try:
        state, options = create_initial_state(load, record.setup)
        check_untimed(record.setup.untimed, state.players, rated=record.setup.rated)
        clock = MatchClock(record.setup.clock, state.players, record.setup.untimed)
    except ValueError as error:  # a GameError is one
        return [f"the set-up: {error}"]
    again = _PlayedAgain(state, clock, record.setup.game)
    found = [*_setup_differences(record, state, options), *match_times(record)]
    events: Sequence[MatchEvent] = ()
    try:
        for events in again.match.transitions(_events_in_play(record)):
            found.extend(again.follow(events))
    except GameError as error:
        return [*found, f"{_place(events[0])}: {error}"]
    return [*found, *_result_differences(record, again.match.state)]


def _setup_differences(
    record: MatchRecord, state: State, options: Mapping[str, Any]
) -> Iterator[str]:
    if state.to_json() != record.state:
        yield "the set-up: the seed and the options give another initial position than the recorded"
    for name, value in record.options.items():  # without options that the game did not have then
        if name not in options or value != options[name]:
            yield (
                f"the set-up: the option {name:.100} is recorded as {value!r:.100}, the match has "
                f"{options.get(name)!r:.100}"
            )
    for name, value in record.setup.options.items():
        if name not in record.options:
            yield f"the set-up: the option {name:.100} is {value!r:.100}, but not recorded as such"
    for name in ("software", "setup.ratings"):
        values = record.software if name == "software" else record.setup.ratings
        if values and len(values) != state.players:
            yield f"the set-up: {name} has {len(values)} entries for {state.players} seats"


def _events_in_play(record: MatchRecord) -> Sequence[MatchEvent]:
    """The events that the rules can follow: without forfeits of a match that never began.

    When fewer than two bots are ready the match is aborted, and each missing bot forfeits; but a
    position always has at least one player left.
    """
    if record.reason != "aborted":
        return record.events
    return [event for event in record.events if event.turn > 0]


class _PlayedAgain:
    """The replayed match so far, with its clocks."""

    def __init__(self, state: State, clock: MatchClock, game: str) -> None:
        self.match = Playthrough(state)
        self._game = game
        self._clock = clock

    def follow(self, events: Sequence[MatchEvent]) -> Iterator[str]:
        """Follow a turn or forfeit, or a whole joint turn; yield differences.

        Raises:
            GameError: the events are impossible.
        """
        before, asked, number = self.match.state, self._asked(), self.match.turn
        limits = [asked.get(event.seat, 0) for event in events]
        changes = self.match.follow(*events)
        for event in events:
            if isinstance(event, TurnRecord):
                self._clock.charge(event.seat, event.charged_ms)
        for event, limit_ms in zip(events, limits, strict=True):
            if isinstance(event, TurnRecord):
                whats = self._turn(event, number, limit_ms, len(changes))
            else:
                whats = self._forfeit(event, number, asked, before)
            yield from (f"{_place(event)}: {what}" for what in whats)

    def _asked(self) -> dict[int, int]:
        """The seats that are asked, each with its time limit in ms.

        Raises:
            GameError: the match is over.
        """
        if not self.match.acting:
            raise GameError(str(self.match.asked))
        return {seat: self._clock.limit_ms(seat) for seat in self.match.acting}

    def _turn(self, turn: TurnRecord, last: int, limit_ms: int, played: int) -> Iterator[str]:
        if turn.turn != last + 1:
            yield f"it should be turn {last + 1}"
        if played < len(turn.steps):
            yield f"it has {len(turn.steps)} steps, but the match ends with step {played}"
        if not 0 <= turn.charged_ms <= limit_ms:
            yield f"{turn.charged_ms} ms were charged where {limit_ms} ms were allowed"
        elif turn.remaining_ms != self._clock.remaining_ms():
            yield (
                f"the budgets after it are recorded as {turn.remaining_ms}, "
                f"the charged times give {self._clock.remaining_ms()}"
            )
        yield from turn_times(turn)

    def _forfeit(
        self, forfeit: ForfeitRecord, last: int, asked: Mapping[int, int], before: State
    ) -> Iterator[str]:
        if forfeit.turn not in (last, last + 1):
            yield f"it should be in turn {last} or {last + 1}"
        elif forfeit.limit_ms is not None and forfeit.turn == last:
            yield f"it should be in turn {last + 1}, which was asked for"
        if forfeit.limit_ms is not None and asked.get(forfeit.seat) != forfeit.limit_ms:
            allowed = ", ".join(f"seat {seat} with {ms} ms" for seat, ms in asked.items())
            yield f"another seat or limit was asked: {allowed}"
        if forfeit.reason == "not_ready" and forfeit.turn > 0:
            yield "a bot that has played a turn was ready"
        if forfeit.refused_left_out and (
            forfeit.refused_left_out < 0 or not isinstance(forfeit.refused_steps, list)
        ):
            yield f"{forfeit.refused_left_out} further steps, but no first ones"
        if forfeit.refused_steps is not None and forfeit.reason != "illegal_move":
            yield f"steps that were refused, but it is lost by {forfeit.reason}"
        yield from forfeit_times(forfeit)
        if forfeit.refused_steps is not None and not forfeit.refused_left_out:
            yield from self._refusal_differences(forfeit, before)

    def _refusal_differences(self, forfeit: ForfeitRecord, before: State) -> Iterator[str]:
        """Compare the rules' refusal of the recorded steps with the recorded refusal."""
        try:
            check_answer(before, forfeit.seat, forfeit.refused_steps)
        except IllegalTurn as error:
            yield from _reason_differences(forfeit, cause_of_refusal(error, self._game))
        else:
            yield "the steps that were refused are a legal turn"


def _reason_differences(forfeit: ForfeitRecord, given: Cause) -> Iterator[str]:
    recorded, by_rules = reason_of(forfeit.detail), reason_of(given)
    if recorded is None or by_rules is None:
        return
    if (recorded.code, recorded.fields) != (by_rules.code, by_rules.fields):
        yield (
            f"its reason is recorded as {recorded.code} with {recorded.fields}, "
            f"the rules give {by_rules.code} with {by_rules.fields}"
        )


def _result_differences(record: MatchRecord, state: State) -> Iterator[str]:
    recorded = (record.ranking, record.scores, record.termination)
    none_left = len(state.forfeited) == state.players
    if record.reason != "annulled" and record.all_forfeited != none_left:
        yield f"the result: {len(state.forfeited)} of {state.players} seats have forfeited"
    if record.reason in ("aborted", "annulled"):
        if recorded != (None, None, None):
            yield f"the result: an {record.reason} match has none, but one is recorded"
        if record.server_fault != (record.reason == "annulled"):
            yield "the result: exactly the annulled matches are the server's fault"
        return
    outcome = state.outcome
    if outcome is None:
        yield "the result: the match is not over after the recorded events"
        return
    computed = (list(outcome.ranking), list(outcome.scores), outcome.termination.value)
    if record.server_fault:
        yield "the result: it counts, but is recorded as the server's fault"
    for name, ours, theirs in zip(
        ("ranking", "scores", "termination"), computed, recorded, strict=True
    ):
        if ours != theirs:
            yield f"the result: {name} {theirs} recorded, the rules give {ours}"
    expected = "forfeit" if outcome.termination.value == "forfeit" else "finished"
    if record.reason != expected:
        yield f"the result: reason {record.reason} recorded, the rules give {expected}"


def _place(event: MatchEvent) -> str:
    what = "turn" if isinstance(event, TurnRecord) else "forfeit in turn"
    return f"{what} {event.turn}, seat {event.seat}"
