"""The limits on what a message holds and how much of them comes, each from both sides."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest
import trio
from structlog.testing import capture_logs
from tests.scripted import RawClient, frame, race_host
from tests.scripted.race_host import token
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_protocol import decode_from_client
from polynya_protocol.messages import Move
from polynya_server import ServerSettings, TurnRecord
from polynya_server.transport.limits import MEMORY_PER_BYTE


def nested(levels: int) -> dict[str, Any]:
    """A ping of so many levels of maps and arrays, its own the first."""
    value: Any = 1
    for _ in range(levels - 1):
        value = [value]
    return {"type": "ping", "nonce": 1, "ignored": value}


async def ping_for_ever(bot: RawClient) -> None:
    """Ask for answers that nobody reads."""
    pings = frame({"type": "ping", "nonce": "x" * 64}) * 1000
    while True:
        await bot.send_bytes(pings)


@pytest.mark.parametrize("limit", [1, 5, 16])
async def test_a_message_is_nested_as_deep_as_allowed(limit: int) -> None:
    async with race_host("a", max_nesting=max(limit, 2)) as host:
        limit = max(limit, 2)
        bot = await host.bot("a", wants=[])
        await bot.send(**nested(limit))
        assert (await bot.receive())["type"] == "pong"
        await bot.send(**nested(limit + 1))
        [error] = await bot.expect_end()
    assert error["code"] == "malformed"
    assert error["message"] == f"a frame nests maps and arrays more than {limit} deep"


async def test_a_collection_has_as_many_entries_as_allowed() -> None:
    async with race_host("a", max_items=50) as host:
        bot = await host.bot("a")
        await bot.send(type="ping", nonce=1, ignored=[0] * 50)
        assert (await bot.receive())["type"] == "pong"
        await bot.send(type="ping", nonce=1, ignored=[0] * 51)
        [error] = await bot.expect_end()
    assert (error["code"], "<= 50" in error["message"]) == ("malformed", True)


async def test_a_move_with_more_entries_forfeits_its_match_and_stays_connected() -> None:
    async with race_host("a", "b", max_items=50) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b")
        await a.move(await a.expect("turn"), [["add", 9]] * 51)
        forfeited = await a.expect("forfeited")
        await a.expect("match_over")
        await a.send(type="ping", nonce=1)
        assert (await a.expect("pong"))["nonce"] == 1
        assert (await match.record()).reason == "forfeit"
    assert (forfeited["seat"], forfeited["reason"]) == (0, "illegal_move")
    assert "step 0" in forfeited["detail"]


async def test_remarks_are_kept_up_to_their_size_and_dropped_beyond_it() -> None:
    async with race_host("a", "b", max_info=20) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=40)
        fits = {"t": "x" * (20 - 4)}
        assert len(frame(fits)) == 4 + 20
        turn = await a.expect("turn")
        await a.move(turn, [["add", 1]], info=fits)
        turn = await a.expect("turn")
        await a.move(turn, [["add", 1]], info={"t": "x" * (20 - 3)})
        error = await a.expect("error")
        await a.send(type="resign", match="m")
        record = await match.record()
    infos = [event.info for event in record.events if isinstance(event, TurnRecord)]
    assert [info for info in infos if info is not None] == [fits]
    assert (error["code"], error["fatal"]) == ("too_large", False)
    assert "21 bytes, over the limit of 20" in error["message"]


def test_more_bytes_than_allowed_wait_and_are_then_read() -> None:
    clock = MockClock()
    ping = frame({"type": "ping", "nonce": 1, "ignored": "x" * 967})
    assert len(ping) == 1000
    hello = frame({"type": "hello", "protocol": 1, "name": "a", "token": token("a")})
    limits: dict[str, Any] = {
        "byte_burst": len(hello) + 3000,
        "bytes_per_second": 1000,
        "heartbeat_ms": 60_000,
    }

    async def over() -> None:
        async with race_host("a", **limits) as host:
            bot = await host.bot("a")
            for _ in range(3):
                await bot.send_bytes(ping)
                assert (await bot.receive())["type"] == "pong"
            await bot.send_bytes(ping)
            assert await bot.receive() == {
                "type": "error",
                "code": "rate_limited",
                "message": "more than 1000 bytes a second; this connection is not read for 1000 ms",
                "fatal": False,
            }
            await wait_all_tasks_blocked()
            clock.jump(1.0)
            assert (await bot.receive())["type"] == "pong"

    trio.run(over, clock=clock)


@pytest.mark.parametrize(("excess", "answer"), [(0, "pong"), (1, "error")])
async def test_part_of_a_frame_takes_as_much_memory_as_allowed(excess: int, answer: str) -> None:
    ping = frame({"type": "ping", "nonce": 1, "ignored": "x" * 1000})
    async with race_host("a", max_memory=800) as host:
        bot = await host.bot("a")
        await bot.send_bytes(ping[: 800 + excess])
        await wait_all_tasks_blocked()
        if not excess:
            await bot.send_bytes(ping[800:])
        told = await bot.receive()
    assert told["type"] == answer
    if excess:
        assert (told["code"], told["fatal"]) == ("too_large", True)
        assert "takes 801 bytes of memory, over the limit of 800" in told["message"]


@pytest.mark.parametrize(("missing", "last"), [(0, "pong"), (1, "too_large")])
def test_messages_that_wait_take_as_much_memory_as_allowed(missing: int, last: str) -> None:
    clock = MockClock()
    pings = frame({"type": "ping", "nonce": 1}) * 3
    limits: dict[str, Any] = {"message_burst": 1, "messages_per_second": 1}
    memory = MEMORY_PER_BYTE * len(pings) - missing

    async def over() -> None:
        async with race_host("a", heartbeat_ms=60_000, max_memory=memory, **limits) as host:
            bot = await host.bot("a")
            await bot.send_bytes(pings)
            assert (await bot.receive())["type"] == "pong"
            assert (await bot.receive())["code"] == "rate_limited"
            clock.jump(1.0)
            told = await bot.receive()
            assert told.get("code", told["type"]) == last

    trio.run(over, clock=clock)


async def test_connection_beyond_the_memory_limit_is_dropped() -> None:
    limits: dict[str, Any] = {"max_unsent": 10**9, "message_burst": 10**6, "drain_ms": 10**6}
    async with race_host("a", max_memory=300_000, **limits) as host:
        bot = await host.bot("a")
        with capture_logs() as logs, pytest.raises(trio.BrokenResourceError):
            await ping_for_ever(bot)
    reasons = [entry["why"] for entry in logs if entry["event"] == "a bot was disconnected"]
    assert reasons == ["more than 300000 bytes of memory are held for it"]


@pytest.mark.parametrize("name", ["max_frame", "hello_ms", "bytes_per_second"])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    allowed: dict[str, Any] = {name: 1}
    assert getattr(ServerSettings(**allowed), name) == 1
    refused: dict[str, Any] = {name: 0}
    with pytest.raises(ValueError, match=f"{name}: 0 is not in the range 1 to "):
        ServerSettings(**refused)


@pytest.mark.parametrize("item", [[], {}, [[[]] * 8], [1.5], "x", ["x"], 70_000])
def test_a_message_takes_at_most_so_much_memory_for_each_byte_of_its_frame(item: Any) -> None:
    move: dict[str, Any] = {"type": "move", "match": "m", "turn": 1, "steps": [[item] * 15] * 1000}
    payload = frame(move)[4:]
    decode_from_client(payload)
    tracemalloc.start()
    message = decode_from_client(payload)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(message, Move)
    assert len(payload) < held <= MEMORY_PER_BYTE * len(payload)
