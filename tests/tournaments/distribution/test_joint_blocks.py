"""Blocks of a game with joint turns take a core of a worker for each seat."""

from __future__ import annotations

import fcntl
import sys
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from distributed import Client
from tests.games.example_games import example_games_of_processes
from tests.tournaments.distribution.clusters import WAIT_S, Run, cluster, wait_until, write_cup

from polynya_contest.config.builtin_bots import builtin_command
from polynya_server.records import MatchRecord, decode_replay
from polynya_store import Store

__all__ = ["example_games_of_processes"]

SDK = builtin_command("random").environment["PYTHONPATH"]
WAITS = """
import fcntl
import os
from polynya_client import run
with open(os.environ["GATE"]) as gate:
    fcntl.flock(gate, fcntl.LOCK_SH)
run(lambda turn: [turn.legal[0]])
"""
"""A bot that connects when the test opens the gate."""

pytestmark = pytest.mark.usefixtures("example_games_of_processes")


def joint_cup(folder: Path, cycles: int, more: str = "", players: int = 2) -> Path:
    """The description of a tournament of Goofspiel."""
    path = write_cup(folder, cycles, more=more)
    head = f'game = "goofspiel"\nplayers = {players}\noptions = {{ cards = 3 }}'
    words = path.read_text().replace('game = "packeis"', head).replace('"greedy"', '"random"')
    path.write_text(words)
    return path


def records(folder: Path) -> list[MatchRecord]:
    """The matches that were played, in the order of their beginnings."""
    with Store.open(folder / "cup.sqlite") as store:
        assert store.tournaments.is_complete("cup")
        found = [decode_replay(document) for _, document in store.matches.replays()]
    return sorted(found, key=lambda record: record.started_ms)


def workers(folder: Path) -> set[str]:
    """The names of the workers that played."""
    return {(record.worker or "").partition("@")[0] for record in records(folder)}


def overlaps(folder: Path) -> list[tuple[str, str]]:
    """Matches that were played at the same time on one worker."""
    of_worker: defaultdict[str | None, list[MatchRecord]] = defaultdict(list)
    for record in records(folder):
        of_worker[record.worker].append(record)
    return [
        (one.setup.match, other.setup.match)
        for played in of_worker.values()
        for one, other in pairwise(played)
        if other.started_ms < one.finished_ms
    ]


def test_local_workers_play_no_more_joint_matches_at_once_than_their_cores_allow(
    tmp_path: Path,
) -> None:
    run = Run(joint_cup(tmp_path, 4), "--dask", "local", "--workers", "2")
    assert run.code() == 0, run.said()
    assert workers(tmp_path) == {"0"}
    assert overlaps(tmp_path) == []
    assert "fewer cores" not in run.said()


def test_worker_plays_joint_matches_on_cores_of_their_own(tmp_path: Path) -> None:
    with cluster(tmp_path) as found:
        found.start_worker("one", threads=3)
        run = Run(joint_cup(tmp_path, 6), "--dask", found.address)
        assert run.code() == 0, run.said()
    assert overlaps(tmp_path) == []


def test_worker_with_fewer_cores_than_seats_leaves_joint_matches_to_the_others(
    tmp_path: Path,
) -> None:
    with cluster(tmp_path) as found:
        found.start_worker("wide", threads=2)
        found.start_worker("narrow")
        run = Run(joint_cup(tmp_path, 6), "--dask", found.address)
        assert run.code() == 0, run.said()
    assert workers(tmp_path) == {"wide"}
    assert run.said().count("narrow@") == run.said().count("fewer cores: other workers play") == 1


def test_joint_match_is_played_alone_where_no_worker_has_enough_cores(tmp_path: Path) -> None:
    third = '[[bots]]\nname = "cid"\nbuiltin = "random"\n'
    with cluster(tmp_path) as found:
        found.start_worker("one", threads=2)
        run = Run(joint_cup(tmp_path, 2, third, players=3), "--dask", found.address)
        assert run.code() == 0, run.said()
    assert len(records(tmp_path)) == 6
    assert overlaps(tmp_path) == []
    assert run.said().count("the 3 bots of a match think at the same time, and one@") == 1
    assert "has fewer cores: each plays one match at a time, and its bots share" in run.said()


def in_threads(client: Client, worker: str) -> int:
    """How many blocks the threads of a worker have, those that wait for cores too."""
    found = client.sync(client.scheduler.identity)["workers"].values()
    return sum(
        one["metrics"]["task_counts"].get("executing", 0) for one in found if one["name"] == worker
    )


def test_drained_worker_returns_the_joint_block_that_waits_for_its_cores(tmp_path: Path) -> None:
    gate, bot = tmp_path / "gate", tmp_path / "waits"
    bot.mkdir()
    (bot / "bot.py").write_text(WAITS)
    cup = joint_cup(tmp_path, 4)
    command = f"command = ['{sys.executable}', 'bot.py']\ndirectory = 'waits'\n"
    environment = f"environment = {{ GATE = '{gate}', PYTHONPATH = '{SDK}' }}"
    at_gate = cup.read_text().replace('builtin = "random"', command + environment, 1)
    cup.write_text(at_gate)
    with gate.open("w") as closed, cluster(tmp_path) as found:
        fcntl.flock(closed, fcntl.LOCK_EX)
        found.start_worker("one", threads=2)
        with Client(found.address, set_as_default=False) as client:
            run = Run(cup, "--dask", found.address)
            wait_until(lambda: in_threads(client, "one") == 2, "one block plays, and one waits")
            found.start_worker("two", threads=2)
            found.workers["one"].terminate()
            wait_until(lambda: in_threads(client, "two") == 2, "the other worker has two blocks")
        fcntl.flock(closed, fcntl.LOCK_UN)
        assert found.workers["one"].wait(WAIT_S) == 0
        assert run.code() == 0, run.said()
    played = Counter((record.worker or "").partition("@")[0] for record in records(tmp_path))
    assert played == {"one": 2, "two": 6}
    assert "does not count" not in run.said()
