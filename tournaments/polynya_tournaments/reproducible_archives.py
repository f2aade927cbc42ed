"""Writes reproducible tar.gz archives: the same entries give the same bytes on any machine."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Final

LEFT_OUT: Final = frozenset(
    {".DS_Store", ".git", ".hg", ".mypy_cache", ".pytest_cache", "__pycache__"}
)
"""Names of files and folders that are left out of bots' archives."""


@contextmanager
def new_archive(target: IO[bytes], level: int = 9) -> Iterator[tarfile.TarFile]:
    """Open an archive to add entries to; it is complete when the context exits.

    Args:
        target: where it is written to.
        level: of compression, 1 to 9.
    """
    with (
        gzip.GzipFile(
            fileobj=target, mode="wb", compresslevel=level, filename="", mtime=0
        ) as compressed,
        tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
    ):
        yield archive
