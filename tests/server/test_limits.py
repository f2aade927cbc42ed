"""The limits, each from both sides, and what a peer is told beyond them."""

from __future__ import annotations

from typing import Any

import trio
from tests.scripted import frame, race_host, token
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_protocol.messages import Clock
from polynya_server.records import TurnRecord
from polynya_server.transport.arrival import CHUNK


async def test_connections_beyond_the_limit_are_rejected() -> None:
    async with race_host("a", "b", max_connections=2) as host:
        a = await host.bot("a")
        await host.bot("b")
        third = await host.client()
        ending = await third.expect_end()
        assert [(error["code"], error["fatal"]) for error in ending] == [("server_full", True)]
        await a.send(type="goodbye")
        await a.expect_end()
        await a.stream.aclose()
        while host.server.connections == 2:
            await wait_all_tasks_blocked()
        await host.bot("a")


async def test_one_address_holds_as_many_connections_as_allowed() -> None:
    async with race_host("a", "b", max_connections_per_address=1) as host:
        await host.bot("a")
        second = await host.client()
        ending = await second.expect_end()
        assert [error["code"] for error in ending] == ["server_full"]


async def test_a_frame_of_the_longest_size_is_taken_and_one_byte_more_is_not() -> None:
    async with race_host("a", max_frame=200) as host:
        for excess, code in ((0, "pong"), (1, "too_large")):
            bot = await host.bot("a")
            ping = {"type": "ping", "nonce": 1, "ignored": ""}
            ping["ignored"] = "x" * (200 - len(frame(ping)) + 4 - 1 + excess)
            ping_frame = frame(ping)
            assert len(ping_frame) == 4 + 200 + excess
            await bot.send_bytes(ping_frame)
            answer = await bot.receive()
            assert answer.get("code", answer["type"]) == code


async def test_a_frame_longer_than_one_read_arrives_when_nothing_follows_it() -> None:
    async with race_host("a") as host:
        bot = await host.bot("a")
        await bot.send(type="ping", nonce=1, ignored="x" * 3 * CHUNK)
        assert (await bot.receive())["type"] == "pong"


async def test_a_peer_is_sent_nothing_longer_than_it_takes() -> None:
    async with race_host("a", "b", reconnect_ms=30) as host:
        small = await host.bot("a", max_frame=1024)
        await host.good_bot("b")
        match = host.match("m" * 1000, "a", "b")
        assert await small.expect_end() == [
            {
                "type": "error",
                "code": "too_large",
                "message": "match_start: a frame of 1222 bytes is over the peer's limit of 1024",
                "fatal": True,
            }
        ]
        assert (await match.record()).reason == "aborted"


async def test_a_spectator_is_sent_nothing_longer_than_it_takes() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m" * 1000, "a", "b")
        await a.expect("turn")
        small = await host.client()
        await small.hello(role="spectator", max_frame=1024)
        await small.send(type="watch", all=True)
        [error] = await small.expect_end()
        assert (error["code"], error["fatal"]) == ("too_large", True)
        assert "over the peer's limit of 1024" in error["message"]


def test_peer_too_small_for_its_welcome_is_disconnected_in_time() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("a", "b", close_ms=200) as host:
            await (await host.bot("a")).stream.aclose()
            await host.good_bot("b")
            host.match("m" * 1000, "a", "b")
            small = await host.client()
            error = await small.hello(name="a", token=token("a"), max_frame=1024)
            assert (error["code"], error["fatal"]) == ("too_large", True)
            clock.jump(0.2)
            await wait_all_tasks_blocked()
            assert host.server.connections == 1

    trio.run(run, clock=clock)


def test_an_answer_that_waits_for_the_end_of_a_pause_when_its_time_is_over_counts() -> None:
    clock = MockClock()

    async def run() -> None:
        settings: dict[str, Any] = {"message_burst": 1, "messages_per_second": 1, "lag_ms": 0}
        async with race_host("a", "b", kernel_times=False, **settings) as host:
            a = await host.bot("a")
            await host.good_bot("b")
            match = host.match("m", "a", "b", goal=3, clock=Clock(move_ms=60))
            turn = await a.expect("turn")
            clock.jump(0.02)
            ping = frame({"type": "ping", "nonce": 1})
            move = {"type": "move", "match": "m", "turn": turn["turn"], "steps": [["add", 3]]}
            await a.send_bytes(2 * ping + frame(move))
            await a.expect("error")
            clock.jump(0.041)
            record = await match.record()
            assert (record.reason, record.ranking) == ("finished", [1, 2])
            [answered] = [event for event in record.events if isinstance(event, TurnRecord)][:1]
            assert answered.charged_ms == 20, "when it arrived, not when it was read"

    trio.run(run, clock=clock)


def test_unsolicited_messages_are_limited_and_others_wait() -> None:
    clock = MockClock()

    async def run() -> None:
        settings: dict[str, Any] = {"message_burst": 10, "messages_per_second": 10}
        async with race_host("a", heartbeat_ms=60_000, **settings) as host:
            a = await host.bot("a")
            for nonce in range(12):
                await a.send(type="ping", nonce=nonce)
            answers = [await a.receive() for _ in range(11)]
            assert [answer["type"] for answer in answers] == ["pong"] * 10 + ["error"]
            assert answers[-1] == {
                "type": "error",
                "code": "rate_limited",
                "message": "more than 10 messages a second; this connection is not read for 100 ms",
                "fatal": False,
            }
            clock.jump(0.1)
            assert (await a.receive())["nonce"] == 10
            assert (await a.receive())["code"] == "rate_limited"
            clock.jump(0.1)
            assert (await a.receive())["nonce"] == 11

    trio.run(run, clock=clock)


def test_answers_to_what_was_asked_are_not_limited() -> None:
    clock = MockClock()

    async def run() -> None:
        settings: dict[str, Any] = {"message_burst": 1, "messages_per_second": 1}
        async with race_host("a", "b", **settings) as host:
            a = await host.bot("a", wants=["legal"])
            await host.good_bot("b")
            match = host.match("m", "a", "b", goal=30)
            await a.expect("match_over")
            assert a.of_type("error") == []
            assert (await match.record()).reason == "finished"

    trio.run(run, clock=clock)


def test_a_turn_has_a_hundred_questions_for_legal_steps_for_free() -> None:
    async def run() -> None:
        settings: dict[str, Any] = {"message_burst": 1, "messages_per_second": 1}
        async with race_host("a", "b", **settings) as host:
            a = await host.bot("a")
            await host.good_bot("b")
            host.match("m", "a", "b", goal=30)
            turn = await a.expect("turn")
            for _ in range(101):
                await a.send(type="steps", match="m", turn=turn["turn"], steps=[])
            answers = [await a.receive() for _ in range(102)]
            assert [answer["type"] for answer in answers] == ["legal"] * 101 + ["error"]
            assert answers[-1]["code"] == "rate_limited"

    trio.run(run, clock=MockClock())


async def test_a_question_for_legal_steps_of_a_match_that_is_over_is_late() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a", wants=["legal"])
        await host.good_bot("b")
        host.match("m", "a", "b", goal=3)
        await a.expect("match_over")
        await a.send(type="steps", match="m", turn=1, steps=[])
        assert (await a.expect("error"))["code"] == "late"


async def test_concurrency_above_the_bound_is_lowered() -> None:
    async with race_host("a", max_concurrency=3) as host:
        await host.bot("a", concurrency=3)
        assert host.server.connected["a"].concurrency == 3
        await host.bot("a", concurrency=4)
        assert host.server.connected["a"].concurrency == 3
