"""Slot time: bots that think for long rest for as long, and others do not wait for them."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from tests.scripted.scripted_referee import record_of, setup_of

from polynya_server.records import MatchRecord, TurnRecord
from polynya_tournaments.ladder.slot_time import LONGEST_REST_S, REMEMBERED, SlotTime


def match_of(thought_ms: Mapping[str, int]) -> MatchRecord:
    """A match of bots that thought for these times, one turn each."""
    turns = [
        TurnRecord(
            turn=1 + seat,
            seat=seat,
            steps=[],
            queued_us=0,
            flushed_us=0,
            first_byte_us=0,
            last_byte_us=0,
            kernel=False,
            charged_ms=charged_ms,
            remaining_ms=[None, None],
            loop_delay_us=0,
        )
        for seat, charged_ms in enumerate(thought_ms.values())
    ]
    record = record_of(setup_of("ladder-1", *thought_ms), [1, 2])
    finished_ms = record.started_ms + sum(thought_ms.values())
    return msgspec.structs.replace(record, events=turns, finished_ms=finished_ms)


def usual() -> SlotTime:
    """Of a ladder whose matches take a second."""
    found = SlotTime(lambda: 0.0)
    for _ in range(REMEMBERED):
        assert not found.rests(match_of({"ann": 500, "bob": 500}))
    return found


def test_a_bot_rests_as_long_as_it_thought_beyond_a_usual_match() -> None:
    assert usual().rests(match_of({"ann": 500, "slow": 60_000})) == {"slow": 59.0}


def test_rests_of_matches_at_the_same_time_follow_each_other() -> None:
    found = usual()
    found.rests(match_of({"ann": 500, "slow": 31_000}))
    assert found.rests(match_of({"bob": 500, "slow": 31_000})) == {"slow": 60.0}


def test_a_rest_has_an_end() -> None:
    assert usual().rests(match_of({"ann": 0, "slow": 9_000_000})) == {"slow": LONGEST_REST_S}


def test_where_all_think_for_long_none_rests() -> None:
    found = SlotTime(lambda: 0.0)
    assert not any(found.rests(match_of({"ann": 60_000, "bob": 60_000})) for _ in range(9))


def test_others_do_not_wait_for_bots_in_a_match_with_a_slow_one() -> None:
    found = usual()
    found.rests(match_of({"ann": 500, "slow": 60_000}))
    assert found.slow == {"slow"}
    held = found.begins(["bob", "slow"])
    assert [found.is_late(name) for name in ("ann", "bob", "slow")] == [False, True, True]
    found.ends(held)
    assert not found.is_late("bob")


def test_a_bot_is_slow_until_it_plays_a_quick_match() -> None:
    found = usual()
    found.rests(match_of({"ann": 500, "slow": 60_000}))
    found.rests(match_of({"ann": 500, "slow": 400}))
    assert not found.slow
