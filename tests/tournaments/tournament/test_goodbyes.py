"""What bots are told when a tournament's server closes: whether they are to come back."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio
from tests.folders import ROOT

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_protocol.messages import Clock
from polynya_server.records import MatchRecord
from polynya_store import Store
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress
from polynya_tournaments.tournament.runner import RunOptions, run_tournament

LISTENS = """
import sys
sys.path.insert(0, {folder!r})
from faulty_bot import Bot

class Listener(Bot):
    def receive(self):
        message = super().receive()
        if message["type"] == "goodbye":
            open({heard!r}, "w").write(message["reason"])
        return message

sys.argv = sys.argv[:1]
Listener().play()
"""


class StopsAfterOne(Reporter):
    """Stops the tournament when its first match is over."""

    def __init__(self, stop: trio.Event) -> None:
        self._stop = stop

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self._stop.set()


@pytest.mark.parametrize(("is_stopped", "reason"), [(False, "finished"), (True, "shutting_down")])
async def test_a_tournament_that_is_over_says_so_and_one_that_goes_on_does_not(
    is_stopped: bool, reason: str, store: Store, tmp_path: Path
) -> None:
    heard = tmp_path / "heard"
    program = LISTENS.format(folder=str(ROOT / "tests" / "conformance"), heard=str(heard))
    configuration = TournamentConfiguration(
        name="cup",
        game="packeis",
        bots=[
            BotConfiguration(name="a", builtin="random"),
            BotConfiguration(
                name="listens",
                command=[sys.executable, "-c", program],
                environment={"POLYNYA_TOKEN_FILE": str(tmp_path / "token")},
            ),
        ],
        clock=Clock(initial_ms=600_000),
        seed=11,
        database=str(store.address),
        start_ms=120_000,
    )
    stop = trio.Event()
    reporter = StopsAfterOne(stop) if is_stopped else Reporter()
    await run_tournament(configuration, store, reporter, RunOptions(stop=stop))
    assert heard.read_text() == reason
