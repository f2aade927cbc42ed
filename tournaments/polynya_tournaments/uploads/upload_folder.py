"""Manages the folder of uploads: archives by their SHA-256, and the programs built from them.

``archives/SHA`` is an archive as it came; it is written under another name first, so that what has
its name is whole, also after ``kill -9`` at any moment. ``programs`` has a folder for each build,
because a built program may hold its own path; only those that the database names are whole.

Several processes may use a folder: a server, tournaments, commands. No process may remove a program
that another needs, so the files in ``locks`` are locked (``flock``), which ``kill -9`` undoes.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import BinaryIO, Final

from polynya_common.errors import RunError
from polynya_tournaments.uploads.archives.unpacking import UNPACKING
from polynya_tournaments.uploads.foreign_trees import TreeBounds, remove_tree, size_up_to

_LOOKED_AT: Final = TreeBounds(bytes=2**50, entries=1_000_000, depth=1_000)

_UNFINISHED: Final = "unfinished"


class UploadFolder:
    """A folder of uploads.

    Args:
        path: where it is.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._archives = path / "archives"
        self._programs = path / "programs"
        self._unfinished = path / _UNFINISHED
        self._locks = path / "locks"

    @property
    def logs(self) -> Path:
        """Where bots that play write."""
        return self._path / "logs"

    def prepare(self) -> None:
        """Make it if it is missing, and remove what a killed server was writing.

        Raises:
            RunError: it cannot be written.
        """
        try:
            with _locked(self._locks / _UNFINISHED, exclusive=True) as alone:
                if alone:
                    remove_tree(self._unfinished)
            for folder in (self._archives, self._programs, self._unfinished, self._locks):
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
        with self.copied(archive) as (copy, sha256):
            self.keep_copy(copy, sha256)
        return sha256

    @contextmanager
    def copied(self, archive: BinaryIO) -> Iterator[tuple[Path, str]]:
        """A copy of an archive on the disk, and its SHA-256; gone afterwards if it is not kept.

        Raises:
            OSError: it cannot be read or written.
        """
        with self.temporary() as folder:
            copy = folder / "archive"
            yield copy, _copy_to_disk(archive, copy)

    def keep_copy(self, copy: Path, sha256: str) -> None:
        """Keep a copy of an archive, durably."""
        copy.rename(self.archive(sha256))
        _sync_folder(self._archives)

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

    def program_bytes(self, name: str) -> int:
        """How much of the disk a program takes; at least, if it is too large to look at all."""
        return size_up_to(self.program(name), _LOOKED_AT)

    def remove_program(self, name: str) -> None:
        """Remove a built program, if it exists."""
        for path in (self.program(name), self.program(f"{name}{UNPACKING}")):
            remove_tree(path)

    def archives(self) -> list[str]:
        """The SHA-256 of all stored archives."""
        return sorted(path.name for path in self._archives.iterdir())

    def programs(self) -> list[str]:
        """The names of all programs, including unfinished ones."""
        return sorted({path.name.removesuffix(UNPACKING) for path in self._programs.iterdir()})

    def archive_bytes(self, sha256: str) -> int:
        """How long an archive is; 0 if it is gone."""
        path = self.archive(sha256)
        return path.stat().st_size if path.exists() else 0

    def remove_archive(self, sha256: str) -> None:
        """Remove an archive, if it exists; call it within :meth:`shrinking`."""
        self.archive(sha256).unlink(missing_ok=True)

    @contextmanager
    def growing(self) -> Iterator[None]:
        """Prevent removal of archives until the context exits: one is stored, then recorded."""
        with _locked(self._locks / "archives", exclusive=False):
            yield

    @contextmanager
    def shrinking(self) -> Iterator[bool]:
        """Prevent storing of archives until the context exits; False if one is being stored."""
        with _locked(self._locks / "archives", exclusive=True) as alone:
            yield alone

    @contextmanager
    def using(self, program: str) -> Iterator[None]:
        """Prevent removal of a program until the context exits, while it is built or runs."""
        with _locked(self._locks / program, exclusive=False):
            yield

    @contextmanager
    def unused(self, program: str) -> Iterator[bool]:
        """Prevent use of a program until the context exits; False if it is in use."""
        with _locked(self._locks / program, exclusive=True) as alone:
            yield alone

    @contextmanager
    def claimed(self, sha256: str) -> Iterator[bool]:
        """No other server builds an archive while the block lasts; False if one does now."""
        with _locked(self._locks / f"build-{sha256}", exclusive=True) as alone:
            yield alone

    @contextmanager
    def temporary(self) -> Iterator[Path]:
        """A folder on the same disk, which is gone afterwards."""
        with _locked(self._locks / _UNFINISHED, exclusive=False):
            made = Path(tempfile.mkdtemp(dir=self._unfinished))
            try:
                yield made
            finally:
                remove_tree(made)


@contextmanager
def _locked(path: Path, *, exclusive: bool) -> Iterator[bool]:
    """Lock a file, shared or exclusive, until the context exits.

    A shared lock waits; an exclusive one does not: False if the file is locked already.
    """
    try:
        import fcntl
    except ImportError:  # Windows, where nothing is hosted
        yield True
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB if exclusive else fcntl.LOCK_SH)
        except BlockingIOError:
            yield False
            return
        yield True


def _copy_to_disk(source: BinaryIO, target: Path) -> str:
    """Copy a file to the disk; return its SHA-256 in hexadecimal."""
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
