"""A connection pooler between Polynya and PostgreSQL: PgBouncer, in both of its modes."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from tests.clients.toolchains import found, go_without
from tests.postgresql import USER, PostgreSQL, as_user

from polynya_common.database_address import DatabaseUrl
from polynya_common.errors import StoreError
from polynya_store import Store

PORT = 6432


@contextmanager
def pooler(server: PostgreSQL, mode: str) -> Iterator[Path]:
    """PgBouncer before a server; the folder of its socket."""
    program = found("pgbouncer", "/usr/sbin")
    if program is None:
        go_without("PgBouncer is missing: on Debian, apt install pgbouncer.")
    folder = server.folder
    settings = folder / f"{mode}.ini"
    settings.write_text(
        f"[databases]\n* = host={folder} user={USER}\n"
        f"[pgbouncer]\nlisten_addr =\nlisten_port = {PORT}\n"
        f"unix_socket_dir = {folder}\nauth_type = any\npool_mode = {mode}\n"
        "ignore_startup_parameters = extra_float_digits\n"
    )
    settings.chmod(0o644)
    with subprocess.Popen([program, "-q", str(settings)], cwd=folder, **as_user()) as process:
        try:
            _wait(folder, process)
            yield folder
        finally:
            process.send_signal(signal.SIGINT)


def _wait(folder: Path, process: subprocess.Popen[bytes]) -> None:
    end_s = time.monotonic() + 30
    while True:
        try:
            url = f"postgresql://{USER}@/postgres?host={folder}&port={PORT}"
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            assert process.poll() is None
            assert time.monotonic() < end_s
        else:
            return


def through(url: DatabaseUrl) -> DatabaseUrl:
    return DatabaseUrl(f"{url.secret}&port={PORT}")


@pytest.mark.parametrize("more", [(), ("--standby",)])
def test_server_refuses_transaction_mode(
    polynya: list[str], postgresql: PostgreSQL, more: Sequence[str]
) -> None:
    url = through(postgresql.new())
    command = [*polynya, "serve", "--port", "0", "--database", url.secret, *more]
    with pooler(postgresql, "transaction"):
        refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert "leads to a connection pooler in transaction mode, in which no lock" in refused.stderr


def test_session_mode_is_as_good_as_none(postgresql: PostgreSQL) -> None:
    url = postgresql.new()
    with (
        pooler(postgresql, "session"),
        Store.open(through(url), for_play=True),
        pytest.raises(StoreError, match="plays into the database since"),
    ):
        Store.open(url, for_play=True)
