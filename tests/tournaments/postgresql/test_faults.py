"""What is done to a server and to PostgreSQL while a tournament is played: nothing told is lost."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.postgresql import USER, PostgreSQL, postgresql_server
from tests.small_disk import small_disk
from tests.tournaments.postgresql.contest import check, playing, recorded

from polynya_common.database_address import DatabaseUrl
from polynya_store import Store

SAFE = {"fsync": "on", "full_page_writes": "on"}
REFUSE = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
    AS $$ BEGIN RAISE EXCEPTION 'no results today'; END $$;
CREATE TRIGGER refuse BEFORE INSERT ON replays FOR EACH ROW EXECUTE FUNCTION refuse();
"""
"""Let every result be refused from now on."""


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
            contest.read_until(f"warning the database {url} cannot be reached")
            server.start()
            contest.read_until("warning the database is written again")
        assert contest.rest() == 0, contest.lines
    check(url, contest.told)


def test_cut_connections_are_made_again(tmp_path: Path, server: PostgreSQL) -> None:
    url = server.empty()
    with playing(tmp_path, url) as contest:
        for _ in range(4):
            contest.read_until("over", 4)
            assert server.cut() > 0
        assert contest.rest() == 0, contest.lines
    check(url, contest.told)


def test_results_wait_while_another_program_keeps_a_table_locked(
    tmp_path: Path, server: PostgreSQL
) -> None:
    url = server.empty()
    with playing(tmp_path, url) as contest:
        contest.read_until("over", 5)
        with psycopg.connect(url.secret) as other:
            other.execute("LOCK TABLE matches")
            contest.read_until(f"warning another program keeps the database {url} locked")
        contest.read_until("warning the database is written again")
        assert contest.rest() == 0, contest.lines
    check(url, contest.told)


def test_failure_that_lasts_ends_the_run_with_one_sentence_and_loses_nothing(
    tmp_path: Path, server: PostgreSQL
) -> None:
    url = server.empty()
    with playing(tmp_path, url) as first:
        first.read_until("over", 5)
        server.execute(REFUSE, url.name)
        assert first.rest() == 1, first.lines
    [error] = [line for line in first.lines if line.startswith("error")]
    assert error.startswith(f"error the database {url} failed: no results today; ")
    assert error.endswith(" not written")
    server.execute("DROP TRIGGER refuse ON replays", url.name)
    with playing(tmp_path, url) as second:
        assert second.rest() == 0, second.lines
    check(url, first.told | second.told)


def test_database_that_may_not_be_written_is_refused_before_anything_is_played(
    tmp_path: Path, server: PostgreSQL
) -> None:
    url = server.empty()
    Store.open(url, for_play=True).close()
    server.execute("CREATE ROLE reader LOGIN")
    server.execute("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader", url.name)
    reader = DatabaseUrl(url.secret.replace(f"//{USER}@", "//reader@"))
    with playing(tmp_path, reader) as contest:
        assert contest.rest() == 1
    assert contest.lines == [
        f"error the user of {reader} may not do this; it has to own the database, or its tables"
    ]
    assert recorded(url) == set()


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
