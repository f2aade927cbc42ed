"""A match as the spectators of another server are told of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.recorded_matches import play_at_random
from tests.web.records import match_row

from polynya_protocol.messages import Clock, Forfeited, MatchResume, Moved, Player
from polynya_server.records import TurnRecord
from polynya_store import MatchRow, SeatRow
from polynya_web.content.frames import Frames
from polynya_web.content.seats.told_events import ToldTurn
from polynya_web.remote.remote_match import RemoteMatch

RECORD = play_at_random()
NAMES = RECORD.setup.players
TURNS = [event for event in RECORD.events if isinstance(event, TurnRecord)]


def snapshot(seq: int = 0, **changed: Any) -> MatchResume:
    resume = MatchResume(
        match="m",
        seq=seq,
        game="packeis",
        seat=None,
        players=[Player(seat=seat, name=name, rating=1500.0) for seat, name in enumerate(NAMES)],
        options={},
        clock=Clock(initial_ms=5_000, move_ms=100),
        state=RECORD.state,
        remaining_ms=[5_000, 5_000],
    )
    return msgspec.structs.replace(resume, **changed)


def row() -> MatchRow:
    seats = tuple(SeatRow(name, None, None, None) for name in NAMES)
    return match_row(seed=7, started_ms=1, seats=seats)


def moved(number: int, seq: int | None = None) -> Moved:
    turn = TURNS[number]
    return Moved("m", seq or number + 1, turn.turn, turn.seat, turn.steps, 3, [4_000, 5_000])


async def test_it_goes_on_turn_by_turn_as_the_viewer_wants_it() -> None:
    match = RemoteMatch(row(), snapshot())
    frames = Frames("packeis", match.initial_state)
    for number in range(len(TURNS)):
        match.follow(moved(number))
        frames.follow(match.events[-1])
    assert (match.seq, match.state.to_move, frames.state.to_json()) == (
        len(TURNS),
        None,
        match.state.to_json(),
    )


async def test_clock_of_a_turn_runs_from_the_move_before_it() -> None:
    match = RemoteMatch(row(), snapshot())
    assert match.clocks.to_move is None  # nobody has said since when
    match.follow(moved(0))
    clocks = match.clocks
    assert (clocks.to_move, clocks.limit_ms, clocks.remaining_ms) == (1, 100, [4_000, 5_000])


async def test_forfeit_is_an_event() -> None:
    match = RemoteMatch(row(), snapshot())
    match.follow(moved(0))
    match.follow(Forfeited("m", 2, 1, "timeout", "too late"))
    kinds = [type(event) for event in match.events]
    assert (kinds[0], match.events[1].seat, match.state.to_move) == (ToldTurn, 1, None)


@pytest.mark.parametrize(
    "message",
    [
        moved(0, seq=2),
        Moved("m", 1, 1, 0, [["move", 1, 1]], 3, [1, 1]),
        Moved("m", 1, 1, 0, TURNS[0].steps, 3, [1]),
    ],
    ids=["missed", "illegal", "clocks"],
)
async def test_event_that_cannot_be_the_next_one_changes_nothing(message: Moved) -> None:
    match = RemoteMatch(row(), snapshot())
    with pytest.raises(ValueError, match=r"."):
        match.follow(message)
    assert (match.seq, match.events, match.state.to_json()) == (0, [], RECORD.state)


@pytest.mark.parametrize(
    "changed",
    [{"state": {}}, {"game": "chess"}, {"players": snapshot().players[:1]}],
    ids=["state", "game", "players"],
)
async def test_snapshot_of_another_match_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"."):
        RemoteMatch(row(), snapshot(**changed))
