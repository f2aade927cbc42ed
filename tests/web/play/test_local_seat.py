"""A person's seat at the referee's table, without pages: what is played, refused and forfeited."""

from __future__ import annotations

import msgspec
import pytest
import trio
from tests.scripted import Reply, ScriptedParticipant, race_host
from tests.scripted.race import RACE
from tests.scripted.race_host import RaceHost
from trio.testing import MockClock

from polynya_common.reasons import Reason
from polynya_protocol.messages import Clock
from polynya_server import MatchRecord, TurnRecord
from polynya_server.match.seat import Participant
from polynya_web.play.local_seat import LocalSeat
from polynya_web.play.seat_view import MAX_POSITIONS
from polynya_web.play.table_state import Position, RefusedError

ADD_3 = Reply([["add", 3]])
ADD_1 = Reply([["add", 1]])


def local_seat(host: RaceHost, name: str = "person") -> LocalSeat:
    return LocalSeat(name, host.server.pending_turn, {"race": RACE}.__getitem__)


async def asked(seat: LocalSeat) -> int:
    """The number of the turn that the person is asked for, once there is one."""
    version = seat.changes.version
    while seat.asked is None:
        version = await seat.changes.wait(version)
    return seat.asked.turn


def positions(seat: LocalSeat) -> list[Position]:
    assert seat.view is not None
    return [msgspec.json.decode(position, type=Position) for position in seat.view.since(0)]


def forfeits(record: MatchRecord) -> list[tuple[int, str, str]]:
    return [(event.seat, event.reason, str(event.detail)) for event in record.forfeits]


async def test_turn_that_the_page_plays_is_recorded() -> None:
    async with race_host() as host:
        seat = local_seat(host)
        match = host.match("m", "person", "x", seats={"person": seat, "x": ScriptedParticipant()})
        seat.play(await asked(seat), [["double"], ["add", 3]])
        record = await match.record()
    assert [event.steps for event in record.events if isinstance(event, TurnRecord)] == [
        [["double"], ["add", 3]]
    ]
    assert seat.result is not None
    assert seat.result.ranking == record.ranking == [1, 2]


@pytest.mark.parametrize(
    ("steps", "key"),
    [
        ([], "play.refused.unfinished"),
        ([["double"]], "play.refused.unfinished"),
        ([["add", 4]], "play.refused.by_server"),
        ([["add", 3], ["add", 3]], "play.refused.by_server"),
        ([["double"], ["double"]], "play.refused.by_server"),
    ],
)
async def test_refused_turn_costs_nothing(steps: list[list[str | int]], key: str) -> None:
    async with race_host() as host:
        seat = local_seat(host)
        host.match("m", "person", "x", seats={"person": seat, "x": ScriptedParticipant()})
        turn = await asked(seat)
        with pytest.raises(RefusedError) as refusal:
            seat.play(turn, steps)
        assert refusal.value.key == key
        assert await asked(seat) == turn


async def test_turn_that_is_not_asked_for_is_refused() -> None:
    async with race_host() as host:
        seat = local_seat(host)
        host.match("m", "person", "x", seats={"person": seat, "x": ScriptedParticipant()})
        turn = await asked(seat)
        seat.play(turn, [["add", 1]])
        for number in (turn, turn + 1, 0, -1):
            with pytest.raises(RefusedError, match="not_asked"):
                seat.play(number, [["add", 1]])


async def test_composed_turn_shows_what_may_follow_and_changes_nothing() -> None:
    async with race_host() as host:
        seat = local_seat(host)
        host.match("m", "person", "x", seats={"person": seat, "x": ScriptedParticipant()})
        turn = await asked(seat)
        composed = seat.compose(turn, [["double"]])
        assert composed.position is not None
        assert (composed.legal, composed.turn_over, composed.position.state["doubled"]) == (
            [["add", 1], ["add", 2], ["add", 3]],
            False,
            True,
        )
        assert [position.state["doubled"] for position in positions(seat)] == [False]


async def test_each_step_of_a_turn_is_a_position() -> None:
    async with race_host() as host:
        seat = local_seat(host)
        players: dict[str, Participant] = {
            "x": ScriptedParticipant([Reply([["double"], ["add", 1]])]),
            "person": seat,
        }
        host.match("m", "x", "person", seats=players)
        await asked(seat)
        seen = [(one.seat, one.step_index, one.state["points"]) for one in positions(seat)]
    assert seen == [(None, None, [0, 0]), (0, 0, [0, 0]), (0, 1, [2, 0])]


async def test_old_positions_are_dropped() -> None:
    async with race_host() as host:
        seat = local_seat(host)
        players: dict[str, Participant] = {
            "person": seat,
            "x": ScriptedParticipant([ADD_1] * MAX_POSITIONS),
        }
        host.match("m", "person", "x", seats=players, goal=1_000)
        for _ in range(MAX_POSITIONS // 2 + 1):
            seat.play(await asked(seat), [["add", 1]])
        await asked(seat)
    assert [one.index for one in positions(seat)] == list(range(3, MAX_POSITIONS + 3))


async def test_resignation_in_ones_own_turn_is_a_forfeit() -> None:
    async with race_host() as host:
        seat = local_seat(host)
        players: dict[str, Participant] = {"person": seat, "x": ScriptedParticipant()}
        match = host.match("m", "person", "x", seats=players)
        await asked(seat)
        seat.resign()
        record = await match.record()
    assert forfeits(record) == [(0, "resigned", "person resigned")]
    assert positions(seat)[-1].forfeit == "resigned"
    assert seat.asked is None


async def test_person_forfeits_once_however_often_the_page_resigns() -> None:
    """While another player thinks; the others play on without the person."""
    async with race_host() as host:
        seat = local_seat(host)
        players: dict[str, Participant] = {
            "x": ScriptedParticipant([ADD_3, ADD_3]),
            "y": ScriptedParticipant([Reply([["add", 1]], after_ms=20)]),
            "person": seat,
        }
        match = host.match("m", "x", "y", "person", seats=players)
        version = seat.changes.version
        while seat.view is None or seat.view.count < 2:
            version = await seat.changes.wait(version)
        for _ in range(3):
            seat.resign()
        seat.leave(Reason.of("pages_closed", name="ann"))
        record = await match.record()
    assert forfeits(record) == [(2, "resigned", "person resigned")]
    assert record.ranking == [1, 2, 3]


async def test_seat_that_is_left_before_all_are_ready_forfeits() -> None:
    async with race_host("bot") as host:
        bot = await host.bot("bot")
        seat = local_seat(host)
        match = host.match("m", "person", "bot", seats={"person": seat})
        await bot.expect("match_start")
        seat.leave(Reason.of("pages_closed", name="ann"))
        await bot.send(type="ready", match="m")
        record = await match.record()
    assert forfeits(record) == [(0, "disconnected", "the pages on which ann played were closed")]
    assert record.ranking == [2, 1]


def test_silent_seat_forfeits_when_its_time_is_over() -> None:
    async def run() -> MatchRecord:
        async with race_host() as host:
            players: dict[str, Participant] = {
                "person": local_seat(host),
                "x": ScriptedParticipant(),
            }
            clock = Clock(move_ms=100)
            return await host.match("m", "person", "x", clock=clock, seats=players).record()

    record = trio.run(run, clock=MockClock(rate=10))
    assert forfeits(record) == [(0, "timeout", "no answer to turn 1 within 100 ms")]


async def test_two_people_play_against_each_other() -> None:
    async with race_host() as host:
        one, two = local_seat(host, "one"), local_seat(host, "two")
        match = host.match("m", "one", "two", seats={"one": one, "two": two}, goal=3)
        one.play(await asked(one), [["add", 1]])
        two.play(await asked(two), [["add", 3]])
        record = await match.record()
    assert record.ranking == [2, 1]
    assert one.result == two.result
