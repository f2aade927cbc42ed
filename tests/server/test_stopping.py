"""The end of a server, and what a failure inside it reaches."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tests.scripted import race_host
from tests.scripted.race import RaceState
from tests.scripted.race_host import race_setup
from trio.testing import wait_all_tasks_blocked

from polynya_games import Step
from polynya_protocol.messages import RatingChange
from polynya_server import (
    MatchRecord,
    MemoryJournal,
    ServerSettings,
    ServerStoppingError,
    open_server,
)
from polynya_server.sessions import remote_seat


async def test_stopping_lets_a_match_finish_within_the_grace_time() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=3)
        turn = await a.expect("turn")
        host.in_background(host.server.stop, 60_000)
        refused = await host.client()
        assert (await refused.hello(role="spectator"))["code"] == "shutting_down"
        await a.move(turn, [["add", 3]])
        ending = await a.expect_end()
        assert [message["type"] for message in ending] == ["match_over", "goodbye"]
        assert ending[-1]["reason"] == "shutting_down"
        assert (await match.record()).reason == "finished"


async def test_bots_of_a_finished_contest_get_its_end() -> None:
    async with race_host("a") as host:
        a = await host.bot("a")
        host.in_background(host.server.stop, 0, "finished")
        assert await a.expect_end() == [{"type": "goodbye", "reason": "finished"}]


async def test_stopping_aborts_and_records_what_is_not_finished_in_time() -> None:
    async with race_host("a", "b", close_ms=50) as host:
        a = await host.bot("a")
        await host.good_bot("b")
        host.match("m", "a", "b")
        await a.expect("turn")
        await host.server.stop(0)
        ending = await a.expect_end()
        assert (ending[0]["reason"], ending[0]["detail"], ending[0]["ranking"]) == (
            "aborted",
            "the server is shutting down",
            None,
        )
        assert [record.reason for record in host.journal.records] == ["aborted"]


async def test_a_match_that_was_not_yet_ready_is_aborted_too() -> None:
    async with race_host("a", "b", close_ms=50) as host:
        a = await host.bot("a")
        host.match("m", "a", "b")
        await a.expect("match_start")
        await host.server.stop(0)
        assert [record.events for record in host.journal.records] == [[]]


async def test_a_bot_may_come_back_to_its_match_while_the_server_stops() -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        match = host.match("m", "a", "b", goal=3)
        await a.expect("turn")
        host.in_background(host.server.stop, 60_000)
        again = await host.bot("a")
        await again.move(await again.expect("turn"), [["add", 3]])
        assert (await match.record()).reason == "finished"


async def test_a_server_that_stops_plays_no_new_matches() -> None:
    async with race_host("a", "b") as host:
        await host.server.stop(0)
        with pytest.raises(ServerStoppingError):
            await host.server.play(race_setup("m", "a", "b"))


async def test_an_exception_in_the_block_leaves_it_in_no_group() -> None:
    with pytest.raises(LookupError):
        async with open_server(ServerSettings(), MemoryJournal()):
            raise LookupError


async def test_the_port_is_free_again_when_the_block_has_ended() -> None:
    async with open_server(ServerSettings(), MemoryJournal()) as server:
        port = server.port
    async with open_server(ServerSettings(port=port), MemoryJournal()) as server:
        assert server.port == port


async def test_a_bug_in_one_match_aborts_that_match_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with race_host("a", "b") as host:
        a = await host.bot("a")
        await host.good_bot("b")
        beside = await host.good_match("beside")
        match = host.match("m", "a", "b", goal=77)
        turn = await a.expect("turn")
        sound = RaceState.apply_legal

        def apply_legal(state: RaceState, step: Step) -> RaceState:
            if state.goal == 77:
                raise ZeroDivisionError
            return sound(state, step)

        monkeypatch.setattr(RaceState, "apply_legal", apply_legal)
        await a.move(turn, [["add", 3]])
        over = await a.expect("match_over")
        record = await match.record()
        assert (over["reason"], over["detail"]) == ("aborted", "the server failed in this match")
        assert (record.reason, record.ranking) == ("aborted", None)
        assert (await beside.record()).reason == "finished"


class FailingJournal(MemoryJournal):
    """A journal that cannot record one match."""

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        if record.setup.match == "m":
            raise OSError("disk full")
        return await super().finish(record)


async def test_unrecorded_result_is_not_sent() -> None:
    async with race_host("a", "b", journal=FailingJournal()) as host:
        await host.good_bot("b")
        a = await host.bot("a", wants=["legal"])
        beside = await host.good_match("beside")
        host.in_background(a.expect_end)
        with pytest.raises(OSError, match="disk full"):
            await host.server.play(race_setup("m", "a", "b"))
        await wait_all_tasks_blocked()
        over = a.of_type("match_over")[0]
        assert (over["reason"], over["ranking"]) == ("aborted", None)
        assert over["detail"] == "the result could not be recorded"
        assert (await beside.record()).reason == "finished"


class RatingJournal(MemoryJournal):
    """A journal that rates at once."""

    async def finish(self, record: MatchRecord) -> Sequence[RatingChange]:
        await super().finish(record)
        return [RatingChange(name="a", before=1500, after=1516)]


async def test_result_is_recorded_before_it_is_sent() -> None:
    journal = RatingJournal()
    async with race_host("a", "b", journal=journal) as host:
        a = await host.bot("a", wants=["legal"])
        await host.good_bot("b")
        host.match("m", "a", "b")
        over = await a.expect("match_over")
        assert [record.setup.match for record in journal.records] == ["m"]
        assert over["ratings"] == [{"name": "a", "before": 1500, "after": 1516}]


async def test_a_bug_that_shows_while_a_bot_is_read_costs_only_that_bot(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def steps_after(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(remote_seat, "steps_after", steps_after)
    async with race_host("a", "b", reconnect_ms=50) as host:
        a = await host.bot("a")
        host.in_background((await host.bot("b")).expect_end)
        beside = await host.good_match("beside")
        match = host.match("m", "b", "a")
        turn = await a.expect("turn")
        await a.send(type="steps", match="m", turn=turn["turn"], steps=[])
        assert await a.expect_end() == []
        record = await match.record()
        assert (record.reason, record.ranking) == ("forfeit", [1, 2])
        assert (await beside.record()).reason == "finished"
