"""Times that no server can have recorded are named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from polynya_common.reasons import Reason
from polynya_conformance.replay.verify import differences
from polynya_server.records import MatchRecord

Played = Callable[..., MatchRecord]


def with_event(record: MatchRecord, index: int, **changes: Any) -> MatchRecord:
    events = list(record.events)
    events[index] = replace(events[index], **changes)
    return replace(record, events=events)


TURNS: dict[str, tuple[dict[str, int], str]] = {
    "sent before it was asked": ({"flushed_us": 0}, "flushed before queued"),
    "answered before it was sent": (
        {"first_byte_us": 0, "last_byte_us": 40_000},
        "the first byte of the answer arrived before flushed",
    ),
    "an answer that ends before it begins": (
        {"last_byte_us": 13_000},
        "the last byte of the answer arrived before the first byte of the answer arrived",
    ),
    "less time than was charged": (
        {"first_byte_us": 10_010, "last_byte_us": 10_010},
        "3 ms were charged for 0 microseconds",
    ),
    "before the match": ({"queued_us": -1}, "a time before the match began"),
    "a delay below zero": ({"loop_delay_us": -1}, "a time before the match began"),
}


@pytest.mark.parametrize(("times", "said"), TURNS.values(), ids=TURNS)
def test_impossible_times_of_a_turn_are_named(
    played: Played, times: dict[str, int], said: str
) -> None:
    assert f"turn 1, seat 0: {said}" in differences(with_event(played(), 0, **times))


def test_turn_that_was_asked_for_during_an_earlier_one_is_named(played: Played) -> None:
    record = with_event(played(), 0, first_byte_us=2_000_000, last_byte_us=2_000_000)
    later = replace(record, finished_ms=record.started_ms + 10_000)
    said = "turn 2, seat 1: it was queued before the answer to an earlier turn had arrived"
    assert said in differences(later)


def test_match_that_ended_before_it_began_is_named(played: Played) -> None:
    record = played()
    backwards = replace(record, finished_ms=record.started_ms - 1)
    assert f"began at {record.started_ms}" in differences(backwards)[0]


def test_match_that_was_shorter_than_its_turns_is_named(played: Played) -> None:
    record = with_event(played(), -1, first_byte_us=9_000_000, last_byte_us=9_000_000)
    short = replace(record, finished_ms=record.started_ms + 7_999)
    assert differences(short) == [
        "the times: its turns took 9000 ms, but it ended 7999 ms after it began"
    ]
    assert differences(replace(record, finished_ms=record.started_ms + 8_000)) == []


LOST: dict[str, tuple[dict[str, Any], str]] = {
    "no overrun": ({"charged_ms": 1}, "a timeout, but 1 ms had been used of"),
    "no limit": ({"limit_ms": None}, "ms had been used of None ms"),
    "the server's delay": ({"loop_delay_us": 10**9}, "such a match is annulled"),
    "another overrun": (
        {"detail": Reason.of("late", turn=11, charged_ms=1, over_ms=2, limit_ms=1)},
        "its reason has over_ms 2, the record 1",
    ),
    "half of an answer": ({"first_byte_us": 5}, "a first byte or a last one, but not both"),
    "never sent": ({"queued_us": 5}, "it was queued or flushed, but not both"),
    "not ready in play": ({"reason": "not_ready"}, "a bot that has played a turn was ready"),
    "used in no time": (
        {"queued_us": 5, "flushed_us": 5, "first_byte_us": 5, "last_byte_us": 5},
        "had been used in 0 microseconds",
    ),
}


@pytest.mark.parametrize(("changes", "said"), LOST.values(), ids=LOST)
def test_impossible_forfeits_are_named(played: Played, changes: dict[str, Any], said: str) -> None:
    found = differences(with_event(played(timeouts=(11,)), -1, **changes))
    assert any(said in sentence for sentence in found), found


def test_counted_match_is_not_the_servers_fault(played: Played) -> None:
    assert differences(replace(played(), server_fault=True)) == [
        "the result: it counts, but is recorded as the server's fault"
    ]
