"""Copies of a database: one file each, also of a database that is being written."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from polynya_common.errors import StoreError
from polynya_store.backends.backend import refuse_older
from polynya_store.backends.sqlite.backend import check_path
from polynya_store.backends.sqlite.lock import BUSY_SECONDS, lock_for_play

_BESIDE = ("", "-wal", "-shm")
"""A database is these files; what is left of one would be taken for a part of another."""


def back_up(database: Path, copy: Path) -> int:
    """Copy a database, which may be in use, as it is at one moment.

    Args:
        database: the file.
        copy: the new file; it appears when it is complete, checked and on the disk.

    Returns:
        how many matches are in the copy.

    Raises:
        StoreError: ``database`` is none of ours or damaged, there is a file ``copy`` already, or it
            cannot be written.
    """
    check_path(database, create=False)
    check_path(copy, create=True)
    for suffix in _BESIDE:
        taken = Path(f"{copy}{suffix}")
        if taken.exists():
            raise StoreError(f"there is a file {taken} already; move it away, or give another name")
    partial = copy.with_name(f"{copy.name}.partial")
    partial.unlink(missing_ok=True)
    try:
        matches = _copy(database, partial)
        shutil.copymode(database, partial)
        _rename_durably(partial, copy)
    except OSError as error:
        raise StoreError(f"{copy} cannot be written: {error.strerror}") from error
    finally:
        for suffix in _BESIDE:
            Path(f"{partial}{suffix}").unlink(missing_ok=True)
    return matches


def restore(copy: Path, database: Path) -> int:
    """Put a copy in the place of a database that is lost; how many matches are in it.

    Raises:
        StoreError: as for :func:`back_up`, or a process plays into ``database``.
    """
    check_path(database, create=True)
    with closing(lock_for_play(database)):
        return back_up(copy, database)


def _copy(database: Path, partial: Path) -> int:
    with _opened(database, "rw") as source, _opened(partial, "rwc") as target:
        _check_ours(source, database)
        with _explained(partial):
            source.backup(target)
        with _explained(database):
            [[found]] = target.execute("PRAGMA quick_check(1)").fetchall()
            if found != "ok":
                raise StoreError(f"the database {database} is damaged: {found}; use a backup of it")
            [[matches]] = target.execute("SELECT count(*) FROM matches").fetchall()
    return int(matches)


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    with _explained(path):
        tables = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('alembic_version', 'matches')"
        ).fetchone()
    if tables != (2,):
        raise StoreError(f"{path} is not a database of Polynya; give another file")
    with _explained(path):
        [[revision]] = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    refuse_older(path, revision)


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    with _explained(path):
        opened = sqlite3.connect(
            f"file:{quote(str(path.absolute()))}?mode={mode}", uri=True, timeout=BUSY_SECONDS
        )
    with closing(opened):
        yield opened


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"the database {path} cannot be copied: {error}") from error


def _rename_durably(partial: Path, copy: Path) -> None:
    with partial.open("rb+") as file:
        os.fsync(file.fileno())
    partial.rename(copy)
    if hasattr(os, "O_DIRECTORY"):
        folder = os.open(copy.parent, os.O_DIRECTORY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
