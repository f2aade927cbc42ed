"""Matches that are shown later than they are played, on a mock clock that the test moves."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scripted import RawClient, race_host
from tests.scripted.race_host import RaceHost
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_protocol.messages import Clock
from polynya_server.spectating import delayed_view

DELAY_S = 10
JUST_BEFORE_S = DELAY_S - 0.001
SETTINGS: dict[str, Any] = {
    "live_delay_s": DELAY_S,
    "heartbeat_ms": 10**9,
    "lag_ms": 0,
    "kernel_times": False,
}


@pytest.fixture
def clock() -> MockClock:
    return MockClock()


async def wait(clock: MockClock, seconds: float) -> None:
    clock.jump(seconds)
    await wait_all_tasks_blocked()


async def news(watcher: RawClient) -> list[dict[str, Any]]:
    """What a spectator has been sent since it was last asked for."""
    before = len(watcher.received)
    await watcher.send(type="ping", nonce=before)
    await watcher.expect("pong")
    return watcher.received[before:-1]


def types(messages: list[dict[str, Any]]) -> list[str]:
    return [message["type"] for message in messages]


async def spectator(host: RaceHost, **watched: Any) -> RawClient:
    watcher = await host.client()
    await watcher.hello(role="spectator")
    await watcher.send(type="watch", **watched)
    return watcher


async def test_a_spectator_sees_the_whole_match_that_much_later(clock: MockClock) -> None:
    async with race_host("a", "b", **SETTINGS) as host:
        watcher = await spectator(host, all=True)
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b", goal=4)
        turn = await a.expect("turn")
        await wait(clock, 5)
        await a.move(turn, [["add", 3]])
        turn = await a.expect("turn")  # b has added 1
        await wait(clock, 2)
        await a.move(turn, [["add", 1]])
        await a.expect("match_over")

        await wait(clock, JUST_BEFORE_S - 7)
        assert await news(watcher) == []
        await wait(clock, 0.001)
        [begun] = await news(watcher)
        assert (begun["type"], begun["seq"], begun["state"]["points"]) == (
            "match_resume",
            0,
            [0, 0],
        )
        await wait(clock, 4.999)
        assert await news(watcher) == []
        await wait(clock, 0.001)
        assert [(one["type"], one["seq"], one["seat"]) for one in await news(watcher)] == [
            ("moved", 1, 0),
            ("moved", 2, 1),
        ]
        late = await spectator(host, match="m")
        [picture] = await news(late)
        assert (picture["seq"], picture["state"]["points"]) == (2, [3, 1])
        await wait(clock, 1.999)
        assert await news(watcher) == []
        await wait(clock, 0.001)
        moved, over = await news(watcher)
        assert (moved["seq"], over["type"], over["seq"], over["ranking"]) == (
            3,
            "match_over",
            4,
            [1, 2],
        )
        assert types(await news(late)) == ["moved", "match_over"]


@pytest.mark.parametrize(("seconds", "answer"), [(0, "error"), (DELAY_S, "match_resume")])
async def test_a_match_is_watched_from_when_it_is_shown(
    clock: MockClock, seconds: int, answer: str
) -> None:
    async with race_host("a", "b", **SETTINGS) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b")
        await a.expect("turn")
        await wait(clock, seconds)
        watcher = await spectator(host, match="m")
        assert types(await news(watcher)) == [answer]


@pytest.mark.parametrize(("seconds", "told"), [(JUST_BEFORE_S, []), (DELAY_S, ["forfeited"])])
async def test_forfeits_are_shown_later_too(
    clock: MockClock, seconds: float, told: list[str]
) -> None:
    async with race_host("a", "b", **SETTINGS) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b")
        turn = await a.expect("turn")
        await wait(clock, DELAY_S)
        watcher = await spectator(host, match="m")
        await news(watcher)
        await a.move(turn, [["add", 9]])
        await a.expect("match_over")
        await wait(clock, seconds)
        assert types(await news(watcher))[:1] == told


async def test_delayed_view_shows_the_match_and_its_clocks_as_they_were(clock: MockClock) -> None:
    async with race_host("a", "b", **SETTINGS) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        limits = Clock(initial_ms=60_000, move_ms=50_000)
        match = host.match("m", "a", "b", goal=4, clock=limits)
        turn = await a.expect("turn")
        await wait(clock, 4)
        await a.move(turn, [["add", 3]])
        turn = await a.expect("turn")
        assert host.server.matches == []
        await wait(clock, 8)  # 12 s: shown as at 2 s
        [found] = host.server.matches
        assert (list(found.events), found.state.to_json()["points"]) == ([], [0, 0])
        assert (found.clocks.to_move, found.clocks.running_ms) == (0, 2_000)
        assert (found.clocks.limit_ms, found.clocks.remaining_ms) == (50_000, [60_000, 60_000])
        await wait(clock, 5)  # 17 s: shown as at 7 s, 3 s after the first turn
        assert (len(found.events), found.state.to_json()["points"]) == (2, [3, 1])
        assert (found.clocks.to_move, found.clocks.running_ms) == (0, 3_000)
        assert (found.clocks.limit_ms, found.clocks.remaining_ms) == (50_000, [56_000, 60_000])
        await a.move(turn, [["add", 1]])
        record = await match.record()
        await wait(clock, JUST_BEFORE_S)
        assert (host.server.match("m"), found.is_over, len(found.events)) == (found, False, 2)
        await wait(clock, 0.001)
        assert (host.server.match("m"), found.is_over) == (None, True)
        assert list(found.events) == record.events


async def test_server_knows_a_match_that_it_does_not_show_yet(clock: MockClock) -> None:
    async with race_host("a", "b", **SETTINGS) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b", goal=1)
        turn = await a.expect("turn")
        assert (host.server.plays("m"), host.server.match("m")) == (True, None)
        await a.move(turn, [["add", 1]])
        await a.expect("match_over")
        await wait(clock, DELAY_S - 1)
        assert (host.server.plays("m"), host.server.in_play) == (False, 0)


async def test_matches_are_not_shown_while_too_much_waits(
    clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(delayed_view, "MAX_WAITING", 1)
    async with race_host("a", "b", **SETTINGS) as host:
        watcher = await spectator(host, all=True)
        await host.good_bot("a")
        await host.good_bot("b")
        for name in ("first", "second"):
            await host.match(name, "a", "b", goal=1).record()
        await wait(clock, DELAY_S)
        await host.match("third", "a", "b", goal=1).record()
        await wait(clock, DELAY_S)
        shown = [message["match"] for message in await news(watcher)]
        assert set(shown) == {"first", "third"}


@pytest.mark.parametrize(
    ("grace_ms", "told"),
    [
        (DELAY_S * 1000 + 1, ["match_resume", "moved", "match_over", "goodbye"]),
        (DELAY_S * 1000 - 1, ["goodbye"]),
    ],
)
async def test_spectators_see_the_rest_within_the_grace_time(
    clock: MockClock, grace_ms: int, told: list[str]
) -> None:
    async with race_host("a", "b", **SETTINGS, close_ms=1) as host:
        watcher = await spectator(host, all=True)
        await host.good_bot("a")
        await host.good_bot("b")
        await host.match("m", "a", "b", goal=1).record()
        host.in_background(host.server.stop, grace_ms)
        await wait_all_tasks_blocked()
        for seconds in (JUST_BEFORE_S, 0.001, 0.001):
            await wait(clock, seconds)
        assert types(await watcher.expect_end()) == told
