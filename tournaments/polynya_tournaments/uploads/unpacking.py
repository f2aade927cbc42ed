"""Unpacking an uploaded archive into a new folder: every entry is checked before it is written.

Links, devices and paths that lead out are refused, and so is an archive that unpacks to too much.
No link is ever made, so that no path of ours leads through one of theirs.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Final

from polynya_protocol.errors import printable
from polynya_tournaments.uploads.archive_entries import Entry, Kind, entries
from polynya_tournaments.uploads.errors import UploadError

_LONGEST_PATH: Final = 240
_LONGEST_PART: Final = 200
"""In bytes; what a file system takes is 255."""
_DEEPEST: Final = 32
UNPACKING: Final = ".unpacking"
"""The end of the name of a folder that is not complete yet."""


@dataclass(frozen=True)
class Limits:
    """The limits of an archive.

    Attributes:
        packed_bytes: its own length.
        unpacked_bytes: of all of its files together.
        entries: how many files and folders.
    """

    packed_bytes: int = 50 * 2**20
    unpacked_bytes: int = 500 * 2**20
    entries: int = 20_000


def unpack(archive: BinaryIO, folder: Path, limits: Limits) -> None:
    """Unpack an archive.

    A single folder around everything, as many programs make it, is left out. Files are readable for
    everybody, executable as in the archive, and have no further rights.

    Args:
        archive: a ZIP or tar.gz file, opened.
        folder: which must not exist; when an archive is refused it is not there.
        limits: what may be in it.

    Raises:
        UploadError: it is refused; the message names the entry and says why.
        OSError: the folder cannot be written.
    """
    beside = folder.with_name(f"{folder.name}{UNPACKING}")
    shutil.rmtree(beside, ignore_errors=True)
    try:
        beside.mkdir(parents=True)
        _check_length(archive, limits)
        _Unpacker(beside, limits).unpack(archive)
        _without_outer_folder(beside).rename(folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _check_length(archive: BinaryIO, limits: Limits) -> None:
    length = archive.seek(0, os.SEEK_END)
    if length > limits.packed_bytes:
        raise UploadError(
            f"the archive has {length:,} bytes; the most is {limits.packed_bytes:,}: "
            "leave out build products and data that the program does not need"
        )


def _without_outer_folder(folder: Path) -> Path:
    """The only folder in it, if there is nothing else; itself otherwise."""
    inside = list(folder.iterdir())
    return inside[0] if len(inside) == 1 and inside[0].is_dir() else folder


class _Unpacker:
    """Writes the entries of one archive.

    Attributes:
        _written: how many bytes the files have until now.
        _files, _folders: the paths that were written, to refuse a second one of a name.
    """

    def __init__(self, folder: Path, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._written = 0
        self._files: set[PurePosixPath] = set()
        self._folders: set[PurePosixPath] = {PurePosixPath()}

    def unpack(self, archive: BinaryIO) -> None:
        """Write all of them.

        Raises:
            UploadError: one is refused, or they are too much.
        """
        most_bytes = (
            self._limits.unpacked_bytes + self._limits.entries * 2**12
        )  # with tar's headers
        found = entries(archive, self._limits.entries, most_bytes)
        for count, entry in enumerate(found, start=1):
            if count > self._limits.entries:
                raise UploadError(f"the archive has more than {self._limits.entries:,} entries")
            self._write(entry)
        if not self._files:
            raise UploadError("the archive is empty")

    def _write(self, entry: Entry) -> None:
        path = _checked_path(entry.name)
        if entry.kind is Kind.FOLDER:
            self._make_folder(path)
        elif entry.kind is Kind.FILE:
            self._write_file(path, entry)
        else:
            what = f"{printable(entry.name)} is {entry.kind.value}"
            raise UploadError(f"{what}: an upload has files and folders only")

    def _make_folder(self, path: PurePosixPath) -> None:
        for each in (*reversed(path.parents), path):
            if each in self._files:
                raise UploadError(f"{printable(str(each))} is a file and a folder at once")
            if each not in self._folders:
                (self._folder / each).mkdir(mode=0o755)
                self._folders.add(each)
                if len(self._folders) > self._limits.entries:
                    raise UploadError(f"the archive has more than {self._limits.entries:,} folders")

    def _write_file(self, path: PurePosixPath, entry: Entry) -> None:
        if path in self._files or path in self._folders:
            raise UploadError(f"{printable(str(path))} is in the archive twice")
        self._make_folder(path.parent)
        mode = 0o755 if entry.executable else 0o644
        descriptor = os.open(self._folder / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        self._files.add(path)
        with open(descriptor, "wb") as target:
            for chunk in entry.chunks:
                self._written += len(chunk)
                if self._written > self._limits.unpacked_bytes:
                    raise UploadError(
                        f"the archive unpacks to more than {self._limits.unpacked_bytes:,} bytes"
                    )
                target.write(chunk)


def _checked_path(name: str) -> PurePosixPath:
    """The path of an entry, below the folder.

    Raises:
        UploadError: it leads elsewhere, or some system could not write it.
    """
    shown = printable(name[:_LONGEST_PATH])
    if len(name) > _LONGEST_PATH:
        raise UploadError(
            f"a path has {len(name)} characters; the most is {_LONGEST_PATH}: {shown}"
        )
    if not name.isprintable() or "\\" in name:
        raise UploadError(f"{shown} has a backslash or a control character in its path")
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise UploadError(f"{shown} leads out of the archive's folder")
    if len(path.parts) > _DEEPEST:
        raise UploadError(f"{shown} lies more than {_DEEPEST} folders deep")
    if any(len(part.encode()) > _LONGEST_PART for part in path.parts):
        raise UploadError(f"a part of the path {shown} is longer than {_LONGEST_PART} bytes")
    return path
