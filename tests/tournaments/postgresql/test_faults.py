"""What is done to a server and to PostgreSQL while a tournament is played: nothing told is lost."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.postgresql import PostgreSQL, postgresql_server
from tests.small_disk import small_disk
from tests.tournaments.postgresql.contest import check, playing

SAFE = {"fsync": "on", "full_page_writes": "on"}


@pytest.fixture
def server() -> Iterator[PostgreSQL]:
    """A server whose commits are on the disk."""
    with postgresql_server(SAFE) as started:
        yield started


def test_killed_tournament_goes_on(tmp_path: Path, server: PostgreSQL) -> None:
    url = server.empty()
    with playing(tmp_path, url) as first:
        first.read_until("over", 7)
        first.process.kill()
        first.rest()
    with playing(tmp_path, url) as second:
        assert second.rest() == 0, second.lines
    check(url, first.told | second.told)


def test_killed_postgresql_is_waited_for(tmp_path: Path, server: PostgreSQL) -> None:
    url = server.empty()
    with playing(tmp_path, url) as contest:
        for _ in range(2):
            contest.read_until("over", 5)
            server.kill()
            contest.read_until(f"warning the connection to the database {url} is lost")
            server.start()
            contest.read_until("warning the database is written again")
        assert contest.rest() == 0, contest.lines
    check(url, contest.told)


def test_cut_connections_are_made_again(tmp_path: Path, server: PostgreSQL) -> None:
    url = server.empty()
    with playing(tmp_path, url) as contest:
        for _ in range(4):
            contest.read_until("over", 4)
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'polynya'"
            )
        assert contest.rest() == 0, contest.lines
    check(url, contest.told)


def fill(filler: Path) -> None:
    """Write a file until the disk is full."""
    with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(1 << 20))


def test_full_disk_is_waited_for(tmp_path: Path) -> None:
    with small_disk(400) as disk, postgresql_server(SAFE, disk / "data") as server:
        url = server.empty()
        with playing(tmp_path, url) as contest:
            contest.read_until("over", 5)
            filler = disk / "filler"
            fill(filler)
            contest.read_until("warning ")
            filler.unlink()
            contest.read_until("warning the database is written again")
            assert contest.rest() == 0, contest.lines
        check(url, contest.told)
