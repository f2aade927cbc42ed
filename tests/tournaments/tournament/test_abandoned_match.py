"""A match that is given up is told of as any other that is over, and so is the last one."""

from __future__ import annotations

import msgspec
import trio
from tests.scripted.scripted_referee import record_of
from tests.tournaments.tournament.test_scheduler import CUP, Hall

from polynya_server.records import MatchRecord, MatchSetup
from polynya_store import StoreJournal


async def test_every_match_is_reported_even_if_the_last_is_given_up(
    journal: StoreJournal,
) -> None:
    def disconnected(setup: MatchSetup) -> MatchRecord:
        return record_of(setup, None, reason="aborted", forfeits={1: "disconnected"})

    cup = msgspec.structs.replace(CUP, bots=CUP.bots[:2], attempts=1)
    hall = Hall(journal, disconnected, ["ann", "bob"], cup)
    with trio.fail_after(60):
        await hall.run()
    assert hall.played() == ["cup-1", "cup-2"]
    assert len(hall.notes.progress) == 2
