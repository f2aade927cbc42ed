"""The referee with scripted players: turns, clocks, forfeits, annulment, on a clock of its own."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import trio
from tests.scripted import RACE, Reply, ScriptedSeat, Silence
from tests.scripted.scripted_seat import Action
from trio.testing import MockClock

from polynya_common.reasons import Reason
from polynya_games import Outcome, Termination
from polynya_protocol.messages import Clock
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Fault
from polynya_server.match.time_control import UNTIMED_MS, MatchClock
from polynya_server.records import ForfeitRecord, TurnRecord

SECOND = Clock(move_ms=1000)
ADD_3 = Reply([["add", 3]])
RESIGNED = Fault("resigned", "it resigned")
GONE = Fault("disconnected", "it said goodbye")


def played(
    *scripts: Sequence[Action], clock: Clock = SECOND, goal: int = 6
) -> tuple[Referee, list[ScriptedSeat]]:
    """A match of Race that has been played to its end, and its seats."""
    referee, seats = prepared(*scripts, clock=clock, goal=goal)
    trio.run(referee.play, clock=MockClock(autojump_threshold=0))
    return referee, seats


def prepared(
    *scripts: Sequence[Action], clock: Clock = SECOND, goal: int = 6
) -> tuple[Referee, list[ScriptedSeat]]:
    seats = [ScriptedSeat(script) for script in scripts]
    state = RACE.setup(len(seats), options={"goal": goal})
    return Referee(state, seats, MatchClock(clock, len(seats)), began_ns=0), seats


def happened(referee: Referee) -> list[tuple[object, ...]]:
    """The events in short: turns as (turn, seat, steps), forfeits as (turn, seat, reason)."""
    return [
        (event.turn, event.seat, event.steps if isinstance(event, TurnRecord) else event.reason)
        for event in referee.events
    ]


def test_seats_are_asked_in_turn_until_the_game_ends() -> None:
    referee, _ = played([ADD_3, ADD_3], [Reply([["add", 1]])])
    assert happened(referee) == [(1, 0, [["add", 3]]), (2, 1, [["add", 1]]), (3, 0, [["add", 3]])]
    assert Outcome(Termination.FINISHED, (1, 2), (6, 1)) == referee.state.outcome


def test_tied_players_share_a_rank() -> None:
    referee, _ = played([ADD_3, ADD_3], [ADD_3], [ADD_3])
    assert Outcome(Termination.FINISHED, (1, 2, 2), (6, 3, 3)) == referee.state.outcome


def test_every_seat_receives_every_turn() -> None:
    referee, seats = played([ADD_3, ADD_3], [ADD_3], [ADD_3])
    assert [referee.events] * 3 == [seat.told for seat in seats]


def test_a_turn_of_several_steps_is_applied_as_a_whole() -> None:
    referee, _ = played([Reply([["double"], ["add", 3]])], [])
    assert happened(referee) == [(1, 0, [["double"], ["add", 3]])]


def test_steps_after_the_end_of_the_match_are_not_recorded() -> None:
    nonsense = {"nobody": ["looks", "at", "this"]}
    referee, _ = played([Reply([["double"], ["add", 3], nonsense])], [])
    assert happened(referee) == [(1, 0, [["double"], ["add", 3]])]


# Clocks: both sides of each boundary.


@pytest.mark.parametrize(
    ("clock", "limit_ms"),
    [
        (Clock(move_ms=1000), 1000),
        (Clock(initial_ms=1000), 1000),
        (Clock(initial_ms=5000, move_ms=1000), 1000),
        (Clock(initial_ms=1000, move_ms=5000), 1000),
        (Clock(initial_ms=1000, increment_ms=500), 1000),
        (Clock(move_ms=0), 0),
    ],
)
def test_an_answer_exactly_at_the_limit_is_in_time_and_one_beyond_is_not(
    clock: Clock, limit_ms: int
) -> None:
    answer = [["add", 3]]
    in_time, seats = played([Reply(answer, limit_ms)], [], clock=clock, goal=3)
    late, _ = played([Reply(answer, limit_ms + 1)], [], clock=clock, goal=3)
    assert [(1, limit_ms)] == seats[0].asked
    assert happened(in_time) == [(1, 0, [["add", 3]])]
    assert happened(late) == [(1, 0, "timeout")]


def test_a_started_millisecond_is_not_charged() -> None:
    referee, _ = played([Reply([["add", 3]], 1000.9)], [], goal=3)
    assert referee.events[0].charged_ms == 1000


def test_lag_up_to_the_allowance_is_not_charged() -> None:
    answer = [["add", 3]]
    in_time, _ = played([Reply(answer, 1050, allowance_ms=50)], [], goal=3)
    late, _ = played([Reply(answer, 1051, allowance_ms=50)], [], goal=3)
    assert happened(in_time) == [(1, 0, [["add", 3]])]
    assert happened(late) == [(1, 0, "timeout")]


def test_an_answer_faster_than_the_lag_is_charged_nothing() -> None:
    referee, _ = played([Reply([["add", 3]], 20, allowance_ms=50)], [], goal=3)
    assert referee.events[0].charged_ms == 0


def test_the_budget_falls_by_what_is_charged_and_rises_by_the_increment() -> None:
    script = [Reply([["add", 3]], 700), Reply([["add", 3]], 800)]
    clock = Clock(initial_ms=1000, increment_ms=500)
    referee, seats = played(script, [Reply([["add", 1]], 0)], clock=clock)
    assert seats[0].asked == [(1, 1000), (3, 800)]
    assert [event.remaining_ms for event in referee.events if isinstance(event, TurnRecord)] == [
        [800, 1000],
        [800, 1500],
        [500, 1500],
    ]


def test_the_second_turn_is_limited_by_what_is_left() -> None:
    clock = Clock(initial_ms=1000)
    script = [Reply([["add", 3]], 700), Reply([["add", 3]], 301)]
    referee, _ = played(script, [ADD_3], clock=clock, goal=9)
    assert happened(referee)[-1] == (3, 0, "timeout")


def test_without_a_budget_nothing_remains() -> None:
    referee, _ = played([ADD_3], [], goal=3)
    assert isinstance(referee.events[0], TurnRecord)
    assert referee.events[0].remaining_ms == [None, None]


@pytest.mark.parametrize(
    "clock", [Clock(increment_ms=5), Clock(move_ms=-1), Clock(initial_ms=5, increment_ms=-1)]
)
def test_a_clock_without_limit_or_below_zero_is_refused(clock: Clock) -> None:
    with pytest.raises(ValueError, match="clock"):
        MatchClock(clock, 2)


# Untimed seats.


def untimed(
    script: Sequence[Action], other: Sequence[Action], clock: Clock
) -> tuple[Referee, list[ScriptedSeat]]:
    """A match in which the clock does not hold for seat 0, played to its end."""
    seats = [ScriptedSeat(script), ScriptedSeat(other)]
    state = RACE.setup(2, options={"goal": 6})
    referee = Referee(state, seats, MatchClock(clock, 2, untimed=(0,)), began_ns=0)
    trio.run(referee.play, clock=MockClock(autojump_threshold=0))
    return referee, seats


def test_an_untimed_seat_may_think_for_24_hours() -> None:
    script = [Reply([["add", 3]], UNTIMED_MS), Reply([["add", 3]])]
    referee, seats = untimed(script, [Reply([["add", 1]])], SECOND)
    assert happened(referee) == [(1, 0, [["add", 3]]), (2, 1, [["add", 1]]), (3, 0, [["add", 3]])]
    assert (seats[0].asked, seats[1].asked) == ([(1, UNTIMED_MS), (3, UNTIMED_MS)], [(2, 1000)])


def test_an_untimed_seat_that_thinks_for_longer_forfeits() -> None:
    referee, _ = untimed([Reply([["add", 3]], UNTIMED_MS + 1)], [], SECOND)
    assert happened(referee) == [(1, 0, "timeout")]


@pytest.mark.parametrize(("time_ms", "expected"), [(1000, [["add", 3]]), (1001, "timeout")])
def test_the_clock_holds_for_the_others(time_ms: int, expected: object) -> None:
    referee, _ = untimed([ADD_3, ADD_3], [Reply([["add", 3]], time_ms)], SECOND)
    assert happened(referee)[1] == (2, 1, expected)


def test_an_untimed_seat_has_no_budget() -> None:
    clock = Clock(initial_ms=1000, increment_ms=500)
    referee, _ = untimed([Reply([["add", 3]], 5000), ADD_3], [Reply([["add", 1]], 300)], clock)
    assert [event.remaining_ms for event in referee.events if isinstance(event, TurnRecord)] == [
        [None, 1000],
        [None, 1200],
        [None, 1200],
    ]


# Forfeits.


@pytest.mark.parametrize(
    ("action", "reason", "detail"),
    [
        (Silence(), "timeout", "no answer within 1000 ms"),
        (
            Reply([["add", 1]], 1500),
            "timeout",
            "the answer to turn 1 took 1500 ms, 500 ms more than the limit of 1000 ms",
        ),
        (
            Reply([["add", 4]]),
            "illegal_move",
            'step 0: ["add", 4]: a step is ["add", 1 to 3] or ["double"]',
        ),
        (
            Reply([["double"], ["double"]]),
            "illegal_move",
            'step 1: ["double"]: a player does not move twice, or double twice, in one turn',
        ),
        (Reply([["double"]]), "illegal_move", "the turn is not over after its 1 steps"),
        (Reply([]), "illegal_move", "the turn has no steps"),
        (Reply("add 1"), "illegal_move", 'steps is a list of steps, not "add 1"'),
        (Reply(None), "illegal_move", "steps is a list of steps, not null"),
        (RESIGNED, "resigned", "it resigned"),
        (GONE, "disconnected", "it said goodbye"),
        (
            Fault("protocol_error", "it sent malformed bytes"),
            "protocol_error",
            "it sent malformed bytes",
        ),
    ],
)
def test_each_fault_is_a_forfeit_with_its_reason_in_a_sentence(
    action: Action, reason: str, detail: str
) -> None:
    referee, seats = played([action], [])
    forfeit = referee.events[0]
    assert isinstance(forfeit, ForfeitRecord)
    assert (1, 0, reason, detail) == (
        forfeit.turn,
        forfeit.seat,
        forfeit.reason,
        str(forfeit.detail),
    )
    assert Outcome(Termination.FORFEIT, (2, 1), (0, 0)) == referee.state.outcome
    assert [[forfeit], [forfeit]] == [seat.told for seat in seats]


def test_reason_of_an_illegal_turn_is_the_code_and_fields_of_the_game() -> None:
    referee, _ = played([Reply([["double"]])], [])
    [forfeit] = [event for event in referee.events if isinstance(event, ForfeitRecord)]
    detail = forfeit.detail
    assert isinstance(detail, Reason)
    assert (detail.code, detail.fields) == ("unfinished_turn", {"count": 1})


def test_steps_of_an_illegal_move_are_recorded_as_they_came() -> None:
    for steps in ([["add", 3], ["add", 4]], "add 1", {"add": [1.5, None]}, [[2**63]]):
        referee, _ = played([Reply(steps)], [])
        [forfeit] = referee.events.forfeits
        assert (forfeit.refused_steps, forfeit.refused_left_out) == (steps, 0)


def test_timeout_has_no_refused_steps() -> None:
    referee, _ = played([Reply([["add", 1]], 1500)], [])
    assert referee.events.forfeits[0].refused_steps is None


def test_a_match_goes_on_without_the_forfeiter() -> None:
    referee, _ = played([Silence()], [ADD_3, ADD_3], [Reply([["add", 1]])])
    assert happened(referee) == [
        (1, 0, "timeout"),
        (2, 1, [["add", 3]]),
        (3, 2, [["add", 1]]),
        (4, 1, [["add", 3]]),
    ]
    assert Outcome(Termination.FINISHED, (3, 1, 2), (0, 6, 1)) == referee.state.outcome


def test_later_forfeit_ranks_higher() -> None:
    scripts = [Silence()], [ADD_3, ADD_3], [RESIGNED], [Reply([["add", 1]])]
    referee, _ = played(*scripts)
    assert Outcome(Termination.FINISHED, (4, 1, 3, 2), (0, 6, 0, 1)) == referee.state.outcome


def reported(referee: Referee, *faults: tuple[int, Fault], after_ms: float = 100) -> float:
    """Play to the end while seats that are not asked forfeit, all at the same moment.

    Returns:
        how long the match took, in seconds.
    """

    async def play() -> float:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(referee.play)
            await trio.sleep(after_ms / 1000)
            for seat, fault in faults:
                referee.report(seat, fault)
        return trio.current_time()

    return trio.run(play, clock=MockClock(autojump_threshold=0))


def test_a_forfeit_out_of_turn_ends_a_match_of_two_at_once() -> None:
    referee, _ = prepared([Silence()], [])
    assert reported(referee, (1, RESIGNED), after_ms=400) == 0.4
    assert happened(referee) == [(1, 1, "resigned")]
    assert Outcome(Termination.FORFEIT, (1, 2), (0, 0)) == referee.state.outcome


def test_a_forfeit_out_of_turn_waits_until_the_turn_has_ended_if_the_match_goes_on() -> None:
    answer = Reply([["add", 1]], after_ms=900)
    referee, _ = prepared([answer, ADD_3, ADD_3], [ADD_3], [Reply([["add", 1]])])
    reported(referee, (1, RESIGNED))
    assert happened(referee)[:4] == [
        (1, 0, [["add", 1]]),
        (1, 1, "resigned"),
        (2, 2, [["add", 1]]),
        (3, 0, [["add", 3]]),
    ]


def test_forfeit_during_another_seats_turn_comes_before_its_timeout() -> None:
    referee, _ = prepared([Silence()], [], [ADD_3, ADD_3])
    reported(referee, (1, RESIGNED))
    assert happened(referee) == [(1, 1, "resigned"), (1, 0, "timeout")]
    assert Outcome(Termination.FORFEIT, (2, 3, 1), (0, 0, 0)) == referee.state.outcome


def test_simultaneous_forfeits_end_the_match_in_their_order() -> None:
    referee, _ = prepared([Silence()], [], [])
    assert reported(referee, (1, GONE), (2, GONE), after_ms=400) == 0.4
    assert happened(referee) == [(1, 1, "disconnected"), (1, 2, "disconnected")]
    assert Outcome(Termination.FORFEIT, (1, 3, 2), (0, 0, 0)) == referee.state.outcome


def test_seat_forfeits_only_once() -> None:
    answer = Reply([["add", 3]], after_ms=900)
    referee, _ = prepared([answer, ADD_3], [], [ADD_3])
    reported(referee, (1, RESIGNED), (1, GONE))
    assert [event for event in happened(referee) if event[1] == 1] == [(1, 1, "resigned")]


def test_the_forfeit_of_a_late_answer_is_recorded_with_its_times() -> None:
    referee, _ = played([Reply([["add", 3]], 1500, loop_delay_ms=2)], [])
    assert (
        ForfeitRecord(
            turn=1,
            seat=0,
            reason="timeout",
            detail=Reason.of(
                "late", turn=1, charged_ms=1500, over_ms=500, limit_ms=1000, unnamed=None
            ),
            queued_us=0,
            flushed_us=0,
            first_byte_us=1_500_000,
            last_byte_us=1_500_000,
            limit_ms=1000,
            charged_ms=1500,
            loop_delay_us=2000,
        )
        == referee.events[0]
    )


# Annulment and abortion.


@pytest.mark.parametrize(
    ("loop_delay_ms", "annulled"),
    [(50, False), (50.001, True), (0, False), (500, True)],
)
def test_a_late_answer_is_annulled_if_the_server_was_late_by_more_than_half_of_that(
    loop_delay_ms: float, annulled: bool
) -> None:
    late = Reply([["add", 3]], after_ms=1100, loop_delay_ms=loop_delay_ms)
    referee, _ = played([late], [])
    assert annulled == (referee.annulled is not None)
    assert annulled == (referee.events == [])


def test_an_annulled_match_says_how_late_the_server_was() -> None:
    late = Reply([["add", 3]], after_ms=1100, loop_delay_ms=80)
    referee, _ = played([late], [])
    sentence = "the answer to turn 1 came 100 ms late, but the server itself was late by 80 ms"
    assert sentence == str(referee.annulled)


def test_match_of_a_silent_seat_is_not_annulled() -> None:
    referee, _ = played([Silence()], [])
    assert happened(referee) == [(1, 0, "timeout")]


def test_an_answer_in_time_counts_however_late_the_server_was() -> None:
    referee, _ = played([Reply([["add", 3]], 1000, loop_delay_ms=9999)], [], goal=3)
    assert happened(referee) == [(1, 0, [["add", 3]])]


def test_a_match_that_is_aborted_ends_at_once_and_has_no_forfeit() -> None:
    referee, _ = prepared([Silence()], [])

    async def play() -> float:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(referee.play)
            await trio.sleep(0.3)
            referee.abort(Reason.of("server_shuts_down"))
        return trio.current_time()

    assert trio.run(play, clock=MockClock(autojump_threshold=0)) == 0.3
    assert referee.events == []
    assert str(referee.aborted) == "the server is shutting down"
