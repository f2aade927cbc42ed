"""From a record to the positions that a viewer shows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.web.records import played

from polynya_common.process_report import ProcessReport
from polynya_games import apply_turn, load
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord
from polynya_web.content.frames import Frames, frames_of
from polynya_web.content.match_types import ForfeitView, Frame, TurnView

GAMES = ("packeis", "arktia", "icecult")


def followed(record: MatchRecord, *, with_info: bool = True) -> Frames:
    frames = frames_of(record, with_info=with_info)
    for event in record.events:
        frames.follow(event)
    return frames


def shown(frames: Frames) -> list[Frame]:
    return [msgspec.json.decode(bytes(frame), type=Frame) for frame in frames.frames]


def turns(frames: Frames) -> list[TurnView]:
    return [msgspec.json.decode(bytes(turn), type=TurnView) for turn in frames.turns]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_there_is_a_frame_for_the_beginning_and_for_each_step(game: str, players: int) -> None:
    record = played(game, players)
    frames = shown(followed(record))
    steps = [step for event in record.events for step in getattr(event, "steps", [])]
    assert [frame.step for frame in frames] == [None, *steps]
    assert [frame.index for frame in frames] == list(range(len(steps) + 1))
    assert frames[0].state == record.state


@pytest.mark.parametrize("game", GAMES)
def test_the_last_frame_of_a_turn_is_the_position_after_it(game: str) -> None:
    record = played(game)
    followed_frames = followed(record)
    frames, state = shown(followed_frames), load(game).state_from_json(record.state)
    for event, turn in zip(record.events, turns(followed_frames), strict=True):
        assert isinstance(event, TurnRecord)
        state = apply_turn(state, event.steps)
        assert (frames[turn.last_frame].state, turn.steps) == (state.to_json(), event.steps)
        assert frames[turn.first_frame].step_index == 0
        assert frames[turn.last_frame].turn_over


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", [2, 4])
def test_the_present_scores_become_those_of_the_result(game: str, players: int) -> None:
    record = played(game, players)
    frames = shown(followed(record))
    assert {len(frame.scores or ()) for frame in frames} == {players}
    assert frames[-1].scores == record.scores


@pytest.mark.parametrize("game", GAMES)
def test_a_forfeit_is_a_frame_too(game: str) -> None:
    record = played(game, 3, timeouts=(3,))
    frames = followed(record)
    [forfeit] = [
        msgspec.json.decode(bytes(forfeit), type=ForfeitView) for forfeit in frames.forfeits
    ]
    frame = shown(frames)[forfeit.frame]
    assert (frame.forfeit, frame.detail, frame.step) == ("timeout", "it took too long", None)
    assert forfeit.seat in frame.state["forfeited"]


def test_forfeit_by_time_has_the_processor_time_of_its_turn() -> None:
    record = played("packeis", timeouts=(3,))
    [lost] = record.forfeits
    reports = {lost.seat: ProcessReport(cpu_ms=[(lost.turn, 80)])}
    for reason, cpu_ms in (("timeout", 80), ("illegal_move", None)):
        events = [*record.events[:-1], msgspec.structs.replace(lost, reason=reason)]
        frames = frames_of(msgspec.structs.replace(record, events=events), reports=reports)
        for event in events:
            frames.follow(event)
        view = msgspec.json.decode(bytes(frames.forfeits[0]), type=ForfeitView)
        assert view.cpu_ms == cpu_ms


def test_refused_steps_of_any_kind_are_shown_as_json() -> None:
    record = played("packeis", timeouts=(3,))
    for steps, words in (
        ([["place", 2**63], ["x\u202e"]], '[["place", 9223372036854775808], ["x\\u202e"]]'),
        ({"nan": float("nan")}, '{"nan": NaN}'),
        (None, None),
    ):
        [lost] = record.forfeits
        lost = msgspec.structs.replace(lost, reason="illegal_move", refused_steps=steps)
        frames = followed(msgspec.structs.replace(record, events=[*record.events[:-1], lost]))
        view = msgspec.json.decode(bytes(frames.forfeits[0]), type=ForfeitView)
        assert view.refused_steps == words


def test_all_seats_may_have_forfeited_an_unbegun_match() -> None:
    record = played()
    missing = [
        ForfeitRecord(turn=0, seat=seat, reason="not_ready", detail="it was not there")
        for seat in (0, 1)
    ]
    frames = followed(msgspec.structs.replace(record, events=missing, reason="aborted"))
    assert [frame.forfeit for frame in shown(frames)] == [None, "not_ready", "not_ready"]


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"depth": 4, "score": -1.5}, {"depth": 4, "score": -1.5}),
        ({"text": "</script>\u202e"}, {"text": "</script>\u202e"}),
        ({"score": float("nan")}, {"score": None}),
        ({"bytes": b"\x00"}, {"bytes": "AA=="}),
        ({"most": 2**53 - 1, "ok": True}, {"most": 2**53 - 1, "ok": True}),
        ({"hash": [2**64 - 1, -(2**63)]}, {"hash": [str(2**64 - 1), str(-(2**63))]}),
        ({"other": msgspec.msgpack.Ext(1, b"")}, None),
        (None, None),
    ],
)
def test_any_remark_of_a_bot_can_be_shown(info: Any, expected: object) -> None:
    record = played()
    first = msgspec.structs.replace(record.events[0], info=info)
    frames = followed(msgspec.structs.replace(record, events=[first, *record.events[1:]]))
    assert turns(frames)[0].info == expected


def test_remarks_may_be_kept_back() -> None:
    record = played()
    first = msgspec.structs.replace(record.events[0], info={"depth": 4})
    frames = followed(
        msgspec.structs.replace(record, events=[first, *record.events[1:]]), with_info=False
    )
    assert turns(frames)[0].info is None


def test_a_turn_of_another_seat_is_refused() -> None:
    record = played()
    frames = frames_of(record)
    with pytest.raises(ValueError, match="seat 0 is to move"):
        frames.follow(msgspec.structs.replace(record.events[0], seat=1))


@pytest.mark.parametrize("change", ["nothing", "too little", "too much"])
def test_incomplete_turn_is_refused(change: str) -> None:
    record = played("icecult")
    frames = frames_of(record)
    first = record.events[0]
    assert isinstance(first, TurnRecord)
    steps = {"nothing": [], "too little": first.steps[:-1], "too much": [*first.steps, ["end"]]}
    with pytest.raises(ValueError, match="turn 1"):
        frames.follow(msgspec.structs.replace(first, steps=steps[change]))


def test_a_position_of_another_number_of_players_is_refused() -> None:
    record = msgspec.structs.replace(played("packeis", 2), state=played("packeis", 3).state)
    with pytest.raises(ValueError, match="3 seats, but there are 2 players"):
        frames_of(record)
