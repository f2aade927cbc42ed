"""Engines of other protocols in tournaments: real processes, and the cause when one ends."""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from tests.clients.toolchains import require
from tests.folders import ROOT

from polynya_contest.config.tournament_checks import load_configuration
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

    def faults(self) -> list[tuple[str, ForfeitRecord]]:
        """All forfeits, with the names of their bots."""
        return [
            (record.setup.players[event.seat], event)
            for record in self.records
            for event in record.events
            if isinstance(event, ForfeitRecord)
        ]

    def points(self) -> dict[str, float]:
        """The points of each bot, by the rankings of matches of two."""
        points: Counter[str] = Counter()
        for record in self.records:
            assert record.ranking is not None
            for name, rank in zip(record.setup.players, record.ranking, strict=True):
                is_alone = record.ranking.count(rank) == 1
                points[name] += (2 if rank == 1 else 0) if is_alone else 1
        return {name: twice / 2 for name, twice in points.items()}


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
    assert [str(event.detail) for _, event in records.faults()] == [
        'engine said goodbye: "the engine ended by SIGKILL"'
    ] * 2


async def test_swiss_of_eight_bots_of_which_four_speak_other_protocols(
    store: Store, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("gnugo")
    require("perl")
    require("bash")
    folders = [str(Path(sys.executable).parent), os.environ["PATH"], "/usr/games"]
    monkeypatch.setenv("PATH", os.pathsep.join(folders))
    configuration = msgspec.structs.replace(
        load_configuration(ROOT / "examples" / "engines" / "swiss.toml"),
        database=str(store.address),
        start_ms=120_000,
    )
    await run_tournament(configuration, store, records)

    assert len(records.records) == 24
    assert {event.reason for _, event in records.faults()} <= {"resigned"}
    table = store.tournaments.standings("many-tongues").rows
    assert {row.name: row.points for row in table} == records.points()


async def test_engines_that_end_and_flood_cost_other_bots_no_match(
    store: Store, records: Records, tmp_path: Path
) -> None:
    template = tmp_path / "bot.toml"
    template.write_text("turn = 'go'\nanswer = [{line = 'pass', step = ['pass']}]\n")
    configuration = TournamentConfiguration(
        name="cup",
        game="openspiel_go",
        options={"board_size": 5},
        bots=[
            BotConfiguration(name="ends", command=[*ADAPT, "gtp", "--", "false"]),
            BotConfiguration(
                name="floods",
                command=[*ADAPT, "lines", "--template", str(template), "--", "yes"],
            ),
            BotConfiguration(name="random-1", builtin="random"),
            BotConfiguration(name="random-2", builtin="random"),
        ],
        clock=Clock(move_ms=60_000),
        seed=1,
        database=str(store.address),
        restarts=20,
        start_ms=120_000,
    )
    await run_tournament(configuration, store, records)

    assert len(records.records) == 12
    assert {name for name, _ in records.faults()} == {"ends", "floods"}
    for name, event in records.faults():
        sentence = "ended with exit code 1" if name == "ends" else "'y'"
        assert sentence in str(event.detail)
    points = records.points()
    assert points["random-1"] + points["random-2"] >= 10
