"""A bot that comes back: its session is taken over, its clock goes on, its events have no gap."""

from __future__ import annotations

import socket

import pytest
from tests.scripted import RawClient, frame, race_host, token
from trio.testing import wait_all_tasks_blocked

from polynya_protocol.messages import Clock
from polynya_server.records import ForfeitRecord, MatchRecord


def forfeits(record: MatchRecord) -> list[tuple[int, str]]:
    return [
        (event.seat, event.reason) for event in record.events if isinstance(event, ForfeitRecord)
    ]


async def test_reconnected_bot_gets_the_match_state_and_its_turn_again() -> None:
    async with race_host("a", "b", lag_ms=0) as host:
        first = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=4)
        await first.move(await first.expect("turn"), [["add", 3]])
        await first.expect("moved")
        lost = await first.expect("turn")
        await first.stream.aclose()
        again = await host.client()
        welcome = await again.hello(name="a", token=token("a"), wants=["state"])
        assert welcome["matches"] == ["m"]
        resume = await again.receive()
        assert (resume["type"], resume["match"], resume["seat"]) == ("match_resume", "m", 0)
        assert resume["seq"] == lost["seq"] + 1
        assert resume["state"]["points"] == [3, 1]
        assert resume["remaining_ms"] == [None, None]
        turn = await again.receive()
        assert (turn["type"], turn["turn"], turn["seq"]) == ("turn", 3, lost["seq"] + 2)
        assert turn["state"]["points"] == [3, 1]
        await again.move(turn, [["add", 1]])
        assert (await again.expect("match_over"))["seq"] == lost["seq"] + 3
        assert ((await match.record()).reason, forfeits(await match.record())) == ("finished", [])


async def test_the_session_is_taken_over_from_a_connection_that_is_still_open() -> None:
    async with race_host("a", "b") as host:
        first = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=3)
        await first.expect("turn")
        second = await host.bot("a")
        assert await first.expect_end() == [{"type": "goodbye", "reason": "replaced"}]
        await second.move(await second.expect("turn"), [["add", 3]])
        assert (await match.record()).reason == "finished"


@pytest.mark.parametrize(
    "last", [b"", frame({"type": "goodbye"}), frame({})], ids=["", "bye", "bad"]
)
async def test_a_bot_is_there_that_takes_over_from_a_connection_whose_end_was_not_read_yet(
    last: bytes,
) -> None:
    async with race_host("a", "b") as host:
        first = await host.bot("a")
        second = await host.client()
        await wait_all_tasks_blocked()
        second.send_at_once(frame(hello("a")))
        first.send_at_once(last)
        first.stream.socket.shutdown(socket.SHUT_WR)
        assert (await second.receive())["type"] == "welcome"
        await wait_all_tasks_blocked()
        assert list(host.server.connected) == ["a"]
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=3)
        await second.move(await second.expect("turn"), [["add", 3]])
        assert (await match.record()).reason == "finished"


def hello(name: str) -> dict[str, object]:
    return {"type": "hello", "protocol": 1, "name": name, "token": token(name)}


async def test_a_long_move_that_was_on_its_way_when_the_session_was_taken_over_counts() -> None:
    async with race_host("a", "b") as host:
        first = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=3)
        turn = await first.expect("turn")
        second = await host.client()
        await wait_all_tasks_blocked()
        move = {"type": "move", "match": "m", "turn": turn["turn"], "steps": [["add", 3]]}
        first.send_at_once(frame({**move, "info": {"plan": "x" * 60_000}}))
        second.send_at_once(frame(hello("a")))
        assert (await second.receive())["type"] == "welcome"
        record = await match.record()
        assert (record.reason, record.ranking) == ("finished", [1, 2])


async def test_a_move_that_was_on_its_way_when_the_session_was_taken_over_counts() -> None:
    async with race_host("a", "b") as host:
        first = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=3)
        turn = await first.expect("turn")
        second = await host.client()
        await first.move(turn, [["add", 3]])
        await second.hello(name="a", token=token("a"))
        assert (await match.record()).reason == "finished"


async def test_events_while_a_bot_is_away_are_not_counted_in_its_seq() -> None:
    async with race_host("a", "b") as host:
        first = await host.bot("a")
        b = await host.bot("b")
        host.match("m", "a", "b", goal=9)
        await b.expect("match_start")
        await b.send(type="ready", match="m")
        await first.move(await first.expect("turn"), [["add", 1]])
        turn = await b.expect("turn")
        last_seq = first.received[-1]["seq"]
        await first.stream.aclose()
        while "a" in host.server.connected:
            await host.server.changed(host.server.version)
        await b.move(turn, [["add", 1]])
        again = await host.bot("a")
        assert [(await again.receive())["seq"], (await again.receive())["seq"]] == [
            last_seq + 1,
            last_seq + 2,
        ]


async def test_the_clock_of_a_turn_goes_on_while_its_bot_is_away_and_then_decides() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", clock=Clock(move_ms=2_000))
        await a.expect("turn")
        await a.stream.aclose()
        record = await match.record()
        assert forfeits(record) == [(0, "disconnected")]
        forfeit = record.events[-1]
        assert isinstance(forfeit, ForfeitRecord)
        assert str(forfeit.detail) == (
            "a was not back when its clock ran out: it closed the connection without a goodbye"
        )


async def test_bot_not_to_move_forfeits_when_away_too_long() -> None:
    async with race_host("a", "b", reconnect_ms=40) as host:
        a = await host.bot("a")
        b = await host.bot("b")
        match = host.match("m", "a", "b")
        await b.expect("match_start")
        await b.send(type="ready", match="m")
        await a.expect("turn")
        await b.stream.aclose()
        record = await match.record()
        assert forfeits(record) == [(1, "disconnected")]
        assert record.ranking == [1, 2]
        forfeit = record.events[-1]
        assert isinstance(forfeit, ForfeitRecord)
        assert str(forfeit.detail) == (
            "b was not back within 40 ms: it closed the connection without a goodbye"
        )


async def test_bot_that_reconnects_in_time_does_not_forfeit() -> None:
    async with race_host("a", "b", reconnect_ms=60_000) as host:
        a = await host.bot("a")
        b = await host.bot("b")
        match = host.match("m", "a", "b", goal=3)
        await b.expect("match_start")
        await b.send(type="ready", match="m")
        turn = await a.expect("turn")
        await b.stream.aclose()
        await host.bot("b")
        await a.move(turn, [["add", 3]])
        assert (await match.record()).reason == "finished"


async def test_a_turn_that_begins_while_its_bot_is_away_is_asked_for_when_it_is_back() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        b = await host.bot("b")
        match = host.match("m", "a", "b", goal=3)
        await b.expect("match_start")
        await b.send(type="ready", match="m")
        turn = await a.expect("turn")
        await b.stream.aclose()
        while "b" in host.server.connected:
            await host.server.changed(host.server.version)
        await a.move(turn, [["add", 2]])
        back: RawClient = await host.bot("b")
        asked = await back.expect("turn")
        assert asked["turn"] == 2
        await back.move(asked, [["add", 3]])
        assert (await match.record()).ranking == [2, 1]


async def test_a_bot_that_broke_the_protocol_finds_its_matches_forfeited() -> None:
    async with race_host("a", "b", "c") as host:
        a = await host.bot("a", concurrency=2)
        await host.good_bot("b")
        await host.good_bot("c")
        matches = [host.match("m1", "a", "b"), host.match("m2", "a", "c")]
        await a.expect("turn")
        await a.expect("turn")
        await a.send_bytes(b"\0\0\0\x01\xc1")
        reasons = [forfeits(await match.record()) for match in matches]
        assert reasons == [[(0, "protocol_error")]] * 2


async def test_bot_that_reconnects_after_its_match_is_late() -> None:
    async with race_host("a", "b") as host:
        first = await host.bot("a")
        b = await host.bot("b")
        match = host.match("m", "a", "b")
        await first.expect("match_start")
        await b.expect("match_start")
        await first.send(type="ready", match="m")
        await b.send(type="ready", match="m")
        turn = await first.expect("turn")
        await first.stream.aclose()
        await b.send(type="resign", match="m")
        assert (await match.record()).reason == "forfeit"
        again = await host.bot("a")
        await again.move(turn, [["add", 1]])
        error = await again.expect("error")
        assert (error["code"], error["fatal"], error["match"]) == ("late", False, "m")
        await again.send(type="resign", match="m")
        await again.send(type="ping", nonce=1)
        assert (await again.receive())["type"] == "pong"
