"""The record of a match: what an event log holds is what its replay says."""

from __future__ import annotations

import gc

import msgspec
import pytest

from polynya_protocol.messages import Clock
from polynya_server.records import (
    EventLog,
    ForfeitRecord,
    MatchEvent,
    MatchRecord,
    MatchSetup,
    TurnRecord,
    bounded_steps,
    decode_replay,
    encode_replay,
)

SETUP = MatchSetup(
    match="ladder-1", game="packeis", players=("left", "right"), clock=Clock(move_ms=50), seed=3
)


def turn(number: int) -> TurnRecord:
    return TurnRecord(
        turn=number,
        seat=number % 2,
        steps=[["place", number]],
        queued_us=10 * number,
        flushed_us=10 * number + 1,
        first_byte_us=10 * number + 2,
        last_byte_us=10 * number + 3,
        kernel=True,
        charged_ms=1,
        remaining_ms=[None, None],
        loop_delay_us=0,
        info={"depth": number},
    )


LOST = ForfeitRecord(turn=3, seat=1, reason="resigned", detail="it resigned")
EVENTS: list[MatchEvent] = [turn(1), turn(2), LOST]


def record(events: list[MatchEvent] | EventLog) -> MatchRecord:
    return MatchRecord(
        setup=SETUP,
        options={},
        state={"phase": "placement"},
        software=[None, None],
        server="1",
        started_ms=1,
        finished_ms=2,
        events=events,
        ranking=[1, 2],
        scores=[0, 0],
        reason="forfeit",
    )


def test_a_log_is_the_sequence_of_the_events_that_came() -> None:
    log = EventLog(EVENTS)
    assert len(log) == 3
    assert list(log) == EVENTS
    assert log[0] == EVENTS[0]
    assert log[-1] == LOST
    assert log[1:] == EVENTS[1:]


def test_refused_steps_are_kept_up_to_a_bound() -> None:
    steps = [["place", "x" * 90]] * 100
    kept, left_out = bounded_steps(steps)
    assert len(kept) + left_out == 100
    assert kept == steps[: len(kept)]
    assert 3_900 < len(msgspec.msgpack.encode(kept)) <= 4_200


def test_refused_value_that_is_no_list_is_kept_whole_or_not_at_all() -> None:
    assert bounded_steps({"place": 1}) == ({"place": 1}, 0)
    assert bounded_steps("x" * 5_000) == (None, 0)
    assert bounded_steps([["place", "x" * 5_000], ["end"]]) == ([], 2)


def test_a_log_has_no_event_after_its_last() -> None:
    with pytest.raises(IndexError):
        EventLog(EVENTS)[3]


def test_a_log_equals_a_list_of_the_same_events_and_no_other() -> None:
    assert EventLog(EVENTS) == EVENTS
    assert EventLog(EVENTS) == EventLog(EVENTS)
    assert EventLog(EVENTS) != EVENTS[:2]
    assert EventLog(EVENTS) != "events"


def test_view_of_a_growing_log_stays_as_it_was() -> None:
    log = EventLog(EVENTS)
    events = iter(log)
    log.append(turn(4))
    assert list(events) == EVENTS


def test_the_forfeits_of_a_record_are_found_in_a_log_and_in_a_list() -> None:
    assert record(EventLog(EVENTS)).forfeits == [LOST]
    assert record(EVENTS).forfeits == [LOST]


def test_the_replay_of_a_log_is_that_of_a_list() -> None:
    document = encode_replay(record(EventLog(EVENTS)))
    assert document == encode_replay(record(EVENTS))
    assert decode_replay(document) == record(EventLog(EVENTS))


def test_a_replay_holds_nothing_but_plain_data() -> None:
    strange = MatchRecord(
        setup=SETUP,
        options={"board": object()},
        state={},
        software=[],
        server="1",
        started_ms=1,
        finished_ms=2,
        events=[],
        ranking=None,
        scores=None,
        reason="aborted",
    )
    with pytest.raises(TypeError, match="plain data only, and object is none"):
        encode_replay(strange)


def test_events_in_a_log_give_the_garbage_collector_nothing_to_look_at() -> None:
    assert not any(map(gc.is_tracked, EventLog(EVENTS).encoded))


@pytest.mark.parametrize("count", [0, 15, 16, 300, 2**16 - 1, 2**16])
def test_a_log_of_any_length_is_encoded_as_the_list_of_its_events(count: int) -> None:
    events: list[MatchEvent] = [LOST] * count
    log = EventLog()
    log.encoded.extend(EventLog([LOST]).encoded * count)
    assert encode_replay(record(events)) == encode_replay(record(log))
