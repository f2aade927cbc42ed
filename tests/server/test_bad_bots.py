"""A zoo of bad bots: each ends as it should, and a match beside it goes on unharmed."""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
from tests.scripted import RawClient, frame, race_host
from tests.scripted.race_host import PATIENT, RaceHost
from tests.scripted.raw_client import Received
from trio.testing import wait_all_tasks_blocked

from polynya_protocol.messages import Clock
from polynya_server.assembly import Mechanism
from polynya_server.records import ForfeitRecord, MatchRecord

SHORT = Clock(move_ms=50)
LEGAL = [["add", 3]]

Misbehaviour = Callable[[RawClient, Received], Awaitable[None]]


async def stay_silent(bot: RawClient, turn: Received) -> None:
    del bot, turn


async def answer_too_late(bot: RawClient, turn: Received) -> None:
    await bot.expect("forfeited")
    await bot.move(turn, LEGAL)
    error = await bot.expect("error")
    assert (error["code"], error["fatal"]) == ("late", False)


async def send_half_a_frame(bot: RawClient, turn: Received) -> None:
    await bot.send_bytes(move_frame(turn)[:20])


async def send_a_length_and_nothing_else(bot: RawClient, turn: Received) -> None:
    await bot.send_bytes(move_frame(turn)[:4])


async def make_an_illegal_step(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, [["add", 4]])


async def send_steps_that_are_no_list(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, "add 3")


async def send_no_steps(bot: RawClient, turn: Received) -> None:
    await bot.send(type="move", match=turn["match"], turn=turn["turn"])


async def disconnect(bot: RawClient, turn: Received) -> None:
    del turn
    await bot.stream.aclose()


async def disconnect_in_mid_frame(bot: RawClient, turn: Received) -> None:
    await bot.send_bytes(move_frame(turn)[:-1])
    await bot.stream.aclose()


async def reset_the_connection(bot: RawClient, turn: Received) -> None:
    del turn
    linger_zero = b"\x01\0\0\0\0\0\0\0"
    bot.stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_zero)
    await bot.stream.aclose()


async def say_goodbye(bot: RawClient, turn: Received) -> None:
    del turn
    await bot.send(type="goodbye")


async def resign(bot: RawClient, turn: Received) -> None:
    await bot.send(type="resign", match=turn["match"])


def breaking_off_with(code: str, data: bytes) -> Misbehaviour:
    """Send bytes that are no frame of the contract, and be told so before the connection ends."""

    async def misbehave(bot: RawClient, turn: Received) -> None:
        del turn
        await bot.send_bytes(data)
        ending = await bot.expect_end()
        assert [(error["code"], error["fatal"]) for error in ending] == [(code, True)]

    return misbehave


def move_frame(turn: Received) -> bytes:
    move = {"type": "move", "match": turn["match"], "turn": turn["turn"], "steps": LEGAL}
    return frame(move)


FORFEITS = [
    (stay_silent, "timeout"),
    (answer_too_late, "timeout"),
    (send_half_a_frame, "timeout"),
    (send_a_length_and_nothing_else, "timeout"),
    (make_an_illegal_step, "illegal_move"),
    (send_steps_that_are_no_list, "illegal_move"),
    (send_no_steps, "illegal_move"),
    (disconnect, "disconnected"),
    (disconnect_in_mid_frame, "disconnected"),
    (reset_the_connection, "disconnected"),
    (say_goodbye, "disconnected"),
    (resign, "resigned"),
    (breaking_off_with("too_large", b"\xff\xff\xff\xff"), "protocol_error"),
    (breaking_off_with("malformed", b"\0\0\0\0"), "protocol_error"),
    (breaking_off_with("malformed", b"\0\0\0\x01\xc1"), "protocol_error"),
    (breaking_off_with("malformed", b"\0\0\0\x01\x93"), "protocol_error"),
    (breaking_off_with("malformed", frame({"match": "m"})), "protocol_error"),
    (breaking_off_with("malformed", frame({"type": "ready", "match": 5})), "protocol_error"),
    (breaking_off_with("malformed", frame({"type": "hello", "protocol": 1})), "protocol_error"),
    (breaking_off_with("unknown_type", frame({"type": "welcome"})), "protocol_error"),
]
QUICK_ENOUGH = {stay_silent, answer_too_late, send_half_a_frame, send_a_length_and_nothing_else}


@pytest.mark.parametrize("without", [(), ("epoll-reactor",)])
@pytest.mark.parametrize(("misbehave", "reason"), FORFEITS)
async def test_bad_bot_forfeits_without_harm_to_others(
    misbehave: Misbehaviour, reason: str, without: tuple[Mechanism, ...]
) -> None:
    async with race_host("bad", "good", reconnect_ms=50, without=without) as host:
        clock = SHORT if misbehave in QUICK_ENOUGH else PATIENT
        beside, record = await played_against(host, misbehave, clock)
        assert [(forfeit.seat, forfeit.reason) for forfeit in forfeits(record)] == [(0, reason)]
        assert (record.ranking, record.reason) == ([2, 1], "forfeit")
        assert (beside.reason, forfeits(beside)) == ("finished", [])


async def played_against(
    host: RaceHost, misbehave: Misbehaviour, clock: Clock
) -> tuple[MatchRecord, MatchRecord]:
    """The records of a match beside and of the match with the bad bot, which is to move."""
    bad = await host.bot("bad")
    await host.good_bot("good")
    beside = await host.good_match("beside")
    match = host.match("m", "bad", "good", clock=clock)
    await misbehave(bad, await bad.expect("turn"))
    return await beside.record(), await match.record()


def forfeits(record: MatchRecord) -> list[ForfeitRecord]:
    return record.forfeits


# What a careless bot does that costs it nothing but an error.


async def answer_twice(bot: RawClient, turn: Received) -> None:
    await bot.send_bytes(move_frame(turn) * 2)


async def answer_an_old_turn_first(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, LEGAL, turn=turn["turn"] - 1)
    await bot.move(turn, LEGAL)


async def answer_a_future_turn_first(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, LEGAL, turn=turn["turn"] + 2)
    await bot.move(turn, LEGAL)


async def give_the_turn_as_a_float_first(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, LEGAL, turn=float(turn["turn"]))
    await bot.move(turn, LEGAL)


async def give_the_turn_as_true_first(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, LEGAL, turn=True)
    await bot.move(turn, LEGAL)


async def move_in_an_unknown_match_first(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, LEGAL, match="none")
    await bot.move(turn, LEGAL)


async def move_in_a_match_that_is_a_list_first(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, LEGAL, match=[])
    await bot.move(turn, LEGAL)


async def send_an_unknown_type_first(bot: RawClient, turn: Received) -> None:
    await bot.send(type="draw_offer")
    await bot.move(turn, LEGAL)


async def send_too_much_info(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, LEGAL, info={"text": "x" * 1024})


async def send_info_that_is_no_map(bot: RawClient, turn: Received) -> None:
    await bot.move(turn, LEGAL, info="clever")


ERRORS = [
    (answer_twice, "not_your_turn"),
    (answer_an_old_turn_first, "not_your_turn"),
    (answer_a_future_turn_first, "not_your_turn"),
    (give_the_turn_as_a_float_first, "not_your_turn"),
    (give_the_turn_as_true_first, "not_your_turn"),
    (move_in_an_unknown_match_first, "unknown_match"),
    (move_in_a_match_that_is_a_list_first, "unknown_match"),
    (send_an_unknown_type_first, "unknown_type"),
    (send_too_much_info, "too_large"),
    (send_info_that_is_no_map, "too_large"),
]


@pytest.mark.parametrize(("misbehave", "code"), ERRORS)
async def test_careless_bot_gets_an_error_and_plays_on(misbehave: Misbehaviour, code: str) -> None:
    async with race_host("careless", "good") as host:
        bot = await host.bot("careless")
        await host.good_bot("good")
        match = host.match("m", "careless", "good", goal=3)
        await misbehave(bot, await bot.expect("turn"))
        over = await bot.expect("match_over")
        errors = bot.of_type("error")
        assert [(error["code"], error["fatal"]) for error in errors] == [(code, False)]
        assert (over["ranking"], (await match.record()).reason) == ([1, 2], "finished")


async def test_a_move_one_byte_at_a_time_counts() -> None:
    async with race_host("slow", "good") as host:
        bot = await host.bot("slow")
        await host.good_bot("good")
        match = host.match("m", "slow", "good", goal=3)
        for byte in move_frame(await bot.expect("turn")):
            await bot.send_bytes(bytes([byte]))
            await wait_all_tasks_blocked()
        assert (await match.record()).reason == "finished"


async def test_a_move_for_a_match_that_is_over_is_late() -> None:
    async with race_host("bot", "good") as host:
        bot = await host.bot("bot")
        await host.good_bot("good")
        host.match("m", "bot", "good", goal=3)
        turn = await bot.expect("turn")
        await bot.move(turn, LEGAL)
        await bot.expect("match_over")
        await bot.move(turn, LEGAL)
        error = await bot.expect("error")
        assert (error["code"], error["fatal"], error["match"]) == ("late", False, "m")


async def test_connection_without_hello_is_closed_with_an_error() -> None:
    async with race_host(hello_ms=30) as host:
        beside = await host.good_match("beside")
        mute = await host.client()
        ending = await mute.expect_end()
        assert [(error["code"], error["fatal"]) for error in ending] == [("hello_timeout", True)]
        assert (await beside.record()).reason == "finished"


async def ping_for_ever(bot: RawClient) -> None:
    pings = frame({"type": "ping", "nonce": "x" * 64}) * 1000
    while True:
        await bot.send_bytes(pings)


async def test_bot_that_does_not_read_is_dropped_and_forfeits() -> None:
    settings: dict[str, Any] = {"drain_ms": 50, "reconnect_ms": 50, "message_burst": 10**6}
    async with race_host("deaf", "good", **settings) as host:
        deaf = await host.bot("deaf")
        await host.good_bot("good")
        beside = await host.good_match("beside")
        match = host.match("m", "good", "deaf")
        await deaf.expect("match_start")
        await deaf.send(type="ready", match="m")
        with pytest.raises(trio.BrokenResourceError):
            await ping_for_ever(deaf)
        record = await match.record()
        assert [(forfeit.seat, forfeit.reason) for forfeit in forfeits(record)] == [
            (1, "disconnected")
        ]
        assert (await beside.record()).reason == "finished"
