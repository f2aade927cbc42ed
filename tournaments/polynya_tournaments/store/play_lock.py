"""The lock that one process holds while it plays into a database.

It is a file beside the database (``NAME.lock``): the kernel lets go of it whenever the process
ends, so that nothing is left behind that would have to be cleared after a crash.
"""

from __future__ import annotations

import os
import sqlite3
import time
from pathlib import Path
from typing import IO

from polynya_tournaments.errors import StoreError

BUSY_SECONDS = 5.0
"""How long a transaction waits for another program that writes."""

_LOCK_SECONDS = BUSY_SECONDS + 2.0
"""An orphaned writer may hold the lock for as long as any writer waits."""

_LOOK_SECONDS = 0.02

PlayLock = IO[str] | sqlite3.Connection
"""Closing it lets go."""


def lock_for_play(path: Path) -> PlayLock:
    """The lock for a database. An orphaned writer that still holds it is waited for.

    Raises:
        StoreError: another process holds it, or the folder cannot be written.
    """
    lock_path = path.with_name(path.name + ".lock")
    try:
        import fcntl  # noqa: F401 - whether this system has it
    except ImportError:
        return _locked_database(lock_path, path)
    return _locked_file(lock_path, path)


def _locked_file(lock_path: Path, path: Path) -> IO[str]:
    try:
        lock = lock_path.open("a+", encoding="ascii")
    except OSError as error:
        raise StoreError(f"{lock_path} cannot be written: {error.strerror}") from error
    try:
        _flock(lock)
    except OSError as error:
        lock.seek(0)
        holder = lock.read(20).strip() or "unknown"
        lock.close()
        raise StoreError(
            f"another process (number {holder}) is playing into {path}; "
            "wait for it, or use another database"
        ) from error
    lock.truncate(0)
    lock.write(f"{os.getpid()}\n")
    lock.flush()
    return lock


def _flock(lock: IO[str]) -> None:
    import fcntl

    end_s = time.monotonic() + _LOCK_SECONDS
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
        raise StoreError(
            f"another process is playing into {path}; wait for it, or use another database"
        ) from error
    return lock
