"""A database's file made smaller when much of it is free: SQLite writes it anew (VACUUM)."""

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
from polynya_store.backends.sqlite.lock import BUSY_SECONDS

_SPARE = 16 * 1024 * 1024
"""Bytes that stay free on a disk beside what SQLite needs."""


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
    """Make sure that :func:`vacuum` has room.

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
    """Write a database's file anew without what is free in it; it is whole at any moment.

    Raises:
        StoreError: another program uses the file, or the disk is full; the file is as it was.
    """
    before = _size(path)
    try:
        with _opened(path) as connection:
            connection.execute("VACUUM")
            # Only then the file itself is smaller: VACUUM has written into the log beside it.
            [[busy, _, _]] = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    except sqlite3.Error as error:
        raise StoreError(f"{path} is not made smaller, it is as it was: {error}") from error
    return Vacuumed(before, _size(path), is_read=bool(busy))


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    file = f"file:{quote(str(path.absolute()))}?mode=rw"
    with closing(
        sqlite3.connect(file, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    ) as connection:
        yield connection


def _bytes_in_use(path: Path) -> int:
    with _opened(path) as connection:
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
