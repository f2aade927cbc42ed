"""``polynya tournament run --standby`` takes a tournament over from a process that was killed."""

from __future__ import annotations

import re
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.postgresql import PostgreSQL, postgresql_server
from tests.tournaments.whole.deterministic_cup import MATCHES, described, outcome

from polynya_app.application import run
from polynya_common.database_address import DatabaseUrl
from polynya_store import Store

PATIENCE_S = 120
PLAYED = re.compile(rf"(\d+) of {MATCHES} matches, ")


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    """A server whose commits are on the disk."""
    with postgresql_server({"fsync": "on", "full_page_writes": "on"}) as started:
        yield started


@contextmanager
def running(
    polynya: list[str], description: Path, url: DatabaseUrl, *flags: str
) -> Iterator[subprocess.Popen[str]]:
    command = [*polynya, "tournament", "run", str(description), "--database", url.secret, *flags]
    with subprocess.Popen(
        command,
        cwd=description.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


KEPT = "results that the database does not take are kept in"


def line_of(process: subprocess.Popen[str]) -> str:
    """The next line of its log, but for the one that names the folder for results."""
    assert process.stderr is not None
    line = process.stderr.readline()
    return process.stderr.readline() if KEPT in line else line


def read_until_played(process: subprocess.Popen[str], matches: int) -> None:
    """Read its log until so many matches have been reported."""
    while (line := line_of(process)) != "":
        found = PLAYED.match(line)
        if found is not None and int(found[1]) >= matches:
            return
    raise AssertionError(f"the process ended before {matches} matches were played")


def test_standby_plays_a_killed_tournament_to_the_same_table(
    polynya: list[str], server: PostgreSQL, tmp_path: Path
) -> None:
    undisturbed, taken_over = server.empty(), server.empty()
    with running(polynya, described(tmp_path / "undisturbed"), undisturbed) as alone:
        table, _ = alone.communicate(timeout=PATIENCE_S)
        assert alone.returncode == 0
    description = described(tmp_path / "taken-over")
    with running(polynya, description, taken_over, "--standby") as first:
        assert line_of(first).startswith("listening on")
        with running(polynya, description, taken_over, "--standby") as second:
            holder = f"process {first.pid} on {socket.gethostname()}"
            assert line_of(second).startswith(
                f"polynya: standing by: {holder} plays the tournament cup "
            )
            read_until_played(first, MATCHES // 3)
            first.kill()
            rest, log = second.communicate(timeout=PATIENCE_S)
            assert second.returncode == 0, log
    with Store.open(taken_over) as store:
        assert store.tournaments.is_complete("cup")
        assert {row.reason for row in store.matches.find()} <= {"finished", "aborted"}
    assert outcome(taken_over) == outcome(undisturbed)
    assert rest == table
    for words in (["ratings", "recompute", "--check"], ["replay", "verify", "--all"]):
        assert run([*words, "--database", taken_over.secret]) == 0


def test_second_run_without_standby_is_told_who_plays(
    polynya: list[str], server: PostgreSQL, tmp_path: Path
) -> None:
    url, description = server.empty(), described(tmp_path / "cup")
    with running(polynya, description, url) as first:
        read_until_played(first, 1)
        with running(polynya, description, url) as second:
            _, log = second.communicate(timeout=PATIENCE_S)
        assert second.returncode == 1
    assert f"polynya: process {first.pid} on {socket.gethostname()} plays the tournament cup" in log
    assert log.endswith(": wait for it, or stop it\n")
