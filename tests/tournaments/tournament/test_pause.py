"""Pausing a ladder or a tournament: what is in play goes on, nothing begins until resumed."""

from __future__ import annotations

import trio
from tests.scripted.scripted_referee import ScriptedReferee, first_seat_wins

from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import StoreJournal
from polynya_tournaments.ladder.ladder import LadderSettings, run_ladder
from polynya_tournaments.tournament.pause import PauseSwitch
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress

PATIENCE_S = 60
SETTINGS = LadderSettings(game="packeis", clock=Clock(move_ms=100), seed=3)


class PausedAfter(Reporter):
    """Pauses after so many matches, and tells when they are over."""

    def __init__(self, switch: PauseSwitch, matches: int) -> None:
        self.over = trio.Event()
        self._switch = switch
        self._left = matches

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self._left -= 1
        if self._left == 0:
            self._switch.pause()
            self.over.set()


async def test_a_paused_ladder_begins_nothing_until_it_is_resumed(journal: StoreJournal) -> None:
    switch, stop = PauseSwitch(), trio.Event()
    referee = ScriptedReferee(journal, ["ann", "bob"])
    reporter = PausedAfter(switch, 3)
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_ladder, SETTINGS, referee, journal, stop, reporter, None, switch)
            await reporter.over.wait()
            referee.connect("cid")  # something has changed: it looks, and begins nothing
            await trio.testing.wait_all_tasks_blocked()
            played = len(referee.played)
            switch.resume()
            while len(referee.played) == played:
                await trio.lowlevel.checkpoint()
            stop.set()
    assert played == 3


async def test_a_ladder_that_is_paused_can_be_stopped(journal: StoreJournal) -> None:
    switch, stop = PauseSwitch(), trio.Event()
    switch.pause()
    referee = ScriptedReferee(journal, ["ann", "bob"])
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_ladder, SETTINGS, referee, journal, stop, None, None, switch)
            await trio.testing.wait_all_tasks_blocked()
            stop.set()
    assert referee.played == []


async def test_a_match_in_play_is_played_to_its_end(journal: StoreJournal) -> None:
    switch, stop, begun = PauseSwitch(), trio.Event(), trio.Event()

    def script(setup: MatchSetup) -> MatchRecord:
        switch.pause()
        begun.set()
        return first_seat_wins(setup)

    referee = ScriptedReferee(journal, ["ann", "bob"], script)
    with trio.fail_after(PATIENCE_S):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run_ladder, SETTINGS, referee, journal, stop, None, None, switch)
            await begun.wait()
            stop.set()
    assert [row.reason for row in journal.store.matches.find()] == ["finished"]
