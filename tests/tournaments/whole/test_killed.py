"""A tournament whose process is killed again and again ends like one that is left in peace."""

from __future__ import annotations

import contextlib
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.tournaments.whole.deterministic_cup import MATCHES, described, outcome

from polynya_store import Store

KILLS = 10

PROGRAM = """
import sys
from pathlib import Path
import trio
from polynya_contest.config.tournament_checks import load_configuration
from polynya_tournaments.tournament.progress_events import Reporter
from polynya_tournaments.tournament.runner import run_tournament
from polynya_store import Store

class Lines(Reporter):
    def match_over(self, record, progress):
        print(record.setup.match, file=sys.stderr, flush=True)

configuration = load_configuration(Path(sys.argv[1]))
with Store.open(Path(configuration.database), for_play=True) as store:
    store.start_writer_process()
    trio.run(run_tournament, configuration, store, Lines())
"""


def database_of(description: Path) -> Path:
    return description.parent / "polynya.sqlite"


def start(description: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(description)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def next_result(process: subprocess.Popen[bytes]) -> str:
    """Wait for the next match that ends, and give its id."""
    assert process.stderr is not None
    return process.stderr.readline().decode().strip()


def finish(description: Path) -> None:
    with start(description) as process:
        process.communicate(timeout=600)
    assert process.returncode == 0


def kill_at_a_random_moment(description: Path, chance: random.Random) -> None:
    """Kill the process after some more results, and then at any moment of the next matches."""
    with start(description) as process:
        for _ in range(chance.randint(0, 2)):
            next_result(process)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(chance.uniform(0, 0.2))
        process.kill()


def interrupted(description: Path) -> int:
    """How many attempts were cut off by a kill."""
    with Store.open(database_of(description), for_play=True) as store:
        return sum(row.reason == "aborted" for row in store.matches.find())


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    description = described(tmp_path_factory.mktemp("undisturbed") / "cup")
    finish(description)
    return outcome(database_of(description))


def test_the_undisturbed_tournament_is_complete(undisturbed: dict[str, Any]) -> None:
    assert len(undisturbed["matches"]) == undisturbed["table"].scheduled == MATCHES


def test_ten_kills_change_nothing(tmp_path: Path, undisturbed: dict[str, Any]) -> None:
    description = described(tmp_path / "cup")
    chance = random.Random(20261121)
    for _ in range(KILLS):
        kill_at_a_random_moment(description, chance)
    assert interrupted(description) > 0
    finish(description)
    assert outcome(database_of(description)) == undisturbed


def test_attempts_that_were_interrupted_are_kept_as_aborted(tmp_path: Path) -> None:
    description = described(tmp_path / "cup")
    with start(description) as process:
        first = next_result(process)
        process.kill()
    with Store.open(database_of(description), for_play=True) as store:
        reasons = [row.reason for row in store.matches.find()]
        assert store.matches.get(first).reason == "finished"
        assert reasons.count("aborted") == store.voided_matches
        assert set(reasons) <= {"finished", "aborted"}
