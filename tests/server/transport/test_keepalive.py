"""When peers are pinged."""

from __future__ import annotations

from polynya_server.testing import race_host


async def test_bot_whose_round_trip_is_being_measured_is_not_pinged_for_the_next_match() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a", concurrency=4)
        await host.good_bot("b", concurrency=4)
        for number in range(4):
            host.match(f"m{number}", "a", "b")
        for _ in range(4):
            await a.expect("turn")
        assert len(a.of_type("ping")) == 1
