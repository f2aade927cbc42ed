"""Disk use of a database, and a warning before its disk is full."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import trio

from polynya_common.reasons import Cause, Reason

MB = 1024 * 1024
THRESHOLDS_MB = (2_000, 200, 50)
"""Free space below which a host is warned, and warned again."""

_LOOK_S = 60.0
_ENDED = 1.25
"""A shortage counts as over when the free space is this multiple of the threshold."""


@dataclass(frozen=True, slots=True)
class DiskUse:
    """Disk use of a database.

    Attributes:
        database: the bytes of the file, and of its ``-wal`` and ``-shm`` while it is in use.
        free: the bytes that are free on its disk.
    """

    database: int
    free: int

    def shortage(self, factor: float = 1.0) -> int:
        """Number of thresholds that the free space is below, each times ``factor``."""
        return sum(self.free < factor * threshold * MB for threshold in THRESHOLDS_MB)


def measure(database: Path) -> DiskUse:
    """Measure a database and the free space of its disk.

    Raises:
        OSError: its folder is not there.
    """
    sizes = (_size(database.with_name(database.name + ending)) for ending in ("", "-wal", "-shm"))
    return DiskUse(sum(sizes), shutil.disk_usage(database.absolute().parent).free)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def warning(use: DiskUse, place: Path) -> Cause | None:
    """A warning of the shortage with its remedy; None while there is room."""
    if not use.shortage():
        return None
    return Reason.of("disk_scarce", megabytes=use.free // MB, place=place)


async def watch_disk(
    database: Path, warn: Callable[[str], None], look: Callable[[Path], DiskUse] = measure
) -> None:
    """Warn at each threshold that the free space falls below."""
    told = 0
    while True:
        try:
            use = await trio.to_thread.run_sync(look, database, abandon_on_cancel=True)
        except OSError:
            pass  # the writer says so
        else:
            if use.shortage() > told and (sentence := warning(use, database.absolute().parent)):
                warn(str(sentence))
            told = max(use.shortage(), min(told, use.shortage(_ENDED)))
        await trio.sleep(_LOOK_S)
