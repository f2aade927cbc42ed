"""Unpacks an uploaded archive into a new folder, checking every entry before it is written.

Links, devices and paths that lead out are refused, and so is an archive that unpacks to too much.
No link is ever made, so no path of the server leads through a stranger's link. This runs in a
separate process (:mod:`polynya_tournaments.uploads.examination`), which makes its sentences
printable, so it imports little.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Final

from polynya_common.reasons import Reason
from polynya_tournaments.uploads.archive_entries import Entry, Kind, entries
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.foreign_trees import remove_tree
from polynya_tournaments.uploads.manifest_text import MANIFEST, MOST_BYTES

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


def check(archive: BinaryIO, limits: Limits) -> bytes | None:
    """Read all of an archive as :func:`unpack` does, and write nothing; see there."""
    _check_length(archive, limits)
    unpacker = _Unpacker(None, limits)
    unpacker.unpack(archive)
    return unpacker.manifest


def unpack(archive: BinaryIO, folder: Path, limits: Limits) -> bytes | None:
    """Unpack an archive.

    A single folder around everything, as many programs make it, is left out. Files are readable for
    everybody, executable as in the archive, and have no further rights.

    Args:
        archive: a ZIP or tar.gz file, opened.
        folder: which must not exist; when an archive is refused it is not there.
        limits: what may be in it.

    Returns:
        the text of its manifest; None if it has none.

    Raises:
        UploadError: it is refused; the message names the entry and says why.
        OSError: the folder cannot be written.
    """
    beside = folder.with_name(f"{folder.name}{UNPACKING}")
    remove_tree(beside)
    try:
        beside.mkdir(parents=True)
        _check_length(archive, limits)
        unpacker = _Unpacker(beside, limits)
        unpacker.unpack(archive)
        (beside / unpacker.outer_folder).rename(folder)
    finally:
        remove_tree(beside)
    return unpacker.manifest


def _check_length(archive: BinaryIO, limits: Limits) -> None:
    length = archive.seek(0, os.SEEK_END)
    if length > limits.packed_bytes:
        raise UploadError(Reason.of("archive_too_long", size=length, most=limits.packed_bytes))


class _Unpacker:
    """Writes the entries of one archive.

    Attributes:
        _folder: where; None for nowhere.
        _written: how many bytes the files have until now.
        _files, _folders: the paths that were written, to refuse a second one of a name.
        _manifests: the beginning of each file that could be the manifest.
    """

    def __init__(self, folder: Path | None, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._written = 0
        self._manifests: dict[PurePosixPath, bytes] = {}
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
                raise UploadError(Reason.of("archive_too_many_entries", most=self._limits.entries))
            self._write(entry)
        if not self._files:
            raise UploadError(Reason.of("archive_empty"))

    @property
    def outer_folder(self) -> PurePosixPath:
        """The only folder at the top, if there is nothing else; else the top itself."""
        tops = {path.parts[0] for path in (*self._files, *self._folders) if path.parts}
        only = PurePosixPath(min(tops))
        return only if len(tops) == 1 and only in self._folders else PurePosixPath()

    @property
    def manifest(self) -> bytes | None:
        """The text of the manifest, up to a byte more than it may have; None for none."""
        return self._manifests.get(self.outer_folder / MANIFEST)

    def _write(self, entry: Entry) -> None:
        path = _checked_path(entry.name)
        if entry.kind is Kind.FOLDER:
            self._make_folder(path)
        elif entry.kind is Kind.FILE:
            self._write_file(path, entry)
        elif entry.kind is Kind.LINK:
            raise UploadError(Reason.of("path_is_link", path=entry.name))
        else:
            raise UploadError(Reason.of("path_is_special", path=entry.name))

    def _make_folder(self, path: PurePosixPath) -> None:
        for each in (*reversed(path.parents), path):
            if each in self._files:
                raise UploadError(Reason.of("path_file_and_folder", path=str(each)))
            if each not in self._folders:
                if self._folder is not None:
                    (self._folder / each).mkdir(mode=0o755)
                self._folders.add(each)
                if len(self._folders) > self._limits.entries:
                    raise UploadError(
                        Reason.of("archive_too_many_folders", most=self._limits.entries)
                    )

    def _write_file(self, path: PurePosixPath, entry: Entry) -> None:
        if path in self._files or path in self._folders:
            raise UploadError(Reason.of("path_twice", path=str(path)))
        self._make_folder(path.parent)
        self._files.add(path)
        kept = bytearray() if path.name == MANIFEST and len(path.parts) <= 2 else None
        with self._new_file(path, entry) as target:
            for chunk in entry.chunks:
                self._written += len(chunk)
                if self._written > self._limits.unpacked_bytes:
                    raise UploadError(
                        Reason.of("archive_unpacks_too_long", most=self._limits.unpacked_bytes)
                    )
                target.write(chunk)
                if kept is not None:
                    kept += chunk[: MOST_BYTES + 1 - len(kept)]
        if kept is not None:
            self._manifests[path] = bytes(kept)

    def _new_file(self, path: PurePosixPath, entry: Entry) -> IO[bytes]:
        if self._folder is None:
            return open(os.devnull, "wb")
        mode = 0o755 if entry.executable else 0o644
        descriptor = os.open(self._folder / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        return open(descriptor, "wb")


def _checked_path(name: str) -> PurePosixPath:
    """The path of an entry, below the folder.

    Raises:
        UploadError: it leads elsewhere, or some system could not write it.
    """
    shown = name[:_LONGEST_PATH]
    if len(name) > _LONGEST_PATH:
        raise UploadError(
            Reason.of("path_too_long", count=len(name), most=_LONGEST_PATH, path=shown)
        )
    if not name.isprintable() or "\\" in name:
        raise UploadError(Reason.of("path_characters", path=shown))
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts:
        raise UploadError(Reason.of("path_outside", path=shown))
    if len(path.parts) > _DEEPEST:
        raise UploadError(Reason.of("path_too_deep", path=shown, most=_DEEPEST))
    if any(len(part.encode()) > _LONGEST_PART for part in path.parts):
        raise UploadError(Reason.of("path_part_too_long", path=shown, most=_LONGEST_PART))
    return path
