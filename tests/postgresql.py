"""A private PostgreSQL server for tests, from the system's programs, on a socket of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from tests.clients.toolchains import found, go_without

from polynya_common.database_address import DatabaseUrl
from polynya_store import Store

USER = "polynya"
_TEMPLATE = "polynya_template"
_UNPRIVILEGED = 65_534
_STARTS_WITHIN_S = 60
_IN_A_HURRY = {"fsync": "off", "full_page_writes": "off"}
"""For tests that cut no power and kill no server."""


def programs() -> Path | None:
    """The folder of the server's programs; None if it is not installed."""
    program = found("postgres")
    if program is not None:
        return Path(program).resolve().parent
    # Debian keeps them out of the PATH, a folder for each version.
    folders = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    newest = max(folders, key=lambda path: int(path.parts[-3]), default=None)
    return None if newest is None else newest.parent


def require_postgresql() -> Path:
    """The server's programs; skips without them, or fails where all tools are asked for."""
    folder = programs()
    if folder is None:
        go_without("PostgreSQL's server is missing: on Debian, apt install postgresql.")
    return folder


class PostgreSQL:
    """A server that listens on a socket only; it runs as a user without rights if we are root.

    Args:
        folder: for its files, which that user can enter.
        settings: of the server, by name.
        data: the folder of its data, if that lies elsewhere.
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, str] | None = None, data: Path | None = None
    ) -> None:
        self.folder = folder
        self._bin = require_postgresql()
        self._data = data or folder / "data"
        self._settings = _IN_A_HURRY if settings is None else settings
        self._numbers = count(1)
        self._has_template = False
        self.process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            os.chown(folder, _UNPRIVILEGED, _UNPRIVILEGED)
        self._run("initdb", "-D", self._data, "-U", USER, "-A", "trust", "-E", "UTF8", "--no-sync")

    def _run(self, program: str, *words: str | Path) -> None:
        done = subprocess.run(
            [self._bin / program, *words],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            **as_user(),
        )
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start it, and return when it answers."""
        words = [f"-c{key}={value}" for key, value in self._settings.items()]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [
                    *(self._bin / "postgres", "-D", self._data, "-k", self.folder),
                    *("-h", "", *words),
                ],
                stdout=log,
                stderr=log,
                cwd=self.folder,
                start_new_session=True,
                **as_user(),
            )
        end_s = time.monotonic() + _STARTS_WITHIN_S
        while True:
            try:
                psycopg.connect(self.url("postgres").secret).close()
            except psycopg.OperationalError:
                assert time.monotonic() < end_s, (self.folder / "log").read_text()
                assert self.process.poll() is None, (self.folder / "log").read_text()
            else:
                return

    def stop(self) -> None:
        """End it at once: nothing reads its files again."""
        self._end(signal.SIGQUIT)

    def restart(self) -> None:
        """End it in order, and start it again."""
        self._end(signal.SIGINT)
        self.start()

    def kill(self) -> None:
        """Kill it and all of its processes: only what is on the disk is left."""
        assert self.process is not None
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def _end(self, how: signal.Signals) -> None:
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait()

    def url(self, name: str) -> DatabaseUrl:
        """The URL of a database."""
        return DatabaseUrl(f"postgresql://{USER}@/{name}?host={self.folder}")

    def execute(self, statement: str, name: str = "postgres") -> Sequence[tuple[Any, ...]]:
        """Run a statement; its rows."""
        with psycopg.connect(self.url(name).secret, autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def cut(self) -> int:
        """End all connections of Polynya; how many there were."""
        return len(
            self.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'polynya'"
            )
        )

    def empty(self) -> DatabaseUrl:
        """A new database without tables."""
        name = f"empty_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def new(self) -> DatabaseUrl:
        """A new database with the tables of an empty store."""
        if not self._has_template:
            self._has_template = True
            self.execute(f"CREATE DATABASE {_TEMPLATE}")
            Store.open(self.url(_TEMPLATE), for_play=True).close()
            self.execute("DELETE FROM play_sessions", _TEMPLATE)
        name = f"store_{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {_TEMPLATE}")
        return self.url(name)


@contextmanager
def postgresql_server(
    settings: Mapping[str, str] | None = None, data: Path | None = None
) -> Iterator[PostgreSQL]:
    """A server for as long as the block lasts; see :class:`PostgreSQL`."""
    require_postgresql()
    with tempfile.TemporaryDirectory(prefix="polynya-postgresql-") as folder:
        server = PostgreSQL(Path(folder), settings, data)
        try:
            server.start()
            yield server
        finally:
            server.stop()


def as_user() -> dict[str, Any]:
    """What a process needs that the server, which refuses root, runs as somebody else."""
    if os.geteuid() != 0:
        return {}
    return {"user": _UNPRIVILEGED, "group": _UNPRIVILEGED, "extra_groups": []}
