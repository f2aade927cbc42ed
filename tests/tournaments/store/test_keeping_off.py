"""Keeping off: where the process that writes may run, and when."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Set
from pathlib import Path

import pytest
import trio

from polynya_tournaments.store.writer.keeping_off import KeepingOff

linux = pytest.mark.skipif(sys.platform != "linux", reason="the system says it in /proc")


class Loop:
    """A loop of which the system says what a test wants, and a process beside it."""

    def __init__(self, folder: Path, processors: Set[int]) -> None:
        self.ran_on: list[Set[int]] = []
        self._stat = folder / "stat"
        self.beside = KeepingOff(self._stat, processors, self.ran_on.append)

    def is_on(self, processor: int, state: str = "R") -> None:
        between = " ".join(["0"] * 35)
        self._stat.write_text(f"7 (a (strange) name) {state} {between} {processor} 0 0\n")


def test_a_batch_is_not_written_where_a_busy_loop_runs(tmp_path: Path) -> None:
    loop = Loop(tmp_path, {0, 1, 2})
    loop.is_on(1)
    loop.beside.begin()
    assert loop.ran_on == [{0, 2}]


def test_it_moves_when_the_loop_has_moved_and_not_before(tmp_path: Path) -> None:
    loop = Loop(tmp_path, {0, 1})
    for processor in (0, 0, 1, 1, 0):
        loop.is_on(processor)
        loop.beside.begin()
    assert loop.ran_on == [{1}, {0}, {1}]


def test_beside_a_loop_that_sleeps_it_may_run_anywhere(tmp_path: Path) -> None:
    loop = Loop(tmp_path, {0, 1})
    loop.is_on(0)
    loop.beside.begin()
    loop.is_on(0, "S")
    loop.beside.begin()
    assert loop.ran_on == [{1}, {0, 1}]


def test_on_a_single_processor_nothing_is_changed(tmp_path: Path) -> None:
    loop = Loop(tmp_path, {0})
    loop.is_on(0)
    loop.beside.begin()
    assert loop.ran_on == []


def test_a_loop_that_runs_elsewhere_leaves_everything_as_it_is(tmp_path: Path) -> None:
    loop = Loop(tmp_path, {0, 1})
    loop.is_on(5)
    loop.beside.begin()
    assert loop.ran_on == []


def test_without_a_loop_nothing_is_changed(tmp_path: Path) -> None:
    loop = Loop(tmp_path, {0, 1})
    loop.beside.begin()
    assert loop.ran_on == []


def test_a_place_that_the_system_refuses_is_asked_for_again(tmp_path: Path) -> None:
    asked: list[Set[int]] = []

    def refuse(processors: Set[int]) -> None:
        asked.append(processors)
        raise OSError(22, "Invalid argument")

    loop = Loop(tmp_path, {0, 1})
    beside = KeepingOff(tmp_path / "stat", {0, 1}, refuse)
    loop.is_on(0)
    beside.begin()
    beside.begin()
    assert asked == [{1}, {1}]


BUSY = "import sys\nprint(flush=True)\nwhile True: pass"
BESIDE = """
import os, sys
from polynya_tournaments.store.writer.keeping_off import keep_off
keep_off(int(sys.argv[1]))()
print(*os.sched_getaffinity(0))
"""


@linux
async def test_a_real_process_leaves_the_processor_of_a_busy_one() -> None:
    allowed = os.sched_getaffinity(0)
    if len(allowed) == 1:
        pytest.skip("there is one processor only")
    taken = min(allowed)
    with subprocess.Popen([sys.executable, "-c", BUSY], stdout=subprocess.PIPE) as busy:
        try:
            os.sched_setaffinity(busy.pid, {taken})
            assert busy.stdout is not None
            await trio.to_thread.run_sync(busy.stdout.readline)
            command = [sys.executable, "-c", BESIDE, str(busy.pid)]
            beside = await trio.run_process(command, capture_stdout=True)
        finally:
            busy.kill()
    assert set(map(int, beside.stdout.split())) == allowed - {taken}


JOURNAL = """
import os, sys, threading
from pathlib import Path
from polynya_tournaments.ratings.model import RatingSettings
from polynya_tournaments.store import Attempt, Store
from polynya_tournaments.store.matches import match_recording
from polynya_tournaments.testing import setup_of

def write():
    attempt = Attempt(setup_of("one", "ann", "bob"), RatingSettings())
    store.batches.transact([(match_recording.begin_matches, [store.batches.pack(attempt)])])

with Store.open(Path(sys.argv[1]), for_play=True) as store:
    store.start_writer_process()
    (writer,) = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    writing = threading.Thread(target=write)
    writing.start()
    while writing.is_alive():
        pass
    print(*os.sched_getaffinity(int(writer)))
"""


@linux
async def test_the_journal_of_a_busy_loop_is_written_on_other_processors(tmp_path: Path) -> None:
    allowed = os.sched_getaffinity(0)
    if len(allowed) == 1:
        pytest.skip("there is one processor only")
    command = [sys.executable, "-c", JOURNAL, str(tmp_path / "polynya.sqlite")]
    journal = await trio.run_process(command, capture_stdout=True)
    assert set(map(int, journal.stdout.split())) == allowed - {min(allowed)}
