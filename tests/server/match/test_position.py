"""A match in play as those see it who only look."""

from __future__ import annotations

from tests.scripted import race_host

from polynya_protocol.messages import Clock

CLOCK = Clock(initial_ms=60_000, move_ms=50_000)


async def test_a_match_in_play_can_be_looked_at() -> None:
    async with race_host("a", "b", lag_ms=0) as host:
        a, b = await host.bot("a", software={"name": "racer"}), await host.bot("b")
        host.match("m", "a", "b", goal=4, clock=CLOCK)
        await b.answer(await b.expect("match_start"))
        turn = await a.expect("turn")
        [found] = host.server.matches
        assert (found.setup.match, found.setup.players) == ("m", ("a", "b"))
        assert [software and software.name for software in found.software] == ["racer", None]
        assert (list(found.events), found.state.to_move, found.is_over) == ([], 0, False)
        assert (found.clocks.to_move, found.clocks.limit_ms) == (0, 50_000)
        await a.move(turn, [["add", 3]])
        await b.expect("turn")
        [event] = found.events
        assert (event.turn, event.seat) == (1, 0)
        assert found.initial_state.to_json()["points"] == [0, 0]
        assert found.state.to_json()["points"] == [3, 0]
        assert (found.clocks.to_move, found.clocks.remaining_ms[1]) == (1, 60_000)
        assert found.clocks.running_ms is not None


async def test_no_clock_runs_before_all_are_ready() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        host.match("m", "a", "b", clock=CLOCK)
        await a.receive()  # match_start; b is not there yet
        found = host.server.match("m")
        assert found is not None
        assert (found.clocks.to_move, found.clocks.running_ms) == (None, None)
        assert found.clocks.remaining_ms == [60_000, 60_000]


async def test_a_match_that_is_over_is_found_no_more_but_what_was_found_stands() -> None:
    async with race_host("a", "b") as host:
        a, _ = await host.bot("a"), await host.good_bot("b")
        match = host.match("m", "a", "b")
        await a.expect("turn")
        version, found = host.server.version, host.server.match("m")
        assert found is not None
        await a.send(type="resign", match="m")
        record = await match.record()
        assert list(found.events) == record.events != []
        assert (found.state.to_move, found.clocks.to_move) == (None, None)
        while host.server.match("m") is not None:
            version = await host.server.changed(version)
        assert (host.server.matches, found.is_over) == ([], True)
