"""Folders that strangers have filled: walked and removed without recursion, and within bounds.

Each folder is opened by its name in the one above it, and never through a link, so a path of any
depth or of any characters works, and nothing outside is reached.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

# Windows has none of them, and hosts nothing.
ITSELF: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Opens an entry and not what it links to, and does not wait for another end of it."""
_FOLDER: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | ITSELF
_ONLY_NAMED: Final = getattr(os, "O_PATH", 0) | _FOLDER
_AT_ONCE: Final = 10_000
_BLOCK: Final = 512


@dataclass(frozen=True)
class TreeBounds:
    """How much may be in a folder.

    Attributes:
        bytes: of all files, each as long as it says or as it takes on the disk, if that is more.
        entries: files, folders and everything else.
        depth: how many folders lie in each other.
    """

    bytes: int = 2 * 2**30
    entries: int = 100_000
    depth: int = 100


class TreeSize(NamedTuple):
    """How much is in a folder: bytes as of :class:`TreeBounds`, and entries."""

    bytes: int
    entries: int


class TreeTooLargeError(Exception):
    """A folder is beyond a bound; the message says which, as in ``made more than 10 files``."""


class Found(NamedTuple):
    """An entry of a folder.

    Attributes:
        folder: a descriptor of the folder that it lies in, until the next one is asked for.
        name: of the entry in that folder.
        status: its own, not that of what it links to.
    """

    folder: int
    name: str
    status: os.stat_result


def walk(folder: Path, deepest: int) -> Iterator[Found]:
    """All entries of a folder and of those in it, each before what lies in it.

    Entries that go away meanwhile are left out.

    Args:
        folder: where to begin.
        deepest: how many folders may lie in each other.

    Raises:
        TreeTooLargeError: more do.
        OSError: the folder itself cannot be read.
    """
    opened: list[int] = []
    waiting: list[list[str]] = [[str(folder)]]
    try:
        while waiting:
            if not waiting[-1]:
                waiting.pop()
                if opened:
                    os.close(opened.pop())
                continue
            name = waiting[-1].pop()
            if len(opened) > deepest:
                raise TreeTooLargeError(f"made more than {deepest} folders in each other")
            try:
                opened.append(_opened(name, opened[-1] if opened else None))
            except OSError:
                if not opened:
                    raise
                continue
            inside: list[str] = []
            waiting.append(inside)
            for found in _entries(opened[-1]):
                if stat.S_ISDIR(found.status.st_mode):
                    inside.append(found.name)
                yield found
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _entries(folder: int) -> Iterator[Found]:
    with os.scandir(folder) as scan:
        for entry in scan:
            with suppress(OSError):  # it is gone by now
                yield Found(folder, entry.name, entry.stat(follow_symlinks=False))


def _opened(name: str, folder: int | None) -> int:
    """A descriptor of a folder, made readable for us if it is ours and is not."""
    try:
        return os.open(name, _FOLDER, dir_fd=folder)
    except PermissionError:
        known = os.open(name, _ONLY_NAMED, dir_fd=folder)
        try:
            os.chmod(f"/proc/self/fd/{known}", 0o700)
        finally:
            os.close(known)
        return os.open(name, _FOLDER, dir_fd=folder)


class Measure:
    """Adds up what is in a folder; a file with several names counts once.

    Args:
        bounds: which it must not exceed.
    """

    def __init__(self, bounds: TreeBounds) -> None:
        self._bounds = bounds
        self._several: set[tuple[int, int]] = set()
        self._bytes = self._entries = 0

    @property
    def size(self) -> TreeSize:
        """What has been added."""
        return TreeSize(self._bytes, self._entries)

    def add(self, status: os.stat_result) -> None:
        """Add an entry.

        Raises:
            TreeTooLargeError: it is too much now.
        """
        self._entries += 1
        if self._entries > self._bounds.entries:
            raise TreeTooLargeError(f"made more than {self._bounds.entries:,} files")
        if not stat.S_ISREG(status.st_mode):
            return
        if status.st_nlink > 1:
            inode = (status.st_dev, status.st_ino)
            if inode in self._several:
                return
            self._several.add(inode)
        self._bytes += max(status.st_size, status.st_blocks * _BLOCK)
        if self._bytes > self._bounds.bytes:
            size = f"{self._bounds.bytes // 2**20:,} MiB"
            raise TreeTooLargeError(f"filled its folder with more than {size}")


def measured(folder: Path, bounds: TreeBounds) -> TreeSize:
    """How much is in a folder.

    Raises:
        TreeTooLargeError: more than may be.
        OSError: it cannot be read.
    """
    measure = Measure(bounds)
    for found in walk(folder, bounds.depth):
        measure.add(found.status)
    return measure.size


def size_up_to(folder: Path, bounds: TreeBounds) -> int:
    """How many bytes are in a folder, as far as it is within bounds; 0 if it is not there."""
    measure = Measure(bounds)
    with suppress(TreeTooLargeError, OSError):
        for found in walk(folder, bounds.depth):
            measure.add(found.status)
    return measure.size.bytes


def remove_tree(folder: Path) -> None:
    """Remove a folder with all that is in it, of any depth, as far as that is possible.

    Folders in folders are moved to the top first, so nothing has to be remembered but their names.
    """
    with suppress(OSError):  # it is not there, or no folder
        with _open_folder(str(folder), None) as top:
            _Remover(top).empty()
        folder.rmdir()


class _Remover:
    """Empties one folder.

    Attributes:
        _waiting: names of folders at its top that are to be removed.
        _prefix: of names that are given to folders here; nobody can have foreseen it.
    """

    def __init__(self, top: int) -> None:
        self._top = top
        self._waiting: list[str] = []
        self._prefix = f".{secrets.token_hex(8)}-"
        self._moved = 0

    def empty(self) -> None:
        """Remove all that is in it."""
        self._empty(self._top)
        while self._waiting:
            name = self._waiting.pop()
            with suppress(OSError):
                with _open_folder(name, self._top) as folder:
                    self._empty(folder)
                os.rmdir(name, dir_fd=self._top)

    def _empty(self, folder: int) -> None:
        known: set[str] = set()  # at the top they stay
        while True:
            with os.scandir(folder) as scan:
                names = [entry.name for entry in islice(scan, len(known) + _AT_ONCE)]
            left = [name for name in names if name not in known]
            if not left:
                return
            for name in left:
                if not self._remove(name, folder):
                    known.add(name)

    def _remove(self, name: str, folder: int) -> bool:
        """Remove an entry, or a folder from where it lies; False if it still lies there."""
        try:
            if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
                os.unlink(name, dir_fd=folder)
                return True
            if folder == self._top:
                self._waiting.append(name)
                return False
            moved = f"{self._prefix}{self._moved}"
            self._moved += 1
            with _open_folder(name, folder):  # makes it writable: its ".." changes
                os.rename(name, moved, src_dir_fd=folder, dst_dir_fd=self._top)
            self._waiting.append(moved)
        except OSError:
            return False
        return True


@contextmanager
def _open_folder(name: str, folder: int | None) -> Iterator[int]:
    """A folder that we may change, for as long as the block lasts."""
    opened = _opened(name, folder)
    try:
        if os.geteuid() != 0:
            os.fchmod(opened, 0o700)
        yield opened
    finally:
        os.close(opened)
