"""HTTP gets a share of the loop's time while matches are played, and networks share it fairly."""

# ruff: noqa: ARG001 -- a test has the clock by asking for it; a mark does not give it

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_server.http.budget import BURST_S, SHARE, HttpBudget, measured
from polynya_server.http.pacing import PacedApplication


@pytest.fixture
def budget() -> HttpBudget:
    return HttpBudget(lambda: True)


async def waited_s(turn: Callable[[], object]) -> float:
    before = trio.current_time()
    await turn()  # type: ignore[misc]
    return trio.current_time() - before


async def test_short_work_after_a_pause_does_not_wait(
    budget: HttpBudget, autojump_clock: MockClock
) -> None:
    budget.spend(BURST_S)
    assert await waited_s(budget.turn) == pytest.approx(0, abs=0.01)


async def test_work_beyond_that_is_paid_off_by_waiting(
    budget: HttpBudget, autojump_clock: MockClock
) -> None:
    budget.spend(BURST_S + 1)
    assert await waited_s(budget.turn) == pytest.approx(1 / SHARE, abs=0.01)


async def test_nothing_waits_when_no_match_is_played(autojump_clock: MockClock) -> None:
    plays = [True]
    budget = HttpBudget(lambda: plays[0])
    budget.spend(100)
    plays[0] = False
    assert await waited_s(budget.turn) == pytest.approx(0, abs=0.01)


async def test_request_that_waits_goes_on_soon_after_the_last_match(
    autojump_clock: MockClock,
) -> None:
    plays = [True]
    budget = HttpBudget(lambda: plays[0])
    budget.spend(100)

    async def end_match() -> None:
        await trio.sleep(5)
        plays[0] = False

    async with trio.open_nursery() as nursery:
        nursery.start_soon(end_match)
        assert await waited_s(budget.turn) == pytest.approx(5, abs=0.1)


async def test_flood_from_one_network_has_one_turn_in_the_queue(
    budget: HttpBudget, autojump_clock: MockClock
) -> None:
    budget.spend(BURST_S + 0.1)
    order: list[str] = []

    async def ask(address: str) -> None:
        await budget.turn(address)
        order.append(address)
        budget.spend(0.1)

    async with trio.open_nursery() as nursery:
        for number in range(10):
            nursery.start_soon(ask, f"2001:db8::{number}")
        await wait_all_tasks_blocked()
        nursery.start_soon(ask, "192.0.2.1")
    assert order.index("192.0.2.1") == 1


async def test_steps_of_work_are_measured_and_not_its_waits(autojump_clock: MockClock) -> None:
    spent: list[float] = []

    async def work() -> int:
        for _ in range(2):
            end = perf_counter() + 0.01
            while perf_counter() < end:
                pass
            await trio.sleep(1000)
        return 7

    assert await measured(work(), spent.append) == 7
    assert len([seconds for seconds in spent if seconds >= 0.01]) == 2
    assert sum(spent) < 1000


async def test_error_and_cancellation_pass_through_what_is_measured(
    autojump_clock: MockClock,
) -> None:
    async def fail() -> None:
        await trio.lowlevel.checkpoint()
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await measured(fail(), lambda _seconds: None)
    with trio.move_on_after(0) as scope:
        await measured(trio.sleep_forever(), lambda _seconds: None)
    assert scope.cancelled_caught


@pytest.mark.parametrize(("kind", "counted"), [(b"text/html", True), (b"text/event-stream", False)])
async def test_events_of_the_matches_are_not_counted(kind: bytes, counted: bool) -> None:
    spent: list[float] = []

    class Noting(HttpBudget):
        def spend(self, seconds: float) -> None:
            spent.append(seconds)

    async def answer(_scope: object, _receive: object, send: Callable[..., object]) -> None:
        await send({"type": "http.response.start", "headers": [(b"content-type", kind)]})  # type: ignore[misc]
        spent.clear()
        await trio.lowlevel.checkpoint()

    async def nothing(*_arguments: object) -> None:
        pass

    await PacedApplication(answer, Noting(lambda: True))({"type": "http"}, nothing, nothing)  # type: ignore[arg-type]
    assert (spent != []) == counted
