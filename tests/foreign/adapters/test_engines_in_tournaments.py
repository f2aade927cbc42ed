"""Engines of other protocols in tournaments: real processes, and the cause when one ends."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from tests.clients.toolchains import require

from polynya_contest.config.tournament_configuration import (
    BotConfiguration,
    TournamentConfiguration,
)
from polynya_protocol.messages import Clock
from polynya_server.records import ForfeitRecord, MatchRecord
from polynya_store import Store
from polynya_tournaments.tournament.progress_events import Reporter, RunProgress
from polynya_tournaments.tournament.runner import run_tournament

ADAPT = [sys.executable, "-m", "polynya_foreign.adapters"]
GNU_GO = "/usr/games/gnugo --mode gtp --chinese-rules --capture-all-dead"
KILLER = """
import os, signal, sys
from polynya_client import run

def choose(turn):
    if turn.number > 2:
        with open(sys.argv[1]) as file:
            os.kill(int(file.read()), signal.SIGKILL)
    return [turn.legal[0]]

run(choose)
"""


class Records(Reporter):
    """Keeps the record of each match that is over."""

    def __init__(self) -> None:
        self.records: list[MatchRecord] = []

    def match_over(self, record: MatchRecord, progress: RunProgress) -> None:  # noqa: ARG002
        self.records.append(record)

    def causes(self) -> list[str]:
        """The details of all forfeits."""
        events = [event for record in self.records for event in record.events]
        return [str(event.detail) for event in events if isinstance(event, ForfeitRecord)]


@pytest.fixture
def records() -> Records:
    return Records()


async def test_engine_that_is_killed_in_a_match_is_the_cause_and_plays_the_next_one(
    store: Store, records: Records, tmp_path: Path
) -> None:
    require("gnugo")
    process_id = tmp_path / "process_id"
    engine = [*ADAPT, "gtp", "--", "sh", "-c", f"echo $$ > {process_id}; exec {GNU_GO}"]
    killer = [sys.executable, "-c", KILLER, str(process_id)]
    configuration = TournamentConfiguration(
        name="cup",
        game="openspiel_go",
        options={"board_size": 5},
        bots=[
            BotConfiguration(name="engine", command=engine),
            BotConfiguration(name="killer", command=killer),
        ],
        clock=Clock(move_ms=60_000),
        seed=1,
        database=str(store.address),
        start_ms=120_000,
    )
    await run_tournament(configuration, store, records)

    assert len(records.records) == 2
    assert records.causes() == ['engine said goodbye: "the engine ended by SIGKILL"'] * 2
