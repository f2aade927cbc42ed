"""Joint turns with scripted players: one transition, whoever answers first, leaves or is late."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio
from tests.games.example_games import example_games
from tests.scripted import Leave, Reply, ScriptedSeat, Silence
from tests.scripted.scripted_seat import Action
from trio.testing import MockClock

from polynya_games import load
from polynya_protocol.messages import Clock
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Fault
from polynya_server.match.time_control import MatchClock
from polynya_server.records import TurnRecord

__all__ = ["example_games"]

SECOND = Clock(move_ms=1000)
BUDGET = Clock(initial_ms=5000)
RESIGNED = Fault("resigned", "it resigned")


def bids(*cards: int, after_ms: float = 0) -> list[Action]:
    return [Reply([["bid", card]], after_ms) for card in cards]


def prepared(
    *scripts: Sequence[Action], clock: Clock = SECOND, cards: int = 3
) -> tuple[Referee, list[ScriptedSeat]]:
    seats = [ScriptedSeat(script) for script in scripts]
    state = load("goofspiel").initial_state(len(seats), 1, {"cards": cards})
    clocks = MatchClock(clock, len(seats))
    return Referee(state, seats, clocks, began_ns=0, is_plain=False), seats


def played(
    *scripts: Sequence[Action], clock: Clock = SECOND, cards: int = 3
) -> tuple[Referee, list[ScriptedSeat]]:
    referee, seats = prepared(*scripts, clock=clock, cards=cards)
    trio.run(referee.play, clock=MockClock(autojump_threshold=0))
    return referee, seats


def happened(referee: Referee) -> list[tuple[object, ...]]:
    return [
        (event.turn, event.seat, event.steps if isinstance(event, TurnRecord) else event.reason)
        for event in referee.events
    ]


def ranking(referee: Referee) -> tuple[int, ...]:
    outcome = referee.state.outcome
    assert outcome is not None
    return outcome.ranking


def test_all_acting_seats_are_asked_in_the_same_turn() -> None:
    _, seats = played(bids(1, 2), bids(3, 1))
    assert [seat.asked for seat in seats] == [[(1, 1000), (2, 1000)]] * 2


def test_a_joint_turn_is_told_as_one_turn_per_seat_ascending() -> None:
    referee, _ = played(bids(1, 2), bids(3, 1))
    assert happened(referee) == [
        (1, 0, [["bid", 1]]),
        (1, 1, [["bid", 3]]),
        (2, 0, [["bid", 2]]),
        (2, 1, [["bid", 1]]),
    ]


@pytest.mark.parametrize("late", [(0, 300), (300, 0)])
def test_the_order_of_the_answers_changes_nothing_but_the_times(late: tuple[int, int]) -> None:
    at_once, _ = played(bids(1, 2), bids(3, 1))
    referee, _ = played(bids(1, 2, after_ms=late[0]), bids(3, 1, after_ms=late[1]))
    assert happened(at_once) == happened(referee)


def test_budgets_are_charged_when_the_turn_ends_and_are_equal_in_all_its_events() -> None:
    first, second = bids(1, 2, after_ms=100), bids(3, 1, after_ms=300)
    referee, _ = played(first, second, clock=BUDGET)
    budgets = [event.remaining_ms for event in referee.events if isinstance(event, TurnRecord)]
    assert budgets == [[4900, 4700], [4900, 4700], [4800, 4400], [4800, 4400]]


def test_a_seat_that_is_late_leaves_in_the_transition_in_which_the_others_play() -> None:
    referee, _ = played([Silence()], bids(3, 1), bids(2, 1))
    assert happened(referee)[:3] == [(1, 0, "timeout"), (1, 1, [["bid", 3]]), (1, 2, [["bid", 2]])]


def test_an_illegal_step_is_void_and_the_others_play() -> None:
    referee, _ = played(bids(9), bids(3, 1), bids(2, 1))
    assert happened(referee)[0] == (1, 0, "illegal_move")


@pytest.mark.parametrize(
    ("first", "second"),
    [([Silence()], bids(9)), (bids(9), [Silence()]), (bids(9, after_ms=200), bids(9))],
)
def test_if_all_have_a_fault_nobody_wins(first: list[Action], second: list[Action]) -> None:
    referee, _ = played(first, second)
    assert ranking(referee) == (1, 1)


def test_who_leaves_in_one_turn_shares_a_rank_below_all_who_stayed() -> None:
    referee, _ = played([Silence()], bids(9), bids(3, 1), bids(2, 1))
    assert ranking(referee)[:2] == (3, 3)


def test_a_resignation_that_alone_ends_the_match_ends_it_at_once() -> None:
    referee, _ = played([RESIGNED], [Silence()])
    assert happened(referee) == [(1, 0, "resigned")]
    assert ranking(referee) == (2, 1)


def test_a_resignation_that_does_not_end_the_match_waits_for_the_turn() -> None:
    referee, _ = played([RESIGNED], bids(3, 1, after_ms=900), bids(2, 1))
    assert happened(referee)[:3] == [(1, 0, "resigned"), (1, 1, [["bid", 3]]), (1, 2, [["bid", 2]])]


def test_resignations_that_together_end_the_match_share_a_rank() -> None:
    referee, _ = played([RESIGNED], [RESIGNED], [Silence()])
    assert ranking(referee) == (2, 2, 1)


@pytest.mark.parametrize("after_ms", [100, 300])
@pytest.mark.parametrize("card", [1, 9])
def test_resignations_that_end_the_match_void_an_answer_whenever_it_comes(
    card: int, after_ms: int
) -> None:
    resigns: list[Action] = [Leave(RESIGNED, after_ms=200)]
    referee, _ = played(bids(card, after_ms=after_ms), resigns, resigns)
    assert happened(referee) == [(1, 1, "resigned"), (1, 2, "resigned")]
    assert ranking(referee) == (1, 2, 2)


@pytest.mark.parametrize("after_ms", [100, 300])
def test_a_resignation_that_ends_the_match_hides_a_late_server(after_ms: float) -> None:
    late: list[Action] = [Reply([["bid", 1]], after_ms, loop_delay_ms=1000)]
    referee, _ = played(late, [Leave(RESIGNED, after_ms=200)], clock=Clock(move_ms=50))
    assert (referee.annulled, ranking(referee)) == (None, (1, 2))


def test_a_seat_that_resigns_after_its_answer_leaves_with_a_void_step() -> None:
    referee, _ = prepared(bids(3, 1), bids(2, 1, after_ms=500), bids(1, 2))

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(referee.play)
            await trio.sleep(0.2)
            referee.report(0, RESIGNED)

    trio.run(main, clock=MockClock(autojump_threshold=0))
    assert happened(referee)[:3] == [(1, 0, "resigned"), (1, 1, [["bid", 2]]), (1, 2, [["bid", 1]])]


def test_an_answer_late_by_the_server_annuls_when_the_turn_ends() -> None:
    late: list[Action] = [Reply([["bid", 1]], 1200, loop_delay_ms=1000)]
    referee, _ = played(late, bids(3))
    assert referee.annulled is not None
    assert happened(referee) == []


def test_only_the_last_event_of_a_transition_says_what_comes_next() -> None:
    _, seats = played(bids(1, 2), [Silence()], bids(3, 1))
    assert [one.is_last for one in seats[0].within if one] == [False, False, True, False, True]
