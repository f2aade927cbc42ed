"""Which bots are free for one more match."""

from __future__ import annotations

import trio
from tests.scripted.scripted_referee import ScriptedReferee
from trio.testing import wait_all_tasks_blocked

from polynya_store import StoreJournal
from polynya_tournaments.tournament.match_runner import MatchRunner
from polynya_tournaments.tournament.progress_events import Reporter


def playing(referee: ScriptedReferee, journal: StoreJournal) -> MatchRunner:
    return MatchRunner(referee, journal, Reporter())


async def test_a_bot_is_not_free_while_it_plays_a_match_of_ours(journal: StoreJournal) -> None:
    matches = playing(ScriptedReferee(journal, ["a", "b", "c"]), journal)
    matches.reserve(["a", "b"])
    assert matches.free("packeis") == {"c"}
    matches.release(["a", "b"])
    assert matches.free("packeis") == {"a", "b", "c"}


async def test_bots_whose_match_is_only_to_be_recorded_may_begin_the_next_one(
    journal: StoreJournal,
) -> None:
    referee = ScriptedReferee(journal, ["a", "b"])
    matches = playing(referee, journal)
    matches.reserve(["a", "b"])
    referee.connected["a"].in_play = referee.connected["b"].in_play = 1
    matches.played(["a", "b"])
    assert (matches.free("packeis"), matches.in_play("a")) == ({"a", "b"}, 0)
    matches.reserve(["a", "b"])
    assert (matches.free("packeis"), matches.in_play("a")) == (set(), 1)
    matches.release(["a", "b"], ending=True)
    assert (matches.free("packeis"), matches.matches, matches.ending) == (set(), 1, 0)


async def test_a_bot_is_not_free_while_it_plays_elsewhere(journal: StoreJournal) -> None:
    referee = ScriptedReferee(journal, ["a", "b"])
    referee.connected["a"].in_play = 1
    assert playing(referee, journal).free("packeis") == {"b"}


async def test_a_match_of_ours_that_the_server_counts_too_is_counted_once(
    journal: StoreJournal,
) -> None:
    referee = ScriptedReferee(journal, ["a"])
    referee.connected["a"].concurrency = 2
    matches = playing(referee, journal)
    matches.reserve(["a"])
    referee.connected["a"].in_play = 1
    assert matches.free("packeis") == {"a"}


async def test_a_bot_that_rests_is_not_free_but_will_be(journal: StoreJournal) -> None:
    matches = playing(ScriptedReferee(journal, ["a", "b"]), journal)
    async with trio.open_nursery() as nursery:
        matches.cool_down(["a"], 3600, nursery)
        assert matches.free("packeis") == {"b"}
        assert [matches.is_busy(name) for name in "ab"] == [True, False]
        nursery.cancel_scope.cancel()


async def test_rested_bot_is_free_and_wakes_the_waiting(journal: StoreJournal) -> None:
    matches = playing(ScriptedReferee(journal, ["a", "b"]), journal)
    async with trio.open_nursery() as nursery:
        matches.cool_down(["a"], 0.001, nursery)
        with trio.fail_after(60):
            await matches.wait()
    assert matches.free("packeis") == {"a", "b"}
    assert not matches.is_busy("a")


async def test_change_before_the_wait_is_not_missed(journal: StoreJournal) -> None:
    matches = playing(ScriptedReferee(journal, ["a", "b"]), journal)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(matches.watch)
        await wait_all_tasks_blocked()
        with trio.fail_after(60):
            await matches.wait()
        nursery.cancel_scope.cancel()
