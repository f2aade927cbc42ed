"""Connections to PostgreSQL have the settings that a contest needs, whichever the server's are."""

from __future__ import annotations

import pytest
from tests.postgresql import PostgreSQL

from polynya_app.application import run
from polynya_store import Store


@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_database_in_an_encoding_without_every_text_is_refused(
    postgresql: PostgreSQL, encoding: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name = f"in_{encoding.lower()}"
    postgresql.execute(f"CREATE DATABASE {name} ENCODING {encoding} LOCALE 'C' TEMPLATE template0")
    url = postgresql.url(name)
    assert run(["bots", "add", "ada", "--database", url.secret]) == 1
    told = " ".join(capsys.readouterr().err.split())
    assert str(url) in told
    assert encoding in told
    assert postgresql.execute("SELECT FROM pg_tables WHERE schemaname = 'public'", name) == []


def test_encoding_that_the_host_has_set_for_clients_changes_no_text(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    why = "\u30d1\u30c3\u30af\u30a2\u30a4\u30b9 \U0001f427"
    with Store.open(postgresql.new(), for_play=True) as store:
        store.bots.set_token("ada", b"")
        store.interventions.suspend("ada", why)
        assert store.bots.suspensions() == {"ada": why}


def test_time_limits_of_the_server_cut_off_no_write(postgresql: PostgreSQL) -> None:
    url = postgresql.new()
    limits = ("statement_timeout", "idle_session_timeout", "idle_in_transaction_session_timeout")
    for limit in limits:
        postgresql.execute(f"ALTER DATABASE {url.name} SET {limit} = '10min'")
    with (
        Store.open(url, for_play=True, claims=["the tournament autumn"]) as store,
        store.database.writing() as connection,
    ):
        found = {
            limit: connection.exec_driver_sql("SELECT current_setting(%s)", (limit,)).scalar()
            for limit in limits
        }
    assert found == dict.fromkeys(limits, "0")
