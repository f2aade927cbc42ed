"""The clock of a bot that is reached over a socket, on a mock clock that the test moves.

Time passes in steps of the loop monitor's tick, so the server is never late, unless a test lets it
be by moving the clock at once.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio
from tests.scripted import RawClient, race_host
from tests.scripted.race_host import PlayedMatch
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_protocol.messages import Clock
from polynya_server.records import ForfeitRecord, MatchRecord, TurnRecord

TICK_MS = 10


class Stage:
    """A match between ``a``, whom the test plays, and a good bot; it is a's turn.

    Attributes:
        a: the bot.
        turn: what it was asked.
        match: the match.
    """

    def __init__(self, clock: MockClock, a: RawClient, match: PlayedMatch) -> None:
        self.a = a
        self.match = match
        self.turn: dict[str, Any] = {}
        self._clock = clock

    async def wait(self, milliseconds: float) -> None:
        """Let time pass, and the server work meanwhile."""
        while milliseconds > 0:
            step = min(TICK_MS, milliseconds)
            await self.pause(step)
            milliseconds -= step

    async def pause(self, milliseconds: float) -> None:
        """Let time pass in which the server does not come to work."""
        self._clock.jump(milliseconds / 1000)
        await wait_all_tasks_blocked()

    async def answer(self) -> None:
        """Answer the turn with a legal move that wins."""
        await self.a.move(self.turn, [["add", 3]])
        await wait_all_tasks_blocked()


@asynccontextmanager
async def stage(
    clock: MockClock, limits: Clock, round_trip_ms: float, **settings: Any
) -> AsyncIterator[Stage]:
    async with race_host("a", "b", kernel_times=False, **settings) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        shown = Stage(clock, a, host.match("m", "a", "b", clock=limits, goal=3))
        await a.expect("match_start")
        if host.server.settings.lag_ms:
            ping = await a.receive()
            await shown.wait(round_trip_ms)
            await a.answer(ping)
        await a.send(type="ready", match="m")
        shown.turn = await a.expect("turn")
        yield shown


def staged(
    play: Callable[[Stage], Awaitable[None]],
    limits: Clock = Clock(move_ms=1000),  # noqa: B008  # frozen
    round_trip_ms: float = 0,
    lag_ms: int = 0,
    **settings: Any,
) -> MatchRecord:
    """The record of a match whose first turn is played like this."""
    clock = MockClock()

    async def run() -> MatchRecord:
        async with stage(clock, limits, round_trip_ms, lag_ms=lag_ms, **settings) as shown:
            await play(shown)
            return await shown.match.record()

    return trio.run(run, clock=clock)


def after(milliseconds: float) -> Callable[[Stage], Awaitable[None]]:
    """Answer when so much time has passed."""

    async def play(shown: Stage) -> None:
        await shown.wait(milliseconds)
        await shown.answer()

    return play


def outcome(record: MatchRecord) -> str:
    first = record.events[0]
    return first.reason if isinstance(first, ForfeitRecord) else f"{first.charged_ms} ms"


def test_an_answer_exactly_at_the_limit_is_in_time_and_one_beyond_is_not() -> None:
    assert outcome(staged(after(1000))) == "1000 ms"
    assert outcome(staged(after(1001))) == "timeout"


def test_the_budget_limits_like_the_time_of_a_move() -> None:
    assert outcome(staged(after(300), Clock(initial_ms=300))) == "300 ms"
    assert outcome(staged(after(301), Clock(initial_ms=300))) == "timeout"


@pytest.mark.parametrize(
    ("round_trip_ms", "lag_ms", "allowance_ms"),
    [(30, 100, 30), (100, 30, 30), (30, 0, 0), (0, 100, 0)],
)
def test_lag_is_not_charged_up_to_the_setting_and_the_own_smallest_round_trip(
    round_trip_ms: float, lag_ms: int, allowance_ms: int
) -> None:
    in_time = staged(after(1000 + allowance_ms), round_trip_ms=round_trip_ms, lag_ms=lag_ms)
    late = staged(after(1001 + allowance_ms), round_trip_ms=round_trip_ms, lag_ms=lag_ms)
    assert (outcome(in_time), outcome(late)) == ("1000 ms", "timeout")


def test_an_answer_that_arrived_in_time_counts_though_it_is_read_after_the_alarm() -> None:
    async def play(shown: Stage) -> None:
        await shown.wait(900)
        await shown.a.move(shown.turn, [["add", 3]])
        await shown.pause(0)
        await shown.pause(200)

    assert outcome(staged(play)) == "900 ms"


def test_a_late_answer_is_annulled_when_the_server_paused_for_more_than_half_of_that() -> None:
    async def play(shown: Stage) -> None:
        await shown.wait(900)
        await shown.pause(150)
        await shown.wait(100)
        await shown.answer()

    record = staged(play)
    assert (record.reason, record.server_fault, record.events) == ("annulled", True, [])
    assert str(record.detail) == (
        "the answer to turn 1 came 150 ms late, but the server itself was late by 140 ms"
    )


def test_a_late_answer_is_a_forfeit_when_the_server_paused_for_less_than_half_of_that() -> None:
    async def play(shown: Stage) -> None:
        await shown.pause(60)
        await shown.wait(1041)
        await shown.answer()

    record = staged(play)
    assert (outcome(record), record.server_fault) == ("timeout", False)


def test_silent_bot_forfeits_after_the_grace_of_a_server_pause() -> None:
    async def play(shown: Stage) -> None:
        await shown.pause(60)
        await shown.wait(1040)
        assert shown.a.of_type("forfeited") == []
        await shown.wait(1)
        await shown.a.expect("forfeited")

    record = staged(play)
    assert (outcome(record), record.server_fault) == ("timeout", False)


def test_silent_bot_forfeits_at_once_without_a_server_pause() -> None:
    async def play(shown: Stage) -> None:
        await shown.wait(1001)

    forfeit = staged(play).events[0]
    assert isinstance(forfeit, ForfeitRecord)
    assert (forfeit.charged_ms, forfeit.limit_ms) == (1001, 1000)
    assert (forfeit.first_byte_us, forfeit.last_byte_us) == (None, None)
    assert str(forfeit.detail) == "no answer to turn 1 within 1000 ms"


def test_a_move_after_the_forfeit_is_late() -> None:
    async def play(shown: Stage) -> None:
        await shown.wait(1001)
        await shown.a.expect("forfeited")
        await shown.answer()
        error = await shown.a.expect("error")
        assert (error["code"], error["fatal"]) == ("late", False)

    staged(play)


def test_coming_back_leaves_what_is_left_of_the_turn() -> None:
    clock = MockClock()

    async def run() -> MatchRecord:
        async with race_host("a", "b", lag_ms=0, kernel_times=False) as host:
            first = await host.bot("a")
            await host.good_bot("b")
            match = host.match("m", "a", "b", clock=Clock(move_ms=1000), goal=3)
            await first.expect("turn")
            clock.jump(0.4)
            await first.stream.aclose()
            await wait_all_tasks_blocked()
            clock.jump(0.2)
            again = await host.bot("a")
            turn = await again.expect("turn")
            assert turn["remaining_ms"] == 400
            clock.jump(0.1)
            await again.move(turn, [["add", 3]])
            return await match.record()

    turn = trio.run(run, clock=clock).events[0]
    assert isinstance(turn, TurnRecord)
    assert turn.charged_ms == 700


def test_bot_to_move_has_no_longer_to_reconnect_than_others() -> None:
    clock = MockClock()

    async def run() -> float:
        async with race_host("a", "b", reconnect_ms=500, kernel_times=False) as host:
            a = await host.bot("a")
            await host.good_bot("b")
            match = host.match("m", "a", "b", clock=Clock(move_ms=1000), goal=3)
            await a.expect("turn")
            await a.stream.aclose()
            await wait_all_tasks_blocked()
            clock.jump(0.499)
            await wait_all_tasks_blocked()
            assert host.journal.records == []
            clock.jump(0.001)
            record = await match.record()
            assert outcome(record) == "disconnected"
        return trio.current_time()

    assert trio.run(run, clock=clock) == pytest.approx(0.5)


def test_a_silent_peer_is_pinged_at_each_heartbeat_and_dropped_after_three() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("a", heartbeat_ms=1000) as host:
            a = await host.bot("a")
            for beat in range(1, 4):
                clock.jump(1)
                assert await a.receive() == {"type": "ping", "nonce": beat}
            assert "a" in host.server.connected
            clock.jump(1)
            assert await a.expect_end() == [{"type": "goodbye", "reason": "silent"}]
            assert "a" not in host.server.connected

    trio.run(run, clock=clock)


def test_any_frame_answers_a_heartbeat() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("a", heartbeat_ms=1000) as host:
            a = await host.bot("a")
            for beat in range(8):
                clock.jump(1)
                await a.expect("ping")
                await a.send(type="ping", nonce=beat)
                await a.expect("pong")
            assert "a" in host.server.connected

    trio.run(run, clock=clock)
