"""A replay holds if the rules give what it says, and each thing that differs is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from polynya_common.errors import ConfigurationError, TournamentError
from polynya_common.reasons import Reason
from polynya_conformance.replay.verify import differences, parse_replay, read_replay
from polynya_games import installed
from polynya_protocol.messages import Clock
from polynya_server.records import (
    ForfeitRecord,
    MatchEvent,
    MatchRecord,
    TurnRecord,
    encode_replay,
)

Played = Callable[..., MatchRecord]


def with_event(record: MatchRecord, index: int, **changes: Any) -> MatchRecord:
    events = list(record.events)
    events[index] = replace(events[index], **changes)
    return replace(record, events=events)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("game", sorted(installed()))
def test_a_match_as_it_was_played_holds(played: Played, game: str, players: int) -> None:
    assert differences(played(game, players)) == []


def test_a_match_of_three_with_a_timeout_holds(played: Played) -> None:
    assert differences(played("packeis", 3, timeouts=(20,))) == []


def test_a_match_that_ends_by_a_forfeit_holds(played: Played) -> None:
    record = played(timeouts=(11,))
    assert record.reason == "forfeit"
    assert differences(record) == []


def test_a_forfeit_by_legal_steps_does_not_hold(played: Played) -> None:
    legal = [event for event in played().events if event.turn == 11]
    record = played(timeouts=(11,))
    illegal = {"reason": "illegal_move", "charged_ms": 1}
    assert isinstance(legal[0], TurnRecord)
    lost = with_event(record, -1, refused_steps=legal[0].steps, **illegal)
    said = ["forfeit in turn 11, seat 0: the steps that were refused are a legal turn"]
    assert differences(lost) == said
    for refused in ([["fly"]], [["x"]] * 3, None):
        assert differences(with_event(record, -1, refused_steps=refused, **illegal)) == []


def test_another_refusal_than_the_rules_give_is_named(played: Played) -> None:
    record = played(timeouts=(11,))
    illegal = {"reason": "illegal_move", "charged_ms": 1, "refused_steps": []}
    own = Reason("empty_turn", game="packeis", text="the turn has no steps")
    other = Reason("unfinished_turn", {"count": 1}, game="packeis", text="it goes on")
    assert differences(with_event(record, -1, detail=own, **illegal)) == []
    [said] = differences(with_event(record, -1, detail=other, **illegal))
    assert said.endswith("the rules give empty_turn with {}")


def test_reason_of_a_late_answer_has_the_times_of_its_record(played: Played) -> None:
    record = played(timeouts=(11,))
    lost = record.forfeits[0]
    times = {"turn": lost.turn, "charged_ms": lost.charged_ms, "limit_ms": lost.limit_ms}
    late = Reason.of("late", **times, over_ms=1, unnamed=None)
    assert differences(with_event(record, -1, detail=late)) == []
    wrong = Reason.of("late", **(times | {"limit_ms": 7}), over_ms=1, unnamed=None)
    [said] = differences(with_event(record, -1, detail=wrong))
    assert said.endswith(f"its reason has limit_ms 7, the record {lost.limit_ms}")


def test_aborted_match_without_ready_seats_verifies(played: Played) -> None:
    record = played()
    absent: list[MatchEvent] = [
        ForfeitRecord(turn=0, seat=seat, reason="not_ready", detail="absent") for seat in (0, 1)
    ]
    aborted = replace(
        record, events=absent, ranking=None, scores=None, termination=None, reason="aborted"
    )
    assert differences(aborted) == []


def test_an_untimed_seat_may_exceed_the_clock(played: Played) -> None:
    record = played()
    events: list[MatchEvent] = [
        replace(
            event,
            charged_ms=event.charged_ms if event.seat else 600_000,
            queued_us=event.turn * 600_000_000,
            flushed_us=event.turn * 600_000_000,
            first_byte_us=event.turn * 600_000_000,
            last_byte_us=(event.turn + 1) * 600_000_000,
            remaining_ms=[None, event.remaining_ms[1]],
        )
        for event in record.events
        if isinstance(event, TurnRecord)
    ]
    setup = replace(record.setup, rated=False, untimed=(0,))
    record = replace(record, finished_ms=record.started_ms + (len(events) + 1) * 600_000)
    assert differences(replace(record, events=events, setup=setup)) == []
    timed = replace(setup, untimed=())
    assert "600000 ms were charged" in differences(replace(record, events=events, setup=timed))[0]


def test_an_untimed_seat_of_a_rated_match_is_named(played: Played) -> None:
    record = played()
    (found,) = differences(replace(record, setup=replace(record.setup, untimed=(0,))))
    assert found.startswith("the set-up: a rated match has no untimed seats")


def test_another_seed_is_another_position(played: Played) -> None:
    record = played()
    changed = replace(record, setup=replace(record.setup, seed=8))
    assert (
        "the set-up: the seed and the options give another initial position than the recorded"
        in differences(changed)
    )


def test_a_game_that_is_not_installed_is_named(played: Played) -> None:
    record = played()
    (found,) = differences(replace(record, setup=replace(record.setup, game="chess")))
    assert found.startswith("the set-up: ")
    assert "'chess'" in found


def test_a_clock_without_a_limit_is_named(played: Played) -> None:
    record = played()
    (found,) = differences(replace(record, setup=replace(record.setup, clock=Clock())))
    assert found.startswith("the set-up: a clock needs")


def test_an_illegal_step_is_named_with_its_turn(played: Played) -> None:
    record = with_event(played(), 4, steps=[["place", 0], ["place", 1]])
    (found,) = differences(record)
    assert found.startswith("turn 5, seat 0: step 0: ")


def test_a_turn_by_the_wrong_seat_is_named(played: Played) -> None:
    assert differences(with_event(played(), 4, seat=1)) == ["turn 5, seat 1: seat 0 is to move"]


def test_a_turn_number_that_is_left_out_is_named(played: Played) -> None:
    assert differences(with_event(played(), -1, turn=1000))[0].startswith("turn 1000, seat")


def test_a_wrong_budget_is_named_with_the_right_one(played: Played) -> None:
    record = with_event(played(), 0, remaining_ms=[4_999, 5_000])
    assert differences(record) == [
        "turn 1, seat 0: the budgets after it are recorded as [4999, 5000], "
        "the charged times give [5007, 5000]"
    ]


def test_a_turn_above_its_limit_should_have_been_a_forfeit(played: Played) -> None:
    record = with_event(played(), 0, charged_ms=101, last_byte_us=200_000)
    assert "turn 1, seat 0: 101 ms were charged where 100 ms were allowed" in differences(record)


def test_more_time_charged_than_passed_is_named(played: Played) -> None:
    record = with_event(played(), 0, last_byte_us=12_000)
    assert "turn 1, seat 0: 3 ms were charged for 1990 microseconds" in differences(record)


def test_forfeit_of_a_seat_that_is_out_is_impossible(played: Played) -> None:
    record = played("packeis", 3, timeouts=(20,))
    twice = replace(record, events=[*record.events[:20], *record.events[19:]])
    assert differences(twice)[0].startswith("forfeit in turn 20, seat 1: ")


def test_a_timeout_within_the_limit_is_named(played: Played) -> None:
    record = with_event(played(timeouts=(11,)), 10, charged_ms=99)
    assert differences(record) == [
        "forfeit in turn 11, seat 0: a timeout, but 99 ms had been used of 100 ms"
    ]


def test_an_event_after_the_end_is_impossible(played: Played) -> None:
    record = played()
    longer = replace(record, events=[*record.events, record.events[-1]])
    assert differences(longer)[0].endswith("the match is over before it")


def test_a_match_that_stops_before_its_end_is_named(played: Played) -> None:
    record = played()
    assert differences(replace(record, events=record.events[:-1])) == [
        "the result: the match is not over after the recorded events"
    ]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"ranking": [1, 1]}, "ranking"),
        ({"scores": [0, 0]}, "scores"),
        ({"termination": "limit"}, "termination"),
        ({"reason": "forfeit"}, "reason"),
    ],
)
def test_a_wrong_result_is_named(played: Played, change: dict[str, Any], named: str) -> None:
    (found,) = differences(replace(played(), **change))
    assert found.startswith(f"the result: {named} ")


def test_an_annulled_match_has_no_ranking(played: Played) -> None:
    record = replace(played(), reason="annulled", server_fault=True)
    assert differences(record) == ["the result: an annulled match has none, but one is recorded"]


def test_a_replay_file_gives_the_record_back(played: Played, tmp_path: Path) -> None:
    record = played()
    file = tmp_path / "match.replay"
    file.write_bytes(encode_replay(record))
    assert read_replay(file) == record


def refusal(document: bytes) -> str:
    """What is said of a document instead of reading it."""
    with pytest.raises(TournamentError) as refused:
        parse_replay(document, "demo-1.replay")
    return str(refused.value)


def changed(record: MatchRecord, **fields: Any) -> bytes:
    """The document of a record with other fields, whatever their values are."""
    return msgspec.msgpack.encode(msgspec.to_builtins(record) | fields)


@pytest.mark.parametrize(
    "document",
    [b"hello", b'{"version": 1}', b"\x93\x01\x02\x03", b"\x80", b"\xc1", b"\x91" * 100_000],
    ids=["text", "JSON", "a list", "an empty map", "no msgpack", "nested too deeply"],
)
def test_file_that_is_no_replay_is_refused_without_decoder_messages(document: bytes) -> None:
    assert refusal(document) == (
        "demo-1.replay is not a Polynya replay; 'polynya replay export' writes replays to files"
    )


def test_an_empty_file_is_called_empty() -> None:
    assert refusal(b"") == (
        "demo-1.replay is empty: copy it again, or write it again with 'polynya replay export'"
    )


@pytest.mark.parametrize("part", [0.1, 0.5, 0.99])
def test_a_replay_that_is_cut_off_is_called_so(played: Played, part: float) -> None:
    document = encode_replay(played())
    assert refusal(document[: int(part * len(document))]) == (
        "demo-1.replay holds only the beginning of a Polynya replay: "
        "copy it again, or write it again with 'polynya replay export'"
    )


def test_of_a_damaged_replay_the_place_is_named(played: Played) -> None:
    said = refusal(changed(played(), started_ms="yesterday"))
    assert said.startswith("demo-1.replay is a damaged Polynya replay (")
    assert "$.started_ms" in said


@pytest.mark.parametrize("fields", [{}, {"events": "of another form"}], ids=["alike", "unlike"])
def test_a_replay_of_another_version_is_refused(played: Played, fields: dict[str, Any]) -> None:
    assert refusal(changed(played(), version=2, **fields)) == (
        "demo-1.replay is a Polynya replay of version 2, and this program reads version 1: "
        "use the release of Polynya that wrote it"
    )


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="cannot be read"):
        read_replay(tmp_path / "match.replay")
