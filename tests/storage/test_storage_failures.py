"""What becomes of a tournament whose database fails: results wait, or it ends with a sentence."""

from __future__ import annotations

import resource
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.storage.runs import Hall, hall


@pytest.fixture
def cup() -> Iterator[Hall]:
    with hall() as found:
        yield found


def complete(cup: Hall) -> bool:
    return cup.played() == cup.scheduled and cup.problems() == []


def test_results_wait_while_another_process_keeps_the_database_locked(cup: Hall) -> None:
    with cup.run() as run:
        run.until("over")
        with closing(sqlite3.connect(cup.database, isolation_level=None, timeout=60)) as other:
            other.execute("BEGIN IMMEDIATE")
            cup.go_on()
            warning = run.until("warning")
        run.until("done")
    assert f"keeps the database {cup.database} locked" in warning
    assert "written again" in warning
    assert complete(cup)


def test_results_wait_while_the_database_is_missing(cup: Hall) -> None:
    away = cup.database.with_suffix(".away")
    with cup.run() as run:
        run.until("over")
        cup.database.rename(away)
        cup.go_on()
        warning = run.until("warning")
        assert not cup.database.exists()
        away.rename(cup.database)
        run.until("done")
    assert f"the database {cup.database} is gone; put the same file back" in warning
    assert complete(cup)


def test_a_database_in_the_place_of_the_first_is_not_written(cup: Hall) -> None:
    away = cup.database.with_suffix(".away")
    with cup.run() as run:
        run.until("over")
        cup.database.rename(away)
        shutil.copy(away, cup.database)
        cup.go_on()
        error = run.until("error")
        assert run.process.wait() == 1
    assert f"another file has taken the place of the database {cup.database}" in error
    away.rename(cup.database)
    cup.finish()
    assert complete(cup)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux changes another process's limits")
def test_results_wait_while_the_disk_takes_no_more(cup: Hall) -> None:
    with cup.run() as run:
        run.until("over")
        hard = resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE)[1]
        resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (4096, hard))
        cup.go_on()
        warning = run.until("warning")
        resource.prlimit(run.process.pid, resource.RLIMIT_FSIZE, (hard, hard))
        run.until("done")
    assert f"the disk of the database {cup.database} failed to read or write" in warning
    assert complete(cup)


def test_a_failure_that_lasts_ends_the_run_with_one_sentence_and_loses_nothing(cup: Hall) -> None:
    with cup.run() as run:
        run.until("over")
        refuse(cup, "no results today")
        cup.go_on()
        error = run.until("error")
        assert run.process.wait() == 1
    assert "no results today" in error
    assert len(run.of("error")) == 1
    allow(cup)
    told = len(run.of("over"))
    assert told <= cup.played() < cup.scheduled
    cup.finish()
    assert complete(cup)


def refuse(cup: Hall, why: str) -> None:
    """Let every result be refused from now on."""
    with closing(sqlite3.connect(cup.database, timeout=60)) as other:
        other.execute(
            "CREATE TRIGGER refuse BEFORE INSERT ON replays "
            f"BEGIN SELECT RAISE(ABORT, '{why}'); END"
        )


def allow(cup: Hall) -> None:
    with closing(sqlite3.connect(cup.database, timeout=60)) as other:
        other.execute("DROP TRIGGER refuse")


def test_a_database_that_may_not_be_written_is_refused_before_anything_is_played(
    cup: Hall,
) -> None:
    with cup.run() as run:
        run.until("over")
    before = cup.played()
    for path in cup.folder.glob("polynya.sqlite*"):
        path.chmod(0o666 if path.suffix == ".lock" else 0o444)
    with cup.run(as_nobody=True) as run:
        error = run.until("error")
        assert run.process.wait() == 1
    assert f"the database {cup.database} cannot be written; look at the rights" in error
    assert cup.played() == before
