"""When peers are pinged: bots that came together are not pinged together for ever after."""

from __future__ import annotations

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_server.testing import RawClient, race_host
from polynya_server.transport.keepalive import period_ns

NS_PER_S = 10**9


def test_first_connections_heartbeat_is_as_long_as_the_setting_says() -> None:
    assert period_ns(15_000, number=1) == 15 * NS_PER_S


@pytest.mark.parametrize("first", [1, 77, 10**6])
def test_heartbeats_of_a_crowd_are_spread_evenly_over_a_twentieth(first: int) -> None:
    crowd = sorted(period_ns(20_000, number) for number in range(first, first + 1_000))
    even = [int((20 + rank / 1_000) * NS_PER_S) for rank in range(1_000)]
    assert even == pytest.approx(crowd, abs=0.005 * NS_PER_S)


async def test_a_bot_whose_round_trip_is_being_measured_is_not_pinged_for_the_next_match() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a", concurrency=4)
        await host.good_bot("b", concurrency=4)
        for number in range(4):
            host.match(f"m{number}", "a", "b")
        for _ in range(4):
            await a.expect("turn")
        assert len(a.of_type("ping")) == 1


def test_bots_that_came_at_the_same_moment_are_pinged_one_after_the_other() -> None:
    clock = MockClock()
    names = ("a", "b", "c", "d", "e")

    async def pinged_at_s(bot: RawClient, times: dict[str, float], name: str) -> None:
        await bot.expect("ping")
        times[name] = round(trio.current_time(), 3)

    async def run() -> dict[str, float]:
        times: dict[str, float] = {}
        async with race_host(*names, heartbeat_ms=1_000) as host:
            bots = {name: await host.bot(name) for name in names}
            began_s = trio.current_time()
            async with trio.open_nursery() as nursery:
                for name, bot in bots.items():
                    nursery.start_soon(pinged_at_s, bot, times, name)
                while len(times) < len(names):
                    clock.jump(0.001)
                    await wait_all_tasks_blocked()
        return {name: time - began_s for name, time in times.items()}

    expected = {"a": 1.0, "d": 1.043, "b": 1.031, "e": 1.024, "c": 1.012}
    assert expected == pytest.approx(trio.run(run, clock=clock), abs=0.0015)
