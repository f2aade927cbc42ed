"""The referee of games whose rules wait: as with other games, and never in the event loop."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest
import trio
import trio.testing
from tests.scripted import RACE, Reply, ScriptedSeat
from tests.scripted.scripted_seat import Action
from tests.scripted.waiting_race import Rules, WaitingRace

from polynya_common.reasons import Reason
from polynya_games import State
from polynya_protocol.messages import Clock
from polynya_server.match.referee import Referee
from polynya_server.match.seat import Fault
from polynya_server.match.time_control import MatchClock
from polynya_server.match.waiting_referee import WaitingReferee
from polynya_server.records import RulesFailure, TurnRecord

ADD_3 = Reply([["add", 3]])
DOUBLED = Reply([["double"], ["add", 2]])
RESIGNED = Fault("resigned", "it resigned")
SCRIPTS: dict[str, list[list[Action]]] = {
    "a whole match": [[ADD_3, ADD_3], [Reply([["add", 1]])]],
    "turns of two steps": [[DOUBLED, ADD_3], [DOUBLED]],
    "an end within the steps": [[Reply([["double"], ["add", 3], ["add", 1]])], []],
    "an illegal step": [[Reply([["add", 4]])], [ADD_3]],
    "a resignation": [[RESIGNED], []],
    "one of three resigns": [[RESIGNED], [ADD_3, ADD_3], [ADD_3]],
    "two of three resign": [[ADD_3], [RESIGNED], [RESIGNED]],
}


def seats_of(scripts: Sequence[Sequence[Action]]) -> list[ScriptedSeat]:
    return [ScriptedSeat(script) for script in scripts]


def played(referee: Referee) -> Referee:
    async def play() -> None:
        with trio.fail_after(60):
            await referee.play()

    trio.run(play)
    return referee


def refereed(
    kind: type[Referee], state: State, scripts: Sequence[Sequence[Action]]
) -> tuple[Referee, list[ScriptedSeat]]:
    seats = seats_of(scripts)
    clock = MatchClock(Clock(move_ms=60_000), len(seats))
    return kind(state, seats, clock, 0, "race"), seats


def happened(referee: Referee) -> list[tuple[object, ...]]:
    return [
        (event.turn, event.seat, event.steps if isinstance(event, TurnRecord) else event.reason)
        for event in referee.events
    ]


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_match_goes_as_with_rules_that_answer_at_once(name: str) -> None:
    scripts, options = SCRIPTS[name], {"goal": 6}
    plain, _ = refereed(Referee, RACE.setup(len(scripts), options=options), scripts)
    rules = Rules()
    state = WaitingRace(rules).setup(len(scripts), options=options)
    rules.threads.clear()
    waiting, seats = refereed(WaitingReferee, state, scripts)

    played(plain)
    played(waiting)

    assert happened(waiting) == happened(plain)
    assert waiting.state.to_json() == plain.state.to_json()
    assert waiting.state.outcome == plain.state.outcome
    assert seats[0].told == list(waiting.events)


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_rules_are_never_asked_in_the_event_loop(name: str) -> None:
    rules = Rules()
    state = WaitingRace(rules).setup(len(SCRIPTS[name]), options={"goal": 6})
    rules.threads.clear()

    played(refereed(WaitingReferee, state, SCRIPTS[name])[0])

    assert threading.get_ident() not in rules.threads


def test_a_seat_that_was_not_ready_forfeits_before_the_first_turn() -> None:
    rules = Rules()
    state = WaitingRace(rules).setup(2, options={"goal": 6})
    rules.threads.clear()
    referee, seats = refereed(WaitingReferee, state, [[], []])
    referee.report(0, Fault("not_ready", "it was not ready"))

    played(referee)

    assert happened(referee) == [(0, 0, "not_ready")]
    assert seats[1].asked == []
    assert threading.get_ident() not in rules.threads


@pytest.mark.parametrize(
    ("question", "scripts"),
    [
        (("apply", "add", 3), [[ADD_3], []]),
        (("apply", "add", 2), [[DOUBLED], []]),
        (("forfeit", 0), [[RESIGNED], [], []]),
    ],
)
def test_rules_that_fail_annul_the_match_and_nobody_forfeits(
    question: tuple[object, ...], scripts: list[list[Action]]
) -> None:
    state = WaitingRace(Rules(frozenset([question]))).setup(len(scripts), options={"goal": 9})

    referee, _ = refereed(WaitingReferee, state, scripts)
    played(referee)

    assert referee.annulled == Reason.of("rules_failed", turn=1, why="the process has ended")
    assert referee.rules_failure == RulesFailure((0,), str(question))
    assert happened(referee) == []


def test_the_other_seats_are_asked_no_longer_when_the_rules_have_failed() -> None:
    failing = Rules(frozenset([("forfeit", 1)]))
    state = WaitingRace(failing).setup(3, options={"goal": 9})
    referee, seats = refereed(WaitingReferee, state, [[], [], []])  # seat 0 never answers

    async def play() -> None:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(referee.play)
                await trio.testing.wait_all_tasks_blocked()
                referee.report(1, RESIGNED)

    trio.run(play)

    assert referee.rules_failure == RulesFailure((1,), "('forfeit', 1)")
    assert seats[0].asked == [(1, 60_000)]


def test_a_question_for_a_seat_is_answered_in_a_thread_while_it_thinks() -> None:
    state = WaitingRace(Rules()).setup(2, options={"goal": 3})
    referee, _ = refereed(WaitingReferee, state, [[], []])
    assert isinstance(referee, WaitingReferee)
    told: list[int] = []

    async def play() -> None:
        with trio.fail_after(60):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(referee.play)
                await trio.testing.wait_all_tasks_blocked()  # a seat asks when it is asked
                referee.look_up(0, threading.get_ident, told.append)
                while not told:
                    await trio.testing.wait_all_tasks_blocked(0.01)
                nursery.cancel_scope.cancel()

    trio.run(play)

    assert told != [threading.get_ident()]


def test_rules_that_answer_at_once_and_fail_annul_the_match_as_well() -> None:
    state = WaitingRace(Rules(frozenset([("apply", "add", 3)]))).setup(2, options={"goal": 9})

    referee, _ = refereed(Referee, state, [[ADD_3], []])
    played(referee)

    assert referee.annulled is not None
