"""SQLite's errors in sentences for a host, and which of them pass by waiting."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import sqlalchemy as sa

from polynya_store.backends.backend import DatabaseGoneError

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
