"""A seat that the rules put out: it is asked no more, and its bot may leave without a forfeit."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
import trio
from tests.games.example_games import example_games
from tests.scripted import Leave, Reply, ScriptedSeat
from tests.scripted.scripted_seat import Action
from trio.testing import MockClock

from polynya_games import load
from polynya_protocol.messages import Clock
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Fault
from polynya_server.match.time_control import MatchClock
from polynya_server.records import ForfeitRecord

__all__ = ["example_games"]

RESIGNED = Fault("resigned", "it resigned")
LOST = Fault("disconnected", "its connection was lost")
CIRCLE = ("up", "right", "down", "left")


def moves(*ways: str, after_ms: float = 10) -> list[Action]:
    return [Reply([["move", way]], after_ms) for way in ways]


def circling(turns: int) -> list[Action]:
    """A snake that lives for some turns."""
    return moves(*itertools.islice(itertools.cycle(CIRCLE), turns))


def prepared(*scripts: Sequence[Action], turn_limit: int = 6) -> tuple[Referee, list[ScriptedSeat]]:
    seats = [ScriptedSeat(script) for script in scripts]
    options = {"size": 7, "minimum_food": 0, "food_chance": 0, "turn_limit": turn_limit}
    state = load("snakes").initial_state(len(seats), 1, options)
    clocks = MatchClock(Clock(move_ms=1000), len(seats))
    return Referee(state, seats, clocks, began_ns=0, is_plain=False), seats


def forfeits(referee: Referee) -> list[tuple[int, int]]:
    return [(event.turn, event.seat) for event in referee.events if type(event) is ForfeitRecord]


def ranking(referee: Referee) -> tuple[int, ...]:
    outcome = referee.state.outcome
    assert outcome is not None
    return outcome.ranking


async def reported(referee: Referee, faults: Sequence[tuple[int, Fault]]) -> None:
    """Play, and report faults of seats while turn 3 is asked for."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(referee.play)
        while referee.turn_number < 3:
            await trio.sleep(0.001)
        for seat, fault in faults:
            referee.report(seat, fault)


def test_a_seat_that_is_out_is_asked_no_more() -> None:
    referee, seats = prepared(moves("up", "down"), circling(6), circling(6))
    trio.run(referee.play, clock=MockClock(autojump_threshold=0))
    assert [len(seat.asked) for seat in seats] == [2, 6, 6]
    assert len(seats[0].told) == 3 + 3 + 4 * 2


@pytest.mark.parametrize("fault", [RESIGNED, LOST])
def test_a_seat_that_is_out_may_leave_without_a_forfeit(fault: Fault) -> None:
    referee, _ = prepared(moves("up", "down"), circling(6), circling(6))
    trio.run(reported, referee, [(0, fault)], clock=MockClock(autojump_threshold=0))
    assert (forfeits(referee), referee.state.forfeited) == ([], ())
    assert ranking(referee)[0] == 3


def test_a_seat_that_is_out_leaves_beside_one_that_forfeits() -> None:
    leaves = [*circling(2), Leave(RESIGNED, after_ms=10)]
    referee, _ = prepared(moves("up", "down"), leaves, circling(6), circling(6))
    trio.run(reported, referee, [(0, LOST)], clock=MockClock(autojump_threshold=0))
    assert forfeits(referee) == [(3, 1)]
    assert ranking(referee) == (3, 4, 1, 1)


def test_resignations_that_end_the_match_share_a_rank_below_a_seat_that_is_out() -> None:
    leaves = [*circling(2), Leave(RESIGNED, after_ms=500)]
    referee, _ = prepared(moves("up", "down"), leaves, leaves, circling(6))
    trio.run(reported, referee, [(0, RESIGNED)], clock=MockClock(autojump_threshold=0))
    assert forfeits(referee) == [(3, 1), (3, 2)]
    assert ranking(referee) == (2, 3, 3, 1)


def test_a_resignation_beside_a_seat_that_is_out_ends_the_match_at_once() -> None:
    leaves = [*circling(2), Leave(RESIGNED, after_ms=10)]
    referee, _ = prepared(moves("up", "down"), leaves, circling(2))
    trio.run(reported, referee, [(0, RESIGNED)], clock=MockClock(autojump_threshold=0))
    assert (forfeits(referee), referee.state.to_json()["turn"]) == ([(3, 1)], 2)
    assert ranking(referee) == (2, 3, 1)
