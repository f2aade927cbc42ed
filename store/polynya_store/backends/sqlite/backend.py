"""A SQLite database in a file: its connections, its lock, and its errors in sentences.

A process that plays holds the lock ``NAME.lock`` beside the file. The kernel releases it when the
process ends, so a crash leaves nothing to clear.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_store.backends.backend import ClaimedError, DatabaseGoneError, void_in_play

BUSY_SECONDS = 5.0
"""How long a transaction waits for another program that writes."""

_LOCK_SECONDS = BUSY_SECONDS + 2.0
"""An orphaned writer may hold the lock for as long as any writer waits."""

_LOOK_SECONDS = 0.02
_ADVICE = (
    "; wait for it, or use another database. A server plays tournaments beside its ladder: put the "
    "description into the folder of 'polynya serve --tournaments'"
)

_Lock = IO[str] | sqlite3.Connection


class FileLock:
    """The right to play into a file: only one process has it, so it covers all claims.

    Attributes:
        fence: none, for no other process can hold the lock.
        shared_descriptors: the lock's; None on a system without flock (Windows).
        is_awaited: never: nothing can come between a process and its lock.
    """

    fence = None
    is_awaited = False

    def __init__(self, lock: _Lock) -> None:
        self._lock = lock
        self.shared_descriptors: Sequence[int] | None = (
            None if isinstance(lock, sqlite3.Connection) else (lock.fileno(),)
        )

    def enter(self, connection: sa.Connection, claims: Sequence[str]) -> int:  # noqa: ARG002
        """Void the matches that an earlier process left in play."""
        return void_in_play(connection, sa.true())

    def claim(self, connection: sa.Connection, claim: str) -> None:
        """Do nothing: the lock covers all claims."""

    def release(self, connection: sa.Connection, claim: str) -> None:
        """Do nothing: claims end with the lock."""

    def check(self) -> None:
        """Do nothing: the kernel takes no lock away."""

    def renew(self) -> None:
        """Do nothing: others look at the lock."""

    def close(self) -> None:
        """Release the lock; may be called twice."""
        self._lock.close()


def lock_for_play(path: Path, wait_s: float = _LOCK_SECONDS) -> FileLock:
    """Take the lock of a database; wait for an orphaned writer that still holds it.

    Raises:
        ClaimedError: another process holds it.
        StoreError: the folder cannot be written.
    """
    return FileLock(_lock(path, wait_s))


def _lock(path: Path, wait_s: float) -> _Lock:
    lock_path = path.with_name(path.name + ".lock")
    try:
        import fcntl  # noqa: F401 - whether this system has it
    except ImportError:
        return _locked_database(lock_path, path)
    return _locked_file(lock_path, path, wait_s)


def _locked_file(lock_path: Path, path: Path, wait_s: float) -> IO[str]:
    try:
        lock = lock_path.open("a+", encoding="ascii")
    except OSError as error:
        raise StoreError(f"{lock_path} cannot be written: {error.strerror}") from error
    try:
        _flock(lock, wait_s)
    except OSError as error:
        lock.seek(0)
        holder = lock.read(20).strip() or "unknown"
        lock.close()
        raise ClaimedError(
            f"another process (number {holder}) is playing into {path}", _ADVICE
        ) from error
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    return lock


def _flock(lock: IO[str], wait_s: float) -> None:
    import fcntl

    end_s = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            if time.monotonic() > end_s:
                raise
            time.sleep(_LOOK_SECONDS)
        else:
            return


def _locked_database(lock_path: Path, path: Path) -> sqlite3.Connection:
    """Take the lock without flock (Windows): SQLite locks files on every system."""
    lock = sqlite3.connect(lock_path, isolation_level=None, timeout=0.0, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise StoreError(f"{lock_path} cannot be written: {error}") from error
        raise ClaimedError(f"another process is playing into {path}", _ADVICE) from error
    return lock


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
"""Compiled statements that a connection keeps: those of the journal and of the pages."""

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
        """Whether the file does not exist."""
        return not self.address.exists()

    def make(self) -> None:
        """Create a database without tables; even after a kill it is no empty file."""
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
        """A number created once and kept in the file's header."""
        number = connection.exec_driver_sql("PRAGMA user_version").scalar_one()
        if number == 0:
            number = 1 + secrets.randbelow(2**31 - 1)
            connection.exec_driver_sql(f"PRAGMA user_version = {number}")
        return int(number)

    def before_upgrade(self) -> None:
        """Switch to write-ahead logging: readers and the writer do not wait for each other."""
        connection = self.engine.raw_connection()
        try:
            connection.cursor().execute("PRAGMA journal_mode = WAL")
        finally:
            connection.close()

    def announce_changes(self, connection: sa.Connection) -> None:
        """Do nothing: servers poll every two seconds."""

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

    def stand_by(self, claims: Sequence[str]) -> FileWatch:  # noqa: ARG002 - as above
        """Look at the lock."""
        return FileWatch(self)

    def remember(self) -> None:
        """Remember the file at the path for :meth:`check_in_place`."""
        self._file_id = file_id(self.address)

    def check_in_place(self) -> None:
        """Refuse to write into a deleted or replaced file.

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
        """See :func:`is_transient`."""
        return isinstance(error, sa.exc.DBAPIError | DatabaseGoneError) and is_transient(error)

    def sentence(self, error: Exception) -> str:
        """See :func:`sentence`."""
        if isinstance(error, sa.exc.DBAPIError | DatabaseGoneError):
            return sentence(error, self.address)
        return str(error)


class FileWatch:
    """Implements ``HolderWatch``: a process that plays need not know that another one waits.

    Args:
        backend: the file.
    """

    def __init__(self, backend: SQLiteBackend) -> None:
        self._backend = backend

    def look(self) -> str | None:
        """The process that plays into the file."""
        return self._backend.holder(())

    def close(self) -> None:
        """Do nothing: it keeps nothing open."""


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
    """Device and inode, which identify a file; None without one."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
