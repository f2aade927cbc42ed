"""When a bot comes back, and when it gives up; the clock and the dice are the test's."""

from __future__ import annotations

import math

import pytest

from polynya_client.errors import ConnectionLost, GaveUp, ServerError, ServerLeft
from polynya_client.retries import Retries

LOST = ConnectionLost("lost")
FULL = ServerError("server_full", "no room")


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def pauses(
    retries: Retries, clock: Clock, count: int, trouble: ConnectionLost = LOST
) -> list[float]:
    found = []
    for _ in range(count):
        found.append(retries.after(trouble))
        clock.now += found[-1]
    return found


@pytest.mark.parametrize(("dice", "factor"), [(0.0, 1.0), (1.0, 0.5)])
def test_pauses_double_up_to_five_seconds_and_are_shortened_by_chance(
    dice: float, factor: float
) -> None:
    clock = Clock()
    found = pauses(Retries(math.inf, clock, lambda: dice), clock, 9)
    assert found == [factor * pause for pause in (0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5)]


def test_first_pause_is_longer_after_the_server_was_full() -> None:
    clock = Clock()
    assert pauses(Retries(60, clock, lambda: 0.0), clock, 1, ServerLeft("bye")) == [2.5]
    assert Retries(60, clock, lambda: 0.0).after(FULL) == 2.5


def test_a_bot_gives_up_when_its_time_is_over() -> None:
    clock = Clock()
    retries = Retries(1, clock, lambda: 0.0)
    assert sum(pauses(retries, clock, 4)) == 1
    with pytest.raises(GaveUp):
        retries.after(LOST)


def test_a_session_gives_all_the_time_again() -> None:
    clock = Clock()
    retries = Retries(1, clock, lambda: 0.0)
    pauses(retries, clock, 3)
    retries.welcome()
    clock.now += 0.9
    assert pauses(retries, clock, 1) == [0.1]


def test_a_session_that_a_lost_connection_ended_begins_the_pauses_anew() -> None:
    clock = Clock()
    retries = Retries(60, clock, lambda: 0.0)
    pauses(retries, clock, 3)
    retries.welcome()
    assert pauses(retries, clock, 2) == [0.1, 0.2]


@pytest.mark.parametrize(("session_s", "pause"), [(4.9, 5.0), (5.0, 2.5)])
def test_after_a_goodbye_only_a_session_of_five_seconds_begins_the_pauses_anew(
    session_s: float, pause: float
) -> None:
    clock = Clock()
    retries = Retries(60, clock, lambda: 0.0)
    pauses(retries, clock, 1, ServerLeft("bye"))
    retries.welcome()
    clock.now += session_s
    assert pauses(retries, clock, 1, ServerLeft("bye")) == [pause]


def test_a_refusal_for_good_is_not_tried_again() -> None:
    with pytest.raises(ServerError, match="unauthorized"):
        Retries(60).after(ServerError("unauthorized", "no"))
