"""The folder of uploads: archives by their SHA-256, and the programs that were built of them.

``archives/SHA`` is an archive as it came; it is written under another name first, so that what has
its name is whole, also after ``kill -9`` at any moment. ``programs`` has a folder for each build,
because a built program may hold its own path; only those that the database names are whole.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO

from polynya_tournaments.errors import RunError


class UploadFolder:
    """A folder of uploads.

    Args:
        path: where it is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._archives = path / "archives"
        self._programs = path / "programs"
        self._unfinished = path / "unfinished"

    def prepare(self) -> None:
        """Make it if it is missing, and remove what a killed server was writing.

        Raises:
            RunError: it cannot be written.
        """
        try:
            shutil.rmtree(self._unfinished, ignore_errors=True)
            for folder in (self._archives, self._programs, self._unfinished):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            why = error.strerror
            raise RunError(f"the folder {self._path} cannot be written: {why}") from error

    def keep(self, archive: BinaryIO) -> str:
        """Keep an archive, durably.

        Args:
            archive: a file, opened, which is copied.

        Returns:
            its SHA-256 in hexadecimal.

        Raises:
            OSError: it cannot be read or written.
        """
        with self.temporary() as folder:
            copied = folder / "archive"
            digest = _copy_to_disk(archive, copied)
            copied.rename(self.archive(digest))
            _sync_folder(self._archives)
        return digest

    def archive(self, sha256: str) -> Path:
        """Where an archive is."""
        return self._archives / sha256

    def program(self, name: str) -> Path:
        """Where a program was built, and is played from."""
        return self._programs / name

    def new_program(self, sha256: str) -> str:
        """The name of a folder for a build of an archive; there is none of this name."""
        names = (f"{sha256[:16]}-{number}" for number in count(1))
        return next(name for name in names if not self.program(name).exists())

    def remove_program(self, name: str) -> None:
        """Remove what was built, if it is there."""
        shutil.rmtree(self.program(name), ignore_errors=True)

    def keep_programs(self, names: Collection[str]) -> None:
        """Remove all that was built but these."""
        for path in self._programs.iterdir():
            if path.name not in names:
                self.remove_program(path.name)

    @contextmanager
    def temporary(self) -> Iterator[Path]:
        """A folder on the same disk, which is gone afterwards."""
        made = Path(tempfile.mkdtemp(dir=self._unfinished))
        try:
            yield made
        finally:
            shutil.rmtree(made, ignore_errors=True)


def _copy_to_disk(source: BinaryIO, target: Path) -> str:
    """Copy a file to the disk; its SHA-256 in hexadecimal."""
    source.seek(0)
    with target.open("xb") as copy:
        shutil.copyfileobj(source, copy)
        copy.flush()
        os.fsync(copy.fileno())
    with target.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
