"""Copies a build's files between a size-limited file system and the folder outside.

The guard (:mod:`polynya_hosting.bots.guard`) loads this in a sandbox: the file system bounds what
commands write, also into files that they unlink and hold open. Only the guard has the descriptor of
the folder outside. From there it copies the files before a command, and back when the command has
succeeded and none of its processes is left, so that no process changes files while they are copied.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_DEPTH = 100
"""Maximum depth of nested folders: a descriptor is open for each."""

_MIB = 1024 * 1024
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
_WRITE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW


class OverLimitError(Exception):
    """A folder exceeds a limit; the message is as :attr:`WorkFolder.limit`."""


class WorkFolder:
    """The working directory, which is a separate file system, and the folder outside.

    Args:
        outside: a descriptor of the folder outside.
        entries: maximum number of files and folders.

    Attributes:
        limit: how commands hit a limit, as a reason's code and its field's value; empty if they
            did not.
    """

    def __init__(self, outside: int, entries: int) -> None:
        os.set_inheritable(outside, False)
        self.limit = ""
        self._outside = outside
        self._inside = os.open(".", _FOLDER)
        self._entries = entries
        system = os.fstatvfs(self._inside)
        self._bytes = system.f_blocks * system.f_frsize
        self._inodes = system.f_files - system.f_ffree

    def copy_in(self) -> bool:
        """Copy the files in from outside; return whether they fit."""
        return self._copied(self._outside, self._inside, clear=False)

    def copy_out(self) -> bool:
        """Replace the files outside by its own; return whether they are within the limits."""
        os.fchmod(self._inside, 0o700)  # commands may have closed it
        return self._copied(self._inside, self._outside, clear=True)

    def is_over(self) -> bool:
        """Whether commands have used up the space, or made too many files."""
        system = os.fstatvfs(self._inside)
        if system.f_bavail == 0:
            self.limit = _full(self._bytes)
        elif system.f_files - system.f_ffree - self._inodes > self._entries:
            self.limit = self._too_many()
        return bool(self.limit)

    def _too_many(self) -> str:
        return f"build_too_many_files {self._entries}"

    def _copied(self, source: int, target: int, *, clear: bool) -> bool:
        try:
            if clear:
                _clear(target)
            _Copy(self._bytes, self._entries, self._too_many()).copy(source, target)
        except OverLimitError as error:
            self.limit = str(error)
        except OSError as error:
            self.limit = f"build_files_unkept {error.errno}"
        return not self.limit


class _Copy:
    """Copies a tree, up to a maximum of bytes and of entries."""

    def __init__(self, most_bytes: int, most_entries: int, too_many: str) -> None:
        self._most_bytes = self._room = most_bytes
        self._entries = most_entries
        self._too_many = too_many

    def copy(self, source: int, target: int) -> None:
        """Copy the contents of a folder into an empty one; both are given by descriptors."""
        targets = [target]
        try:
            for entry in walk(source):
                if entry.is_left:
                    inner = targets.pop()
                    os.utime(inner, ns=_times(entry.found))
                    os.close(inner)
                else:
                    self._copy_entry(entry, targets)
        finally:
            for inner in targets[1:]:
                os.close(inner)

    def _copy_entry(self, entry: Entry, targets: list[int]) -> None:
        self._entries -= 1
        if self._entries < 0:
            raise OverLimitError(self._too_many)
        target, name, kind = targets[-1], entry.name, stat.S_IFMT(entry.found.st_mode)
        if kind == stat.S_IFDIR:
            os.mkdir(name, 0o755, dir_fd=target)
            targets.append(os.open(name, _FOLDER, dir_fd=target))
        elif kind == stat.S_IFREG:
            self._copy_file(entry, target)
        elif kind == stat.S_IFLNK:  # pipes, sockets and devices are not kept
            os.symlink(os.readlink(name, dir_fd=entry.folder), name, dir_fd=target)

    def _copy_file(self, entry: Entry, target: int) -> None:
        left = entry.found.st_size  # copied once per name: hard links become separate files
        self._room -= left
        if self._room < 0:
            raise OverLimitError(_full(self._most_bytes))
        read = _opened(entry, _READ, 0o600)
        try:
            mode = 0o755 if entry.found.st_mode & stat.S_IXUSR else 0o644
            write = os.open(entry.name, _WRITE, mode, dir_fd=target)
            try:
                os.fchmod(write, mode)
                while left and (done := os.sendfile(write, read, None, left)):
                    left -= done
                os.utime(write, ns=_times(entry.found))
            finally:
                os.close(write)
        finally:
            os.close(read)


def _full(most_bytes: int) -> str:
    return f"build_folder_full {most_bytes // _MIB}"


class Entry(NamedTuple):
    """An entry of a folder.

    Attributes:
        folder: the descriptor of the folder.
        name: its name there.
        found: its type and size; a link is not followed.
        is_left: whether it is a folder whose entries have all been visited.
    """

    folder: int
    name: str
    found: os.stat_result
    is_left: bool = False


def walk(top: int) -> Iterator[Entry]:
    """Walk through a folder's entries, recursively; yields a folder before and after its entries.

    Args:
        top: the folder, by its descriptor, which stays open.

    Raises:
        OverLimitError: folders lie in each other deeper than they may.
    """
    left: list[tuple[int, list[str]]] = [(top, os.listdir(top))]
    inside: list[Entry] = []
    try:
        while True:
            folder, names = left[-1]
            if names:
                name = names.pop()
                entry = Entry(folder, name, os.stat(name, dir_fd=folder, follow_symlinks=False))
                yield entry
                if stat.S_ISDIR(entry.found.st_mode):
                    if len(inside) == MOST_DEPTH:
                        raise OverLimitError(f"build_too_deep {MOST_DEPTH}")
                    inner = _opened(entry, _FOLDER, 0o700)
                    left.append((inner, []))
                    inside.append(entry)
                    left[-1][1].extend(os.listdir(inner))
            elif inside:
                os.close(left.pop()[0])
                yield inside.pop()._replace(is_left=True)
            else:
                return
    finally:
        for inner, _ in left[1:]:
            os.close(inner)


def _opened(entry: Entry, flags: int, rights: int) -> int:
    """Open an entry, also if its owner has taken away their own rights."""
    if entry.found.st_mode & rights != rights:
        os.chmod(entry.name, rights, dir_fd=entry.folder)
    return os.open(entry.name, flags, dir_fd=entry.folder)


def _clear(folder: int) -> None:
    """Remove all that is in a folder."""
    for entry in walk(folder):
        if entry.is_left:
            os.rmdir(entry.name, dir_fd=entry.folder)
        elif not stat.S_ISDIR(entry.found.st_mode):
            os.unlink(entry.name, dir_fd=entry.folder)


def _times(found: os.stat_result) -> tuple[int, int]:
    return found.st_atime_ns, found.st_mtime_ns
