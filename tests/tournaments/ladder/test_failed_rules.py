"""Rules that fail on a ladder: bots rest alike, one that causes it is suspended, others play on."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest
import trio
from tests.scripted.scripted_referee import ScriptedReferee, first_seat_wins, record_of, setup_of
from tests.tournaments.ladder.test_ladder import SETTINGS, Until, ladder

from polynya_common.reasons import Reason
from polynya_server.records import MatchRecord, MatchSetup, RulesFailure
from polynya_store import Store, StoreJournal
from polynya_tournaments.ladder.failed_rules import LIMIT, WINDOW, LadderFailures
from polynya_tournaments.ladder.ladder import run_ladder
from polynya_tournaments.tournament.pause import PauseSwitch


def failed(setup: MatchSetup, *moved: str) -> MatchRecord:
    """The record of a match whose rules failed after these bots had acted."""
    record = record_of(setup, None, reason="annulled", server_fault=True)
    seats = tuple(setup.players.index(name) for name in moved)
    why = Reason.of("rules_failed", turn=7, why="the process has ended")
    failure = RulesFailure(seats, '{"ask": "apply"}')
    return msgspec.structs.replace(record, detail=why, rules_failure=failure)


def test_both_bots_rest_longer_with_each_failure_in_a_row_until_a_result() -> None:
    failures, setup = LadderFailures(), setup_of("ladder-1", "ann", "bob")
    rests = []
    for _ in range(6):
        failures.note(failed(setup, "ann"))
        rests.append(failures.rest_s(failed(setup, "ann")))
    failures.note(first_seat_wins(setup))
    rests.append(failures.rest_s(failed(setup, "ann")))
    assert rests == [60, 120, 240, 480, 960, 960, 60]


def test_bot_that_acted_before_failures_against_three_opponents_is_suspended() -> None:
    failures = LadderFailures()
    found = []
    for opponent in ("bob", "bob", "bob", "cid", "dot"):
        failures.note(first_seat_wins(setup_of("ladder-1", "ann", "eve")))
        record = failed(setup_of("ladder-2", opponent, "ann"), "ann")
        failures.note(record)
        found.append(sorted(failures.suspends(record)))
    assert found == [[], [], [], [], ["ann"]]


def test_opponents_of_the_bot_that_acts_are_not_suspended() -> None:
    failures = LadderFailures()
    for opponent in ("ann", "bob", "cid", "dot"):
        record = failed(setup_of("ladder-1", opponent, "eve"), opponent)
        failures.note(record)
        assert failures.suspends(record) == {}


def test_rare_failures_suspend_no_bot() -> None:
    failures = LadderFailures()
    for opponent in ("bob", "cid", "dot", "eve"):
        record = failed(setup_of("ladder-1", "ann", opponent), "ann")
        failures.note(record)
        assert failures.suspends(record) == {}
        for _ in range(WINDOW // (LIMIT - 1)):
            failures.note(first_seat_wins(setup_of("ladder-2", "ann", opponent)))


def test_bot_that_the_host_has_put_back_begins_anew() -> None:
    failures = LadderFailures()
    for opponent in ("bob", "cid", "dot"):
        record = failed(setup_of("ladder-1", "ann", opponent), "ann")
        failures.note(record)
    assert set(failures.suspends(record)) == {"ann"}
    failures.forget("ann")
    record = failed(setup_of("ladder-2", "ann", "eve"), "ann")
    failures.note(record)
    assert failures.suspends(record) == {}


@pytest.mark.parametrize(
    ("pairings", "broken"),
    [
        (["ann bob", "cid dot", "eve fay"], True),
        (["ann bob", "ann cid", "bob cid"], True),
        (["ann bob", "ann cid", "ann dot"], False),
        (["ann bob", "bob ann", "ann bob"], False),
        (["ann bob", "cid dot", "", "eve fay"], False),
    ],
)
def test_game_is_broken_when_no_single_bot_can_have_caused_the_failures(
    pairings: list[str], broken: bool
) -> None:
    failures = LadderFailures()
    for names in pairings:
        if names:
            failures.note(failed(setup_of("ladder-1", *names.split())))
        else:
            failures.note(first_seat_wins(setup_of("ladder-2", "gil", "hal")))
    assert failures.game_is_broken() is broken


async def test_ladder_goes_on_without_the_bots_in_whose_match_the_rules_failed(
    store: Store, journal: StoreJournal
) -> None:
    def script(setup: MatchSetup) -> MatchRecord:
        return failed(setup, "ann") if "ann" in setup.players else first_seat_wins(setup)

    played, until = await ladder(journal, ["ann", "bob", "cid", "dot", "eve"], 20, script)

    with_ann = next(setup for setup in played if "ann" in setup.players)
    counted = Counter(name for setup in played for name in setup.players)
    assert counted["ann"] == 1
    assert len(counted) == 5
    names = " and ".join(with_ann.players)
    assert until.warnings[-1] == (
        f"{with_ann.match} of {names} is annulled: the rules of the game failed at turn 7, so no "
        'bot is to blame: the process has ended; ann acted before; the rules were asked {"ask": '
        '"apply"}; its bots rest'
    )
    assert store.matches.get(with_ann.match).reason == "annulled"
    assert "ann" not in {row.bot for row in store.ratings.find()}


async def test_ladder_pauses_when_its_game_is_broken(journal: StoreJournal) -> None:
    names = ["ann", "bob", "cid", "dot", "eve", "fay"]
    referee, until, switch = ScriptedReferee(journal, names, failed), Until(3), PauseSwitch()
    with trio.fail_after(60):
        await run_ladder(SETTINGS, referee, journal, until.stop, until, switch=switch)
    assert switch.paused
    assert sum("the ladder is paused" in warning for warning in until.warnings) == 1


async def test_ladder_suspends_a_bot_until_its_host_puts_it_back(
    store: Store, journal: StoreJournal
) -> None:
    failures = LadderFailures()
    for opponent in ("fay", "gil"):
        failures.note(failed(setup_of("ladder-1", "ann", opponent), "ann"))

    def script(setup: MatchSetup) -> MatchRecord:
        return failed(setup, "ann") if "ann" in setup.players else first_seat_wins(setup)

    names = ["ann", "bob", "cid", "dot", "eve"]
    referee, until = ScriptedReferee(journal, names, script), Until(10)
    with trio.fail_after(60):
        await run_ladder(SETTINGS, referee, journal, until.stop, until, failures=failures)
    assert store.bots.roster().suspended == {"ann"}
    assert ("ann", "suspended") in referee.notices
