"""The process that writes the journal's batches: real processes, signals and databases."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from pickle import dumps, loads

import pytest
import sqlalchemy as sa
import trio
from tests.scripted.scripted_referee import record_of, setup_of
from tests.store.kinds import file_only

from polynya_common.errors import StoreError, UnknownOutcomeError
from polynya_contest.ratings.model import RatingSettings
from polynya_server.records import MatchSetup
from polynya_store import Attempt, Store, StoreJournal, open_journal
from polynya_store.backends.sqlite.backend import is_transient
from polynya_store.matches import match_recording
from polynya_store.writer.executors import Batch
from polynya_store.writer.writer_process_main import _sendable

linux = pytest.mark.skipif(sys.platform != "linux", reason="finds the process by /proc")

PROGRAM = """
import sys
from pathlib import Path
from polynya_contest.ratings.model import RatingSettings
from polynya_store import Attempt, Store
from polynya_store.matches import match_recording
from tests.scripted.scripted_referee import setup_of

with Store.open(Path(sys.argv[1]), for_play=True) as store:
    store.start_writer_process()
    attempt = Attempt(setup_of("one", "ann", "bob"), RatingSettings())
    store.batches.transact([(match_recording.begin_matches, [store.batches.pack(attempt)])])
    print("begun", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def apart(store: Store) -> Store:
    """A store whose batches another process writes."""
    store.start_writer_process()
    return store


def attempt(name: str) -> Attempt:
    return Attempt(setup_of(name, "ann", "bob"), RatingSettings())


def begin(store: Store, *names: str) -> list[MatchSetup]:
    attempts = [store.batches.pack(attempt(name)) for name in names]
    return [
        store.batches.unpack(result)
        for result in store.batches.transact([(match_recording.begin_matches, attempts)])
    ]


def begun(store: Store) -> list[str]:
    return [row.match for row in store.matches.find()]


def writer_of(process: int) -> int:
    """The number of the process that writes for another one."""
    (writer,) = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return int(writer)


def own_writer(store: Store) -> int:
    """The number of the process that writes for this one."""
    assert store._process is not None
    return store._process._process.pid


async def kill_when_asleep(process: int) -> None:
    """Kill a process when it waits for a locked database, in which it sleeps by the clock."""
    waiting = Path(f"/proc/{process}/wchan")
    with trio.fail_after(10):
        while "nanosleep" not in waiting.read_text():
            await trio.lowlevel.checkpoint()
    os.kill(process, signal.SIGKILL)


def test_the_results_of_a_batch_come_in_its_order(apart: Store) -> None:
    names = ["one", "two", "three"]
    assert [setup.match for setup in begin(apart, *names)] == names
    assert begun(apart) == names


async def test_a_match_is_begun_and_recorded_as_by_a_thread(apart: Store) -> None:
    async with open_journal(apart) as journal:
        setup = await journal.begin(attempt("one"))
        changes = await journal.finish(record_of(setup, ranking=[1, 2]))
    assert [change.name for change in changes] == ["ann", "bob"]
    assert apart.matches.replay("one")


def test_a_batch_fails_as_a_whole_with_the_error_of_its_write_and_where_it_was(
    apart: Store,
) -> None:
    unknown = record_of(setup_of("unknown", "ann", "bob"), ranking=[1, 2])
    batch: Batch = [
        (match_recording.begin_matches, [apart.batches.pack(attempt("one"))]),
        (match_recording.finish_matches, [apart.batches.pack(unknown)]),
    ]
    with pytest.raises(StoreError, match="match unknown is not in play") as failed:
        apart.batches.transact(batch)
    assert "in finish_matches" in failed.value.__notes__[0]
    assert begun(apart) == []


@file_only
def test_transient_error_stays_transient_across_processes(store: Store) -> None:
    with store.database.reading() as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 1")
    with closing(sqlite3.connect(str(store.address), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(sa.exc.DBAPIError) as failed:
            begin(store, "one")
    sent = loads(dumps(_sendable(failed.value)))  # noqa: S301 - our own
    assert is_transient(sent)


def test_an_error_that_cannot_be_sent_becomes_one_that_says_the_same() -> None:
    class Local(Exception):  # noqa: N818 - it cannot be found by its name
        pass

    assert str(_sendable(Local("odd"))) == "a write failed: Local('odd')"


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_service_signals_do_not_end_the_writer_first(apart: Store, number: signal.Signals) -> None:
    os.kill(own_writer(apart), number)
    assert len(begin(apart, "one")) == 1


@linux
def test_a_writer_that_is_killed_while_it_has_nothing_to_do_is_started_again(apart: Store) -> None:
    begin(apart, "one")
    killed = own_writer(apart)
    os.kill(killed, signal.SIGKILL)
    os.waitid(os.P_PID, killed, os.WEXITED | os.WNOWAIT)
    begin(apart, "two")
    assert begun(apart) == ["one", "two"]


@linux
@file_only
async def test_killed_writer_fails_its_whole_batch(apart: Store) -> None:
    told: list[str] = []

    async def begin_told(journal: StoreJournal, name: str) -> None:
        with pytest.raises(UnknownOutcomeError) as failed:
            await journal.begin(attempt(name))
        told.append(str(failed.value))

    begin(apart, "one")
    with closing(sqlite3.connect(str(apart.address), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # the writer waits for it
        with trio.fail_after(30):
            async with open_journal(apart) as journal, trio.open_nursery() as nursery:
                nursery.start_soon(begin_told, journal, "two")
                nursery.start_soon(begin_told, journal, "three")
                nursery.start_soon(kill_when_asleep, own_writer(apart))
    assert len(told) == 2
    assert "killed by signal 9 in the middle of its work; start again" in told[0]
    assert begun(apart) == ["one"]


@linux
def test_closing_ends_the_writer(store: Store) -> None:
    store.start_writer_process()
    writer = own_writer(store)
    store.close()
    assert not Path(f"/proc/{writer}").exists()


@linux
def test_the_writer_of_a_killed_process_ends_and_the_database_can_be_played_into_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "killed.sqlite"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        process.kill()
    with Store.open(path, for_play=True) as store:
        assert store.voided_matches == 1


def test_only_what_is_open_for_play_is_written_apart(store: Store) -> None:
    with Store.open(store.address) as read, pytest.raises(ValueError, match="open for play"):
        read.start_writer_process()
