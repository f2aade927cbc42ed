"""A database with several hosts, of which one takes writes; and users that the server refuses."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.postgresql import USER, PostgreSQL, postgresql_server
from tests.recorded_matches import launcher
from tests.served import serving, started
from tests.tournaments.postgresql.test_standby import line_of

from polynya_app.application import run
from polynya_common.database_address import DatabaseUrl
from polynya_common.errors import StoreError
from polynya_store import Store


@contextmanager
def after_a_failover() -> Iterator[tuple[PostgreSQL, PostgreSQL]]:
    """The old primary, which is a standby now, and the new one, which has all that it had."""
    with postgresql_server() as old, postgresql_server() as new:
        old.execute("CREATE DATABASE contest")
        Store.open(old.url("contest"), for_play=True).close()
        new.stop()
        old.stop()
        shutil.rmtree(new.folder / "data")
        subprocess.run(["cp", "-a", old.folder / "data", new.folder / "data"], check=True)
        (old.folder / "data" / "standby.signal").touch()
        old.start()
        new.start()
        yield old, new


def of_both(*servers: PostgreSQL, more: str = "") -> DatabaseUrl:
    hosts = ",".join(str(server.folder) for server in servers)
    return DatabaseUrl(f"postgresql://{USER}@/contest?host={hosts}{more}")


def test_the_host_that_takes_writes_is_played_into(monkeypatch: pytest.MonkeyPatch) -> None:
    with after_a_failover() as (old, new):
        url = of_both(old, new)
        assert run(["bots", "add", "ada", "--database", url.secret]) == 0
        with (
            serving(launcher(), url),
            started(launcher(), url, "--standby") as standby,
        ):
            assert line_of(standby).startswith("standing by: ")
        with pytest.raises(StoreError, match="takes no writes: its server is a standby"):
            Store.open(of_both(old), for_play=True)
        reading = of_both(old, new, more="&target_session_attrs=any")
        with Store.open(reading) as store:
            assert store.bots.all() == []
        monkeypatch.setenv("PGTARGETSESSIONATTRS", "any")
        with Store.open(url) as store:
            assert store.bots.all() == []


def test_several_hosts_of_which_none_takes_writes_are_refused_as_such() -> None:
    with after_a_failover() as (old, new):
        new.stop()
        url = of_both(new, old)
        with pytest.raises(StoreError, match="takes no writes: its server is a standby"):
            Store.open(url, for_play=True)


def test_unknown_user_is_named_as_such(postgresql: PostgreSQL) -> None:
    url = DatabaseUrl(f"postgresql://stranger@/postgres?host={postgresql.folder}")
    with pytest.raises(StoreError, match="knows no such user: 'createuser' makes one"):
        Store.open(url)


def test_user_without_a_right_to_connect_is_named_as_such(postgresql: PostgreSQL) -> None:
    url = postgresql.empty()
    for statement in (
        "CREATE ROLE guest LOGIN",
        "CREATE ROLE locked NOLOGIN",
        f"REVOKE CONNECT ON DATABASE {url.name} FROM PUBLIC",
    ):
        postgresql.execute(statement)
    for user, words in (("guest", "may not do this"), ("locked", "refuses the user")):
        with pytest.raises(StoreError, match=words):
            Store.open(DatabaseUrl(url.secret.replace(USER, user, 1)))
