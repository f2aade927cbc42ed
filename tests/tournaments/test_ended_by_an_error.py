"""A tournament that an error ends leaves no match in play: the process may go on without it."""

from __future__ import annotations

import pytest
import trio
from tests.tournaments.test_runner import Watcher, bot, cup

from polynya_tournaments.errors import RunError
from polynya_tournaments.reporter import Progress
from polynya_tournaments.runner import run_tournament
from polynya_tournaments.store import Store

THINKS = "import time; from polynya_client import run; run(lambda turn: time.sleep(1000))"


async def test_what_was_in_play_when_an_error_ended_a_tournament_is_aborted(store: Store) -> None:
    def fail(_progress: Progress) -> None:
        if any(row.reason is None for row in store.matches()):
            raise RunError("the disk is full")

    bots = [bot("ann"), bot("bob"), bot("cid", THINKS), bot("dot")]
    with trio.fail_after(120), pytest.raises(RunError, match="the disk is full"):
        await run_tournament(cup(store, *bots), store, Watcher(fail))
    broken_off = [row for row in store.matches() if row.detail == "an error ended the tournament"]
    assert {"aborted"} == {row.reason for row in broken_off}
    assert {"aborted", "finished"} == {row.reason for row in store.matches()}
