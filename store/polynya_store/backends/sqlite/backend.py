"""A database in a file of SQLite's: its connections, where it is, and its errors in sentences."""

from __future__ import annotations

import secrets
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_store.backends.backend import ClaimedError, DatabaseGoneError
from polynya_store.backends.sqlite.lock import BUSY_SECONDS, FileLock, lock_for_play

_TRANSIENT = {
    sqlite3.SQLITE_BUSY: "another program keeps the database {path} locked",
    sqlite3.SQLITE_LOCKED: "another program keeps the database {path} locked",
    sqlite3.SQLITE_FULL: "there is no space left for the database {path}; free some",
    sqlite3.SQLITE_CANTOPEN: "the database {path} cannot be opened; "
    "look at the rights of the file and of its folder",
    sqlite3.SQLITE_READONLY: "the database {path} cannot be written; "
    "look at the rights of the file and of its folder",
    # A quota that is used up and a network disk that is away are such.
    sqlite3.SQLITE_IOERR: "the disk of the database {path} failed to read or write",
}
_LASTING = {
    sqlite3.SQLITE_NOTADB: "{path} is not an SQLite database; give another file",
    sqlite3.SQLITE_CORRUPT: "the database {path} is damaged; restore it from a copy",
}


def _primary_code(error: sa.exc.DBAPIError) -> int:
    # The low byte is the kind of error, the rest says more than a host needs.
    return getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def is_transient(error: sa.exc.DBAPIError | DatabaseGoneError) -> bool:
    """Whether the same write may succeed later: locked, full, read-only or gone."""
    return isinstance(error, DatabaseGoneError) or _primary_code(error) in _TRANSIENT


def sentence(error: sa.exc.DBAPIError | DatabaseGoneError, path: Path) -> str:
    """The error in a sentence for the host."""
    if isinstance(error, DatabaseGoneError):
        return str(error)
    text = (_TRANSIENT | _LASTING).get(_primary_code(error))
    return text.format(path=path) if text else f"the database {path} failed: {error.orig}"


_STATEMENTS = 256
"""How many a connection keeps compiled: the journal's, in all sizes, and those of the pages."""

_READING = "polynya_reading"


class SQLiteBackend:
    """Implements ``Backend``."""

    def __init__(self, path: Path, *, durable: bool = True) -> None:
        self.address = path
        self.engine = connect(path, durable=durable)
        self.reading = self.engine.execution_options(**{_READING: True})
        self._file_id: tuple[int, int] | None = None

    def check(self, *, create: bool) -> None:
        """Refuse a path where no database is or, with ``create``, can be."""
        check_path(self.address, create=create)
        if self.address.exists() and self.address.stat().st_size == 0:
            raise StoreError(
                f"{self.address} is empty, so it is no database; remove it, or give another file"
            )

    def is_missing(self) -> bool:
        """Whether there is no file."""
        return not self.address.exists()

    def make(self) -> None:
        """Make a database without tables; it is never an empty file, not even after a kill."""
        path = self.address
        if path.exists():
            return
        new = path.with_name(f"{path.name}.new")
        try:
            new.write_bytes(b"")
            with closing(sqlite3.connect(new)) as connection:
                connection.execute("VACUUM")
            new.replace(path)
        except OSError as error:
            raise StoreError(f"the database {path} cannot be made: {error.strerror}") from error

    def number(self, connection: sa.Connection) -> int:
        """Made once, and kept in the file's header."""
        number = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        if number == 0:
            number = 1 + secrets.randbelow(2**31 - 1)
            connection.exec_driver_sql(f"PRAGMA user_version = {number}")
        return int(number)

    def before_upgrade(self) -> None:
        """Readers and the writer do not wait for each other; the file remembers it."""
        connection = self.engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()

    def announce_changes(self, connection: sa.Connection) -> None:
        """Nothing: servers look every two seconds."""

    def lock_for_play(self) -> FileLock:
        """The lock beside the file."""
        return lock_for_play(self.address)

    def listen(self) -> None:
        """None: a file does not notify."""

    def holder(self, claims: Sequence[str]) -> str | None:  # noqa: ARG002 - all is one claim
        """The process that plays into the file."""
        try:
            lock_for_play(self.address, wait_s=0).close()
        except ClaimedError as error:
            return error.who
        return None

    def remember(self) -> None:
        """From now on :meth:`check_in_place` expects the file that is at the path now."""
        self._file_id = file_id(self.address)

    def check_in_place(self) -> None:
        """Refuse to write into a file that has no name any more.

        A file that was removed or replaced while it is open can be written as before, and what is
        written is lost with it.

        Raises:
            DatabaseGoneError: the file is not there; it may come back.
            StoreError: another file has taken its place.
        """
        path, found = self.address, file_id(self.address)
        if found is None:
            raise DatabaseGoneError(f"the database {path} is gone; put the same file back")
        if found != self._file_id:
            raise StoreError(
                f"another file has taken the place of the database {path} while it was in "
                "use; start again with the right one"
            )

    def is_transient(self, error: Exception) -> bool:
        """See :mod:`~polynya_store.backends.sqlite.backend`."""
        return isinstance(error, sa.exc.DBAPIError | DatabaseGoneError) and is_transient(error)

    def sentence(self, error: Exception) -> str:
        """See :mod:`~polynya_store.backends.sqlite.backend`."""
        if isinstance(error, sa.exc.DBAPIError | DatabaseGoneError):
            return sentence(error, self.address)
        return str(error)


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


def file_id(path: Path) -> tuple[int, int] | None:
    """Device and inode of a file, which another one of the same name has not; None without one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
