"""A tournament that an error ends leaves no match in play: the process may go on without it."""

from __future__ import annotations

import msgspec
import pytest
import trio
from tests.tournaments.tournament.test_runner import Watcher, bot, cup

from polynya_common.errors import RunError
from polynya_store import Store
from polynya_tournaments.tournament.progress_events import RunProgress
from polynya_tournaments.tournament.runner import run_tournament

THINKS = "import time; from polynya_client import run; run(lambda turn: time.sleep(1000))"


async def test_error_aborts_the_matches_in_play(store: Store) -> None:
    def fail(_progress: RunProgress) -> None:
        rows = [row for row in store.matches.find() if row.reason is None]
        if any(seat.name == "cid" for row in rows for seat in row.seats):
            raise RunError("the disk is full")

    bots = [bot("ann"), bot("bob"), bot("cid", THINKS), bot("dot")]
    # The others play on until the one that thinks is in a match.
    described = msgspec.structs.replace(cup(store, *bots), cycles=200)
    with trio.fail_after(120), pytest.raises(RunError, match="the disk is full"):
        await run_tournament(described, store, Watcher(fail))
    thinking = [row for row in store.matches.find() if "cid" in [seat.name for seat in row.seats]]
    assert {"aborted"} == {row.reason for row in thinking}
    assert {"aborted", "finished"} == {row.reason for row in store.matches.find()}
