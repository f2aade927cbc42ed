"""Players with a seat given by the caller: they need no connection and no session."""

from __future__ import annotations

import pytest
import trio
from tests.scripted import Reply, ScriptedParticipant, race_host
from tests.scripted.race_host import race_setup
from trio.testing import MockClock

from polynya_protocol.messages import Clock, Software
from polynya_server import MatchRecord, TurnRecord
from polynya_server.match.seat import Fault

ADD_3 = Reply([["add", 3]])


def turns(record: MatchRecord) -> list[tuple[int, object]]:
    return [(event.seat, event.steps) for event in record.events if isinstance(event, TurnRecord)]


def forfeits(record: MatchRecord) -> list[tuple[int, str, str]]:
    return [(event.seat, event.reason, str(event.detail)) for event in record.forfeits]


async def test_given_seat_plays_against_a_bot_on_the_network() -> None:
    async with race_host("bot") as host:
        bot = await host.bot("bot")
        person = ScriptedParticipant([ADD_3, ADD_3])
        match = host.match("m", "person", "bot", seats={"person": person})
        start = await bot.expect("match_start")
        await bot.send(type="ready", match="m")
        moved = await bot.expect("moved")
        await bot.move(await bot.expect("turn"), [["add", 1]])
        over = await bot.expect("match_over")
        record = await match.record()
    assert [player["name"] for player in start["players"]] == ["person", "bot"]
    assert moved["steps"] == [["add", 3]]
    assert over["ranking"] == [1, 2]
    assert turns(record) == [(0, [["add", 3]]), (1, [["add", 1]]), (0, [["add", 3]])]


async def test_given_seat_receives_all_turns_and_the_record() -> None:
    async with race_host("bot") as host:
        await host.good_bot("bot")
        person = ScriptedParticipant([ADD_3, ADD_3])
        record = await host.match("m", "person", "bot", seats={"person": person}).record()
    assert record.events == person.told
    assert record == person.record


async def test_given_seat_needs_no_room_of_a_session() -> None:
    """Its name may be in several matches at once, and is never among the connected bots."""
    async with race_host("a", "b") as host:
        await host.good_bot("a")
        await host.good_bot("b")
        first = host.match("1", "person", "a", seats={"person": ScriptedParticipant([ADD_3] * 2)})
        second = host.match("2", "person", "b", seats={"person": ScriptedParticipant([ADD_3] * 2)})
        records = [await first.record(), await second.record()]
        connected = sorted(host.server.connected)
    assert [record.reason for record in records] == ["finished", "finished"]
    assert connected == ["a", "b"]


async def test_given_seats_alone_make_a_match() -> None:
    async with race_host() as host:
        players = {"x": ScriptedParticipant([ADD_3] * 2), "y": ScriptedParticipant([ADD_3])}
        record = await host.match("m", "x", "y", seats=players).record()
    assert record.ranking == [1, 2]


async def test_fault_of_a_given_seat_is_its_forfeit() -> None:
    async with race_host("bot") as host:
        await host.good_bot("bot")
        person = ScriptedParticipant([Fault("resigned", "the person resigned")])
        record = await host.match("m", "person", "bot", seats={"person": person}).record()
    assert forfeits(record) == [(0, "resigned", "the person resigned")]
    assert record.ranking == [2, 1]


async def test_software_of_a_given_seat_is_in_the_record() -> None:
    async with race_host("bot") as host:
        await host.good_bot("bot")
        person = ScriptedParticipant([ADD_3] * 2, software=Software(name="browser"))
        record = await host.match("m", "person", "bot", seats={"person": person}).record()
    assert Software(name="browser") == record.software[0]


def test_given_seat_that_does_not_get_ready_forfeits_by_its_own_sentence() -> None:
    async def run() -> MatchRecord:
        async with race_host(ready_ms=50) as host:
            players = {
                "x": ScriptedParticipant([ADD_3] * 2),
                "y": ScriptedParticipant(gets_ready=False),
                "z": ScriptedParticipant([ADD_3]),
            }
            return await host.match("m", "x", "y", "z", seats=players).record()

    record = trio.run(run, clock=MockClock(rate=10))
    assert forfeits(record) == [(1, "not_ready", "the script did not get ready within 50 ms")]


def test_given_seat_is_held_to_the_clock() -> None:
    async def run() -> MatchRecord:
        async with race_host() as host:
            players = {"x": ScriptedParticipant(), "y": ScriptedParticipant()}
            clock = Clock(move_ms=100)
            return await host.match("m", "x", "y", clock=clock, seats=players).record()

    record = trio.run(run, clock=MockClock(rate=10))
    assert forfeits(record) == [(0, "timeout", "no answer within 100 ms")]


async def test_seat_of_a_player_that_the_match_does_not_have_is_refused() -> None:
    async with race_host("a", "b") as host:
        with pytest.raises(ValueError, match="x has a seat, but is none of the match's players"):
            await host.server.play(race_setup("m", "a", "b"), {"x": ScriptedParticipant()})
