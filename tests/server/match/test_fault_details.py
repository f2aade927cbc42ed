"""What the server knows of a mistake it says: in errors, details of forfeits, and the replay."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from tests.scripted import RawClient, race_host
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_protocol.messages import Clock


async def let_pass(clock: MockClock, milliseconds: int) -> None:
    """Let time pass, and the server work meanwhile: it is not late itself."""
    for _ in range(milliseconds):
        clock.jump(0.001)
        await wait_all_tasks_blocked()


async def details(bot: RawClient) -> list[str]:
    """The details of all forfeits of the match that a bot is in."""
    await bot.expect("match_over")
    return [message["detail"] for message in bot.of_type("forfeited")]


@pytest.mark.parametrize(
    ("reason", "detail"),
    [
        (None, "a said goodbye"),
        ("", "a said goodbye"),
        ("out of krill", 'a said goodbye: "out of krill"'),
        ("\x1b[2J\n", 'a said goodbye: "?[2J?"'),
        ("x" * 201, f'a said goodbye: "{"x" * 200}"'),
    ],
)
async def test_the_reason_of_a_goodbye_is_quoted(reason: str | None, detail: str) -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        b = await host.good_bot("b")
        match = host.match("m", "a", "b")
        await a.expect("turn")
        await a.send(type="goodbye", reason=reason)
        record = await match.record()
        await wait_all_tasks_blocked()
        told = [message["detail"] for message in b.of_type("forfeited")]
        assert ([detail], told) == ([str(forfeit.detail) for forfeit in record.forfeits], [detail])


async def test_the_longest_reason_fits_into_the_shortest_frame_of_an_opponent() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        b = await host.bot("b", max_frame=1024)
        host.match("m" * 64, "a", "b")
        host.in_background(b.expect_end)
        await a.expect("turn")
        await a.send(type="goodbye", reason="\N{PENGUIN}" * 250)
        await wait_all_tasks_blocked()
        assert [message["reason"] for message in b.of_type("forfeited")] == ["disconnected"]


def test_a_bot_that_was_silent_for_three_heartbeats_forfeits_by_that() -> None:
    clock = MockClock()

    async def run() -> list[str]:
        async with race_host("a", "b", heartbeat_ms=1_000, reconnect_ms=5_000) as host:
            a = await host.bot("a")
            b = await host.bot("b")
            match = host.match("m", "a", "b")
            host.in_background(b.expect_end)
            await a.expect("turn")
            for _ in range(10):
                clock.jump(1.1)
                await wait_all_tasks_blocked()
                await b.send(type="ping", nonce=1)
                await wait_all_tasks_blocked()
            return [str(forfeit.detail) for forfeit in (await match.record()).forfeits]

    detail = "a was not back within 5000 ms: it answered nothing for three heartbeats"
    assert trio.run(run, clock=clock) == [detail]


WRONG_TURNS = [
    (2.0, "`turn` is 2.0, a float: send an integer"),
    (True, "`turn` is true, a boolean: send an integer"),
    ("1", '`turn` is "1", a str: send an integer'),
    ("\x07" + "1" * 50, f'`turn` is "?{"1" * 39}...", a str: send an integer'),
    (None, "`turn` is missing or nil: send an integer"),
    ([1], "`turn` is an array: send an integer"),
    ({}, "`turn` is a map: send an integer"),
]


@pytest.mark.parametrize(("turn", "sentence"), WRONG_TURNS)
async def test_a_move_without_a_turn_is_answered_by_what_is_wrong_with_it(
    turn: Any, sentence: str
) -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b")
        await a.move(await a.expect("turn"), [["add", 1]], turn=turn)
        error = await a.expect("error")
        assert (error["code"], error["fatal"], error["match"]) == ("not_your_turn", False, "m")
        assert error["message"].startswith(sentence)


@pytest.mark.parametrize(
    ("match", "sentence"),
    [
        (17, "`match` is 17, an integer: send a str"),
        (None, "`match` is missing or nil: send a str"),
        ([], "`match` is an array: send a str"),
    ],
)
async def test_a_move_without_a_match_is_answered_by_what_is_wrong_with_it(
    match: Any, sentence: str
) -> None:
    async with race_host("a") as host:
        a = await host.bot("a")
        await a.send(type="move", match=match, turn=1, steps=[])
        error = await a.expect("error")
        assert error["code"] == "unknown_match"
        assert error["message"].startswith(sentence)


@pytest.mark.parametrize(
    ("turns", "ending"),
    [
        ([1.0, None], "; 2 moves came that named no turn"),
        ([1.0], "; 1 move came that named no turn"),
        ([7], ""),
    ],
)
def test_timeout_detail_mentions_moves_without_a_turn(turns: list[Any], ending: str) -> None:
    clock = MockClock()

    async def run() -> list[str]:
        async with race_host("a", "b", lag_ms=0) as host:
            a = await host.bot("a")
            await host.good_bot("b")
            host.match("m", "a", "b", clock=Clock(move_ms=50))
            turn = await a.expect("turn")
            for number in turns:
                await a.move(turn, [["add", 1]], turn=number)
                await a.expect("error")
            await let_pass(clock, 60)
            return await details(a)

    assert trio.run(run, clock=clock) == [f"no answer to turn 1 within 50 ms{ending}"]


def test_moves_of_earlier_turns_are_not_counted() -> None:
    clock = MockClock()

    async def run() -> list[str]:
        async with race_host("a", "b", lag_ms=0) as host:
            a = await host.bot("a")
            await host.good_bot("b")
            host.match("m", "a", "b", clock=Clock(move_ms=50))
            turn = await a.expect("turn")
            await a.move(turn, [["add", 1]], turn=1.0)
            await a.move(turn, [["add", 1]])
            await a.expect("error")
            await a.expect("turn")
            await let_pass(clock, 60)
            return await details(a)

    assert trio.run(run, clock=clock) == ["no answer to turn 3 within 50 ms"]
