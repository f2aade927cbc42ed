"""A run that is killed between two matches of a block plays the second one as if it were not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from tests.tournaments.distribution.clusters import WAIT_S, Cluster, cluster
from tests.tournaments.whole.deterministic_cup import results
from tests.tournaments.whole.killed_run import KILLED

from polynya_contest.config.builtin_bots import builtin_command
from polynya_store import Store

SDK = builtin_command("random").environment["PYTHONPATH"]
BOT = """
import os, random
from polynya_client import run
dice = random.Random(int(os.environ["POLYNYA_SEED"]))
run(lambda turn: [dice.choice(turn.legal)])
"""
"""A bot whose moves follow from its seed, and from all that its process has played before."""


def described(folder: Path, workers: Cluster | None) -> Path:
    """The description of two blocks of two matches, in a new folder."""
    folder.mkdir()
    (folder / "bot.py").write_text(BOT)
    bots = "".join(
        f'[[bots]]\nname = "{name}"\ncommand = ["{sys.executable}", "bot.py"]\ndirectory = "."\n'
        f'environment = {{ PYTHONPATH = "{SDK}" }}\n'
        for name in ("ann", "bob")
    )
    path = folder / "cup.toml"
    path.write_text(
        'name = "cup"\ngame = "packeis"\nseed = 5\ncycles = 2\nconcurrency = 1\n'
        "fresh_processes = true\nclock = { initial_ms = 600_000 }\nstart_ms = 60_000\n"
        + ("" if workers is None else f'dask = {{ scheduler = "{workers.address}" }}\n')
        + bots
    )
    return path


def play(description: Path, killed_after: int = 0) -> None:
    """Play to the end, or until the process is killed after so many more matches."""
    words = [sys.executable, "-c", KILLED, str(description), str(killed_after)]
    done = subprocess.run(words, check=False, capture_output=True, text=True, timeout=WAIT_S)
    assert done.returncode == (-9 if killed_after else 0), done.stderr


def found(description: Path) -> list[str]:
    """Each match's block, seed, seats, ranking and moves, in any order."""
    with Store.open(description.parent / "polynya.sqlite") as store:
        return sorted(map(str, results(store)))


@contextmanager
def this_machine(_folder: Path) -> Iterator[None]:
    yield


@contextmanager
def one_worker(folder: Path) -> Iterator[Cluster]:
    with cluster(folder, "one") as workers:
        yield workers


@pytest.mark.parametrize("machines", [this_machine, one_worker])
def test_second_match_of_a_block_is_the_same_after_a_kill(
    machines: Callable[[Path], AbstractContextManager[Cluster | None]], tmp_path: Path
) -> None:
    with machines(tmp_path) as workers:
        undisturbed = described(tmp_path / "undisturbed", workers)
        play(undisturbed)
        killed = described(tmp_path / "killed", workers)
        play(killed, killed_after=1)
        play(killed, killed_after=2)
        play(killed)

    assert len(found(undisturbed)) == 4
    assert found(undisturbed) == found(killed)
