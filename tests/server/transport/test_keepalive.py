"""When peers are pinged."""

from __future__ import annotations

import trio
from tests.scripted import RawClient, race_host
from trio.testing import MockClock, wait_all_tasks_blocked

NAMES = ("a", "b", "c", "d", "e")
PERIOD_MS = 1_000


async def test_bot_whose_round_trip_is_being_measured_is_not_pinged_for_the_next_match() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a", concurrency=4)
        await host.good_bot("b", concurrency=4)
        for number in range(4):
            host.match(f"m{number}", "a", "b")
        for _ in range(4):
            await a.expect("turn")
        assert len(a.of_type("ping")) == 1


def test_bots_that_came_together_are_pinged_at_different_moments_of_the_period() -> None:
    clock = MockClock()

    async def note_ping(bot: RawClient, moments: list[float]) -> None:
        await bot.expect("ping")
        moments.append(trio.current_time())

    async def run() -> list[float]:
        moments: list[float] = []
        async with race_host(*NAMES, heartbeat_ms=PERIOD_MS) as host:
            bots = [await host.bot(name) for name in NAMES]
            async with trio.open_nursery() as nursery:
                for bot in bots:
                    nursery.start_soon(note_ping, bot, moments)
                for _ in range(PERIOD_MS // 5):
                    await wait_all_tasks_blocked()
                    clock.jump(0.005)
        return moments

    assert len(set(trio.run(run, clock=clock))) == len(NAMES)
