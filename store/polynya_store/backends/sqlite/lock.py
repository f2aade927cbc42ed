"""The lock that one process holds while it plays into a database.

It is a file beside the database (``NAME.lock``): the kernel lets go of it whenever the process
ends, so that nothing is left behind that would have to be cleared after a crash.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_store.backends.backend import ClaimedError, void_in_play

BUSY_SECONDS = 5.0
"""How long a transaction waits for another program that writes."""

_LOCK_SECONDS = BUSY_SECONDS + 2.0
"""An orphaned writer may hold the lock for as long as any writer waits."""

_LOOK_SECONDS = 0.02
_ADVICE = "; wait for it, or use another database"

_Lock = IO[str] | sqlite3.Connection


class FileLock:
    """The right to play into a file: there are no others, so what is claimed does not matter.

    Attributes:
        fence: none, for no other process can hold the lock.
        shared_descriptors: the lock's; None on a system without flock (Windows).
    """

    fence = None

    def __init__(self, lock: _Lock) -> None:
        self._lock = lock
        self.shared_descriptors: Sequence[int] | None = (
            None if isinstance(lock, sqlite3.Connection) else (lock.fileno(),)
        )

    def enter(self, connection: sa.Connection, claims: Sequence[str]) -> int:  # noqa: ARG002
        """Void all that an earlier process left in play."""
        return void_in_play(connection, sa.true())

    def claim(self, connection: sa.Connection, claim: str) -> None:
        """Nothing: all is claimed."""

    def release(self, connection: sa.Connection, claim: str) -> None:
        """Nothing: it goes with the lock."""

    def check(self) -> None:
        """Nothing: the kernel takes no lock away."""

    def renew(self) -> None:
        """Nothing: others look at the lock."""

    def close(self) -> None:
        """Let go; may be called twice."""
        self._lock.close()


def lock_for_play(path: Path, wait_s: float = _LOCK_SECONDS) -> FileLock:
    """The lock for a database. An orphaned writer that still holds it is waited for.

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
    """The same where there is no flock (Windows): SQLite locks files on every system."""
    lock = sqlite3.connect(lock_path, isolation_level=None, timeout=0.0, check_same_thread=False)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
            raise StoreError(f"{lock_path} cannot be written: {error}") from error
        raise ClaimedError(f"another process is playing into {path}", _ADVICE) from error
    return lock
