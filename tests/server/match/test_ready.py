"""Before the first turn: who is not ready does not play."""

from __future__ import annotations

import pytest
import trio
from tests.scripted import RawClient, frame, race_host
from trio.testing import MockClock, wait_all_tasks_blocked

from polynya_protocol.messages import Clock
from polynya_server import ForfeitRecord, MatchRecord, MatchSetup

BRIEF = 60


def faults(record: MatchRecord) -> list[tuple[int, str]]:
    return [
        (event.seat, event.reason) for event in record.events if isinstance(event, ForfeitRecord)
    ]


def test_a_match_that_one_of_two_is_not_ready_for_is_aborted_unrated() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("idle", "good", ready_ms=BRIEF) as host:
            idle = await host.bot("idle")
            good = await host.bot("good")
            match = host.match("m", "idle", "good")
            assert (await idle.receive())["type"] == "match_start"
            await is_ready(good)
            clock.jump(BRIEF / 1000)
            over = await idle.expect("match_over")
            record = await match.record()
        assert faults(record) == [(0, "not_ready")]
        assert (over["ranking"], over["reason"]) == (None, "aborted")
        assert (record.ranking, record.reason, record.server_fault) == (None, "aborted", False)

    trio.run(run, clock=clock)


def test_ready_that_arrived_in_time_and_is_read_late_counts() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("a", "b", ready_ms=BRIEF) as host:
            a = await host.bot("a")
            await host.good_bot("b")
            for number in range(10):  # who is read first, socket or clock, is a matter of chance
                match = host.match(f"m{number}", "a", "b", goal=3)
                await a.expect("match_start")
                await wait_all_tasks_blocked()
                a.send_at_once(frame({"type": "ready", "match": f"m{number}"}))
                clock.jump(BRIEF / 1000)
                answer = await a.expect("turn", "match_over")
                assert answer["type"] == "turn"
                await a.move(answer, [["add", 3]])
                assert faults(await match.record()) == []
                await a.expect("match_over")

    trio.run(run, clock=clock)


async def is_ready(bot: RawClient) -> None:
    """Let a bot be ready for the match that it is told of, and the server know."""
    start = await bot.expect("match_start")
    await bot.send(type="ready", match=start["match"])
    await bot.send(type="ping", nonce=1)
    await bot.expect("pong")


async def refuse(bot: RawClient, way: str) -> None:
    """Refuse the match that the bot is told of."""
    start = await bot.expect("match_start")
    if way == "protocol_error":
        await bot.send_bytes(bytes(4))
    elif way == "resigned":
        await bot.send(type="resign", match=start["match"])
    else:
        await bot.send(type="goodbye", reason="no penguins today")


@pytest.mark.parametrize("way", ["resigned", "disconnected", "protocol_error"])
async def test_to_refuse_a_match_that_the_other_is_ready_for_is_to_lose_it(way: str) -> None:
    async with race_host("a", "b") as host:
        a, b = await host.bot("a"), await host.bot("b")
        match = host.match("m", "a", "b")
        await refuse(a, way)
        await b.expect("match_start")
        await b.send(type="ready", match="m")
        over = await b.expect("match_over")
        record = await match.record()
        assert (over["reason"], over["ranking"]) == ("forfeit", [2, 1])
        assert (faults(record), record.reason, record.ranking) == ([(0, way)], "forfeit", [2, 1])


async def test_either_ready_seat_wins_against_one_that_refuses() -> None:
    async with race_host("a", "b") as host:
        a, b = await host.bot("a"), await host.bot("b")
        match = host.match("m", "a", "b")
        await is_ready(a)
        await refuse(b, "resigned")
        assert (await match.record()).ranking == [1, 2]


def test_refusing_seat_waits_for_the_other_seats_full_time() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("a", "b", ready_ms=BRIEF) as host:
            a, b = await host.bot("a"), await host.bot("b")
            match = host.match("m", "a", "b")
            await refuse(a, "resigned")
            clock.jump((BRIEF - 1) / 1000)
            await wait_all_tasks_blocked()
            await is_ready(b)
            assert (await match.record()).ranking == [2, 1]

    trio.run(run, clock=clock)


def test_refused_by_one_and_not_answered_by_the_other_it_is_aborted() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("silent", "b", ready_ms=BRIEF) as host:
            silent, b = await host.bot("silent"), await host.bot("b")
            match = host.match("m", "silent", "b")
            await silent.expect("match_start")
            await refuse(b, "resigned")
            await b.send(type="ping", nonce=1)
            await b.expect("pong")
            clock.jump(BRIEF / 1000)
            record = await match.record()
            assert faults(record) == [(0, "not_ready"), (1, "resigned")]
            assert (record.reason, record.ranking) == ("aborted", None)

    trio.run(run, clock=clock)


async def test_refused_by_all_it_is_aborted_at_once() -> None:
    async with race_host("a", "b") as host:
        a, b = await host.bot("a"), await host.bot("b")
        match = host.match("m", "a", "b")
        await refuse(b, "disconnected")
        await refuse(a, "resigned")
        record = await match.record()
        assert faults(record) == [(0, "resigned"), (1, "disconnected")]
        assert (record.reason, record.ranking) == ("aborted", None)


async def test_to_resign_after_ready_is_to_refuse_as_well() -> None:
    async with race_host("a", "b") as host:
        a, b = await host.bot("a"), await host.bot("b")
        match = host.match("m", "a", "b")
        await is_ready(a)
        await a.send(type="resign", match="m")
        await a.send(type="ping", nonce=1)
        await a.expect("pong")
        await is_ready(b)
        assert faults(await match.record()) == [(0, "resigned")]


def three_of_whom(ready: str, refusing: str) -> MatchRecord:
    """The record of a match for the bots a, b, c, of whom some are silent for all the time."""
    clock = MockClock()

    async def run() -> MatchRecord:
        async with race_host("a", "b", "c", ready_ms=BRIEF) as host:
            bots = {name: await host.bot(name) for name in "abc"}
            match = host.match("m", "a", "b", "c")
            for name in refusing:
                await refuse(bots[name], "resigned")
                await bots[name].send(type="ping", nonce=1)
                await bots[name].expect("pong")
            for name in ready:
                await is_ready(bots[name])
                host.in_background(bots[name].expect_end)
            clock.jump(BRIEF / 1000)
            return await match.record()

    return trio.run(run, clock=clock)


@pytest.mark.parametrize(
    ("ready", "refusing", "forfeits", "reason", "ranking"),
    [
        ("c", "b", [(0, "not_ready"), (1, "resigned")], "forfeit", [3, 2, 1]),
        ("b", "c", [(0, "not_ready"), (2, "resigned")], "forfeit", [3, 1, 2]),
        ("bc", "a", [(0, "resigned")], "finished", [3, 1, 2]),
        ("a", "", [(1, "not_ready"), (2, "not_ready")], "aborted", None),
        ("", "a", [(0, "resigned"), (1, "not_ready"), (2, "not_ready")], "aborted", None),
    ],
)
def test_of_three_some_are_ready_some_refuse_and_the_others_are_silent(
    ready: str,
    refusing: str,
    forfeits: list[tuple[int, str]],
    reason: str,
    ranking: list[int] | None,
) -> None:
    record = three_of_whom(ready, refusing)
    assert (faults(record), record.reason, record.ranking) == (forfeits, reason, ranking)


def test_lost_connection_counts_as_silence_before_the_first_turn() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("a", "b", ready_ms=BRIEF, reconnect_ms=10) as host:
            a, b = await host.bot("a"), await host.bot("b")
            match = host.match("m", "a", "b")
            await is_ready(a)
            await a.stream.aclose()
            await wait_all_tasks_blocked()
            await is_ready(b)
            clock.jump(11 / 1000)
            await wait_all_tasks_blocked()
            clock.jump(BRIEF / 1000)
            record = await match.record()
            assert (faults(record), record.reason) == ([(0, "not_ready")], "aborted")

    trio.run(run, clock=clock)


async def test_ready_bot_that_reconnects_is_still_ready() -> None:
    async with race_host("a", "b") as host:
        a, b = await host.bot("a"), await host.bot("b")
        host.match("m", "a", "b")
        await is_ready(a)
        await a.stream.aclose()
        await wait_all_tasks_blocked()
        await is_ready(b)
        back = await host.bot("a")
        assert (await back.receive())["type"] == "match_resume"
        assert (await back.receive())["type"] == "turn"


async def test_absent_bot_is_not_ready() -> None:
    async with race_host("a", "b", ready_ms=BRIEF) as host:
        record = await host.match("m", "a", "b").record()
        assert faults(record) == [(0, "not_ready"), (1, "not_ready")]
        assert record.reason == "aborted"


def test_unready_seat_of_three_forfeits_and_the_others_play() -> None:
    clock = MockClock()

    async def run() -> None:
        async with race_host("a", "idle", "c", ready_ms=BRIEF) as host:
            a, _, c = await host.bot("a"), await host.bot("idle"), await host.bot("c")
            match = host.match("m", "a", "idle", "c")
            for bot in (a, c):
                await is_ready(bot)
                host.in_background(bot.expect_end)
            clock.jump(BRIEF / 1000)
            record = await match.record()
        assert faults(record) == [(1, "not_ready")]
        assert (record.reason, record.ranking) == ("finished", [1, 3, 2])

    trio.run(run, clock=clock)


async def test_a_bot_that_comes_before_the_time_is_over_plays() -> None:
    async with race_host("late", "good") as host:
        await host.good_bot("good")
        match = host.match("m", "late", "good")
        late = await host.bot("late")
        resume = await late.expect("match_resume")
        assert (resume["seq"], resume["seat"]) == (0, 0)
        await late.expect("match_over")
        assert (await match.record()).reason == "finished"


async def test_a_move_before_all_are_ready_is_not_your_turn() -> None:
    async with race_host("hasty", "slow") as host:
        hasty = await host.bot("hasty")
        slow = await host.bot("slow")
        match = host.match("m", "hasty", "slow", goal=3)
        await hasty.expect("match_start")
        await hasty.send(type="ready", match="m")
        await hasty.send(type="move", match="m", turn=1, steps=[["add", 3]])
        assert (await hasty.expect("error"))["code"] == "not_your_turn"
        await slow.expect("match_start")
        await slow.send(type="ready", match="m")
        await hasty.move(await hasty.expect("turn"), [["add", 3]])
        assert (await match.record()).ranking == [1, 2]


async def test_a_late_ready_and_a_late_resign_are_ignored() -> None:
    async with race_host("a", "good") as host:
        a = await host.bot("a")
        await host.good_bot("good")
        host.match("m", "a", "good", goal=3)
        turn = await a.expect("turn")
        await a.send(type="ready", match="m")
        await a.move(turn, [["add", 3]])
        await a.expect("match_over")
        await a.send(type="resign", match="m")
        await a.send(type="ready", match="m")
        await a.send(type="ping", nonce="after")
        assert (await a.receive())["type"] == "pong"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"players": ("a", "a")}, "at most one seat"),
        ({"players": ("a",)}, "2 to 4 players"),
        ({"ratings": (1.0,)}, "2 seats, but 1 ratings"),
        ({"clock": Clock(increment_ms=1)}, "a turn must have a limit"),
        ({"clock": Clock(initial_ms=10**12 + 1)}, "initial_ms of a clock is 1000000000001"),
        ({"clock": Clock(move_ms=1, increment_ms=10**12 + 1)}, "it is at most 1000000000000 ms"),
        ({"options": {"gaol": 3}}, "no option 'gaol'"),
        ({"untimed": (0,)}, "a rated match has no untimed seats"),
        ({"untimed": (2,), "rated": False}, "untimed seat 2 is none of the seats 0 to 1"),
    ],
)
async def test_an_impossible_match_is_refused_to_the_host(
    changes: dict[str, object], sentence: str
) -> None:
    setup = {
        "match": "m",
        "game": "race",
        "players": ("a", "b"),
        "clock": Clock(move_ms=1),
        "seed": 0,
    }
    async with race_host("a", "b") as host:
        with pytest.raises(ValueError, match=sentence):
            await host.server.play(MatchSetup(**{**setup, **changes}))  # type: ignore[arg-type]


async def test_a_match_waits_until_its_bots_have_room_for_it() -> None:
    async with race_host("busy", "b", "c") as host:
        busy = await host.bot("busy", concurrency=1)
        await host.good_bot("b")
        await host.good_bot("c")
        first = host.match("first", "busy", "b", goal=3)
        second = host.match("second", "busy", "c", goal=3)
        turn = await busy.expect("turn")
        await wait_all_tasks_blocked()
        assert len(busy.of_type("match_start")) == 1
        await busy.move(turn, [["add", 3]])
        await busy.move(await busy.expect("turn"), [["add", 3]])
        assert [(await first.record()).reason, (await second.record()).reason] == ["finished"] * 2


async def test_a_bot_plays_as_many_matches_at_once_as_it_said() -> None:
    async with race_host("busy", "b", "c") as host:
        busy = await host.bot("busy", concurrency=2)
        await host.good_bot("b")
        await host.good_bot("c")
        host.match("first", "busy", "b")
        host.match("second", "busy", "c")
        turns = [await busy.expect("turn"), await busy.expect("turn")]
        assert {turn["match"] for turn in turns} == {"first", "second"}
        assert host.server.connected["busy"].in_play == 2
