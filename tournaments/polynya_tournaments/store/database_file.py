"""Connections to the file of a database, and their settings."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from polynya_tournaments.errors import StoreError
from polynya_tournaments.store.play_lock import BUSY_SECONDS

_STATEMENTS = 256
"""How many a connection keeps compiled: the journal's, in all sizes, and those of the pages."""

_READING = "polynya_reading"


def connect(path: Path, *, durable: bool = True) -> sa.Engine:
    """An engine whose transactions begin with the write lock taken.

    SQLite's default transactions take it at their first write, when what they have read may be out
    of date already; updates are then lost without a word.

    Args:
        path: the database's file.
        durable: whether a commit waits for the disk; not for a file that nothing reads afterwards.
    """
    # Read-write without creating: when the file is gone, no other one must take its place unseen.
    file = f"file:{quote(str(path.absolute()))}"
    engine = sa.create_engine(
        sa.URL.create("sqlite", database=file, query={"mode": "rw", "uri": "true"}),
        connect_args={
            "isolation_level": None,
            "check_same_thread": False,
            "timeout": BUSY_SECONDS,
            "cached_statements": _STATEMENTS,
        },
    )
    sa.event.listen(engine, "connect", partial(_set_up_connection, durable=durable))
    sa.event.listen(engine, "begin", _begin)
    return engine


def reading(engine: sa.Engine) -> sa.Engine:
    """The same database for transactions that only read: they wait for no writer."""
    return engine.execution_options(**{_READING: True})


def _set_up_connection(connection: Any, _record: object, *, durable: bool) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    # FULL: a commit is on the disk when it returns, also when the machine loses its power.
    connection.execute(f"PRAGMA synchronous = {'FULL' if durable else 'OFF'}")


def _begin(connection: sa.Connection) -> None:
    only_reading = connection.get_execution_options().get(_READING, False)
    connection.exec_driver_sql("BEGIN" if only_reading else "BEGIN IMMEDIATE")


def check_path(path: Path, *, create: bool) -> None:
    """Refuse a path where no database is or, with ``create``, can be.

    Raises:
        StoreError: the message names the path.
    """
    if path.is_dir():
        raise StoreError(f"{path} is a folder; give the database's file")
    # Not made: a path that is mistyped is not to be made true.
    if create and not path.parent.is_dir():
        raise StoreError(
            f"there is no folder {path.parent} for the database {path.name}; make it, or give "
            "another path"
        )
    if not create and not path.exists():
        raise StoreError(f"there is no database {path}; --database names the file")


def make_folder(path: Path) -> None:
    """Make the folder of a database if it is not there; not those above it.

    Raises:
        StoreError: it cannot be made; the message names it.
    """
    try:
        path.parent.mkdir(exist_ok=True)
    except OSError as error:
        raise StoreError(f"the folder {path.parent} cannot be made: {error.strerror}") from error


def file_id(path: Path) -> tuple[int, int] | None:
    """Device and inode of a file, which another one of the same name has not; None without one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
