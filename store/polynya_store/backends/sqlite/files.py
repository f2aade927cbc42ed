"""Copies a database's file while it is in use, and compacts it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from polynya_common.errors import StoreError
from polynya_store.backends.backend import refuse_older
from polynya_store.backends.sqlite.backend import BUSY_SECONDS, check_path, lock_for_play

_BESIDE = ("", "-wal", "-shm")
"""Suffixes of a database's files; a leftover would be taken for a part of another database."""


def back_up(database: Path, copy: Path) -> int:
    """Copy a database, which may be in use, as of one moment.

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
    """Restore a lost database from a copy; return the number of its matches.

    Raises:
        StoreError: as for :func:`back_up`, or a process plays into ``database``.
    """
    check_path(database, create=True)
    with closing(lock_for_play(database)):
        return back_up(copy, database)


def _copy(database: Path, partial: Path) -> int:
    with _opened(database, "rw") as source, _opened(partial, "rwc") as target:
        _check_ours(source, database)
        with _as_store_error(partial):
            source.backup(target)
        with _as_store_error(database):
            [[found]] = target.execute("PRAGMA quick_check(1)").fetchall()
            if found != "ok":
                raise StoreError(f"the database {database} is damaged: {found}; use a backup of it")
            [[matches]] = target.execute("SELECT count(*) FROM matches").fetchall()
    return int(matches)


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    with _as_store_error(path):
        tables = connection.execute(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('alembic_version', 'matches')"
        ).fetchone()
    if tables != (2,):
        raise StoreError(f"{path} is not a database of Polynya; give another file")
    with _as_store_error(path):
        [[revision]] = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    refuse_older(path, revision)


@contextmanager
def _opened(path: Path, mode: str) -> Iterator[sqlite3.Connection]:
    with _as_store_error(path):
        opened = _connect(path, mode)
    with closing(opened):
        yield opened


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    file = f"file:{quote(str(path.absolute()))}?mode={mode}"
    return sqlite3.connect(file, uri=True, timeout=BUSY_SECONDS, isolation_level=None)


@contextmanager
def _as_store_error(path: Path) -> Iterator[None]:
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


_SPARE = 16 * 1024 * 1024
"""Bytes that must stay free on the disk besides SQLite's need."""


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """The result for a file.

    Attributes:
        before: its bytes, with those of the log beside it (``FILE-wal``).
        after: the same now.
        is_read: whether another program reads it: the log beside it stays large until that ends.
    """

    before: int
    after: int
    is_read: bool


def check_room(path: Path, unneeded: int = 0) -> None:
    """Refuse if :func:`vacuum` has too little room on the disk.

    SQLite writes what is in use twice: into a temporary file, and into the log beside the file.

    Args:
        path: the database's file.
        unneeded: bytes in it that will be removed before.

    Raises:
        StoreError: a disk has too little room; the message says which and how much.
    """
    content = max(_bytes_in_use(path) - unneeded, 0)
    needed: dict[int, int] = {}
    folders = (path.absolute().parent, _temporary_folder())
    for folder in folders:
        device = folder.stat().st_dev
        needed[device] = needed.get(device, _SPARE) + content
    for folder in folders:
        free, wanted = shutil.disk_usage(folder).free, needed[folder.stat().st_dev]
        if free < wanted:
            raise StoreError(
                f"--shrink needs {_mb(wanted)} MB of free disk in {folder}, and {_mb(free)} MB are "
                "free: make room there, or name another folder for temporary files in SQLITE_TMPDIR"
            )


def vacuum(path: Path) -> Vacuumed:
    """Compact a database's file; it is intact at any moment.

    Raises:
        StoreError: another program uses the file, or the disk is full; the file is as it was.
    """
    before = _size(path)
    try:
        with closing(_connect(path, "rw")) as connection:
            connection.execute("VACUUM")
            # Only then the file itself is smaller: VACUUM has written into the log beside it.
            [[busy, _, _]] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        raise StoreError(f"{path} is not made smaller, it is as it was: {error}") from error
    return Vacuumed(before, _size(path), is_read=bool(busy))


def _bytes_in_use(path: Path) -> int:
    with closing(_connect(path, "rw")) as connection:
        pages, free, size = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
    return int((pages - free) * size)


def _size(path: Path) -> int:
    beside = Path(f"{path}-wal")
    return path.stat().st_size + (beside.stat().st_size if beside.exists() else 0)


def _temporary_folder() -> Path:
    """Where SQLite writes its temporary file; it asks the same places in this order."""
    named = (os.environ.get(name) for name in ("SQLITE_TMPDIR", "TMPDIR"))
    places = [*(place for place in named if place), "/var/tmp", "/usr/tmp", "/tmp"]  # noqa: S108
    usable = (place for place in places if os.access(place, os.W_OK | os.X_OK))
    return Path(next(usable, tempfile.gettempdir() if os.name == "nt" else "."))


def _mb(size: int) -> int:
    return -(-size // 1_000_000)
