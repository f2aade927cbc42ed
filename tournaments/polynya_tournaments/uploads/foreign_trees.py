"""Walks and removes folders that strangers have filled, without recursion and within bounds.

Each folder is opened by its name in its parent, and never through a link, so a path of any depth or
of any characters works, and no file outside is reached.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from polynya_common.reasons import Reason

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
        status: its own, not that of the target of a link.
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
                raise TreeTooLargeError(Reason.of("build_too_deep", most=deepest))
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
        """The sum of the entries that were added."""
        return TreeSize(self._bytes, self._entries)

    def add(self, status: os.stat_result) -> None:
        """Add an entry.

        Raises:
            TreeTooLargeError: it is too much now.
        """
        self._entries += 1
        if self._entries > self._bounds.entries:
            raise TreeTooLargeError(Reason.of("build_too_many_files", most=self._bounds.entries))
        if not stat.S_ISREG(status.st_mode):
            return
        if status.st_nlink > 1:
            inode = (status.st_dev, status.st_ino)
            if inode in self._several:
                return
            self._several.add(inode)
        self._bytes += max(status.st_size, status.st_blocks * _BLOCK)
        if self._bytes > self._bounds.bytes:
            mebibytes = self._bounds.bytes // 2**20
            raise TreeTooLargeError(Reason.of("build_folder_full", mebibytes=mebibytes))


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

    Nothing that a stranger started may run in it any more: the way up is by ``..``.
    """
    with suppress(OSError):  # it is not there, or no folder
        _empty(_opened_to_change(str(folder), None))
        folder.rmdir()


@dataclass
class _Level:
    """A folder that is being emptied.

    Attributes:
        name: in the folder above.
        inode: of it, by which it is known again.
        folders: in it, which are still to be removed.
    """

    name: str
    inode: tuple[int, int]
    folders: list[str]


def _empty(folder: int) -> None:
    """Empty a folder; its descriptor is closed."""
    levels = [_Level("", _inode(folder), _without_files(folder))]
    try:
        while levels:
            if levels[-1].folders:
                name = levels[-1].folders.pop()
                with suppress(OSError):
                    inner = _opened_to_change(name, folder)
                    os.close(folder)
                    folder = inner
                    levels.append(_Level(name, _inode(folder), _without_files(folder)))
                continue
            done = levels.pop()
            if levels:
                above = os.open("..", _FOLDER, dir_fd=folder)
                os.close(folder)
                folder = above
                if _inode(folder) != levels[-1].inode:
                    raise OSError(f"{done.name} lies elsewhere now")
                with suppress(OSError):
                    os.rmdir(done.name, dir_fd=folder)
    finally:
        os.close(folder)


def _inode(folder: int) -> tuple[int, int]:
    status = os.fstat(folder)
    return status.st_dev, status.st_ino


def _without_files(folder: int) -> list[str]:
    """Remove what lies in a folder and is none; the names of the folders."""
    folders: set[str] = set()
    kept: set[str] = set()
    while True:
        with os.scandir(folder) as scan:
            fresh = (
                entry for entry in scan if entry.name not in folders and entry.name not in kept
            )
            found = [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in islice(fresh, _AT_ONCE)
            ]
        if not found:
            return list(folders)
        for name, is_folder in found:
            if is_folder:
                folders.add(name)
                continue
            try:
                os.unlink(name, dir_fd=folder)
            except OSError:
                kept.add(name)


def _opened_to_change(name: str, folder: int | None) -> int:
    """A descriptor of a folder in which we may remove."""
    opened = _opened(name, folder)
    if os.geteuid() != 0:
        with suppress(OSError):  # it is not ours
            os.fchmod(opened, 0o700)
    return opened
