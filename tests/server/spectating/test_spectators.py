"""Those who watch: a snapshot, then every event; whoever is slow gets a snapshot instead."""

from __future__ import annotations

from typing import Any

import pytest
from tests.scripted import RawClient, frame, race_host
from tests.scripted.race_host import RaceHost
from trio.testing import wait_all_tasks_blocked


async def spectator(host: RaceHost, **hello: Any) -> RawClient:
    client = await host.client()
    assert (await client.hello(role="spectator", **hello))["type"] == "welcome"
    return client


async def test_a_spectator_sees_the_match_as_it_stands_and_then_every_event() -> None:
    async with race_host("a", "b", lag_ms=0) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b", goal=4)
        await a.move(await a.expect("turn"), [["add", 3]])
        turn = await a.expect("turn")
        watcher = await spectator(host)
        await watcher.send(type="watch", match="m")
        picture = await watcher.receive()
        assert (picture["type"], picture["seat"], picture["seq"]) == ("match_resume", None, 2)
        assert picture["state"]["points"] == [3, 1]
        await a.move(turn, [["add", 1]])
        moved, over = await watcher.receive(), await watcher.receive()
        assert (moved["type"], moved["seq"], moved["seat"]) == ("moved", 3, 0)
        assert (over["type"], over["seq"], over["ranking"]) == ("match_over", 4, [1, 2])


async def test_spectator_receives_forfeits() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        watcher = await spectator(host, name="watcher")
        host.match("m", "a", "b")
        turn = await a.expect("turn")
        await watcher.send(type="watch", match="m")
        await watcher.expect("match_resume")
        await a.move(turn, [["add", 9]])
        forfeited = await watcher.expect("forfeited")
        assert (forfeited["seat"], forfeited["reason"]) == (0, "illegal_move")


async def test_spectator_of_all_matches_sees_later_matches() -> None:
    async with race_host("a", "b") as host:
        watcher = await spectator(host)
        await watcher.send(type="watch", all=True)
        await watcher.send(type="ping", nonce=1)
        await watcher.expect("pong")
        await host.good_bot("a")
        await host.good_bot("b")
        for match in ("m1", "m2"):
            host.match(match, "a", "b", goal=1)
            assert (await watcher.expect("match_resume"))["match"] == match
            assert (await watcher.expect("match_over"))["match"] == match


async def test_unsubscribed_spectator_receives_nothing() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b", goal=1)
        turn = await a.expect("turn")
        watcher = await spectator(host)
        await watcher.send(type="watch", all=True)
        await watcher.expect("match_resume")
        await watcher.send(type="unwatch")
        await watcher.send(type="ping", nonce=1)
        await watcher.expect("pong")
        await a.move(turn, [["add", 1]])
        await a.expect("match_over")
        await watcher.send(type="ping", nonce=2)
        assert (await watcher.receive())["type"] == "pong"


@pytest.mark.parametrize(
    "message", [{"type": "watch", "match": "none"}, {"type": "resign", "match": "none"}]
)
async def test_spectator_of_an_unknown_match_gets_an_error(message: dict[str, Any]) -> None:
    async with race_host() as host:
        watcher = await spectator(host)
        await watcher.send(**message)
        error = await watcher.receive()
        assert (error["code"], error["fatal"]) == ("unknown_match", False)


async def test_a_snapshot_longer_than_what_may_wait_is_sent_where_nothing_waits() -> None:
    async with race_host("a", "b", max_spectator_unsent=1, lag_ms=0) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b", goal=4)
        turn = await a.expect("turn")
        watcher = await spectator(host)
        await watcher.send(type="watch", match="m")
        assert (await watcher.receive())["type"] == "match_resume"
        await a.move(turn, [["add", 3]])
        assert (await watcher.receive())["type"] == "moved"


async def test_a_match_that_cannot_be_shown_ends_alone() -> None:
    no_message_carries_it = 2**70
    async with race_host("a", "b") as host:
        watcher = await spectator(host)
        await watcher.send(type="watch", all=True)
        await host.good_bot("a")
        await host.good_bot("b")
        assert (
            await host.match("m", "a", "b", goal=no_message_carries_it).record()
        ).ranking is None
        host.match("next", "a", "b")
        assert (await watcher.receive())["match"] == "next"


@pytest.mark.parametrize("limit", [1000, 1])
async def test_slow_spectator_gets_a_snapshot_and_the_result_for_missed_events(
    limit: int,
) -> None:
    async with race_host("a", "b", max_spectator_unsent=limit, message_burst=10**6) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=7)
        turn = await a.expect("turn")
        slow = await spectator(host)
        await ask_for_more_than_is_read(slow)
        for _ in range(3):
            await a.move(turn, [["add", 2]])
            turn = await a.expect("turn")
        await a.move(turn, [["add", 2]])
        record = await match.record()
        over = await slow.expect("match_over")
        picture = slow.received[-2]
        assert slow.of_type("moved") == []
        assert (picture["type"], picture["seq"]) == ("match_resume", len(record.events))
        assert picture["state"]["points"] == [8, 3]
        assert (over["seq"], over["ranking"]) == (len(record.events) + 1, [1, 2])


async def ask_for_more_than_is_read(client: RawClient) -> None:
    """Ask for so many snapshots that all buffers on their way are full."""
    watch, unwatch = ({"type": kind, "match": "m"} for kind in ("watch", "unwatch"))
    await client.send_bytes((frame(watch) + frame(unwatch)) * 30_000 + frame(watch))
    await wait_all_tasks_blocked()
