"""Unpacks an uploaded archive into a new folder, checking every entry before it is written.

Devices and paths that lead out are refused, and so is an archive that unpacks to too much. Links
are made when all else is written, so that no path of ours leads through one of theirs. This runs in
a process of its own (:mod:`polynya_tournaments.uploads.examination`), which makes its sentences
printable, so it imports little.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Final, NamedTuple

from polynya_common.reasons import Reason
from polynya_tournaments.uploads.archives.archive_entries import Entry, Kind, entries
from polynya_tournaments.uploads.archives.archive_names import composed, is_litter, is_manifest_like
from polynya_tournaments.uploads.archives.links import leads_out
from polynya_tournaments.uploads.archives.manifest_text import MANIFEST, MOST_BYTES
from polynya_tournaments.uploads.archives.notes import Note, Notes
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.foreign_trees import remove_tree

_LONGEST_PATH: Final = 240
_LONGEST_PART: Final = 200
"""In bytes; what a file system takes is 255."""
_DEEPEST: Final = 32
_MOST_LIKE: Final = 10
_BEGINNING: Final = 128
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


class UnpackedFile(NamedTuple):
    """A file of an upload.

    Attributes:
        runs: whether the archive says that it may be run.
        begins: its first line with its end, or the beginning of that.
    """

    runs: bool
    begins: bytes


@dataclass(frozen=True)
class Unpacked:
    """The contents of an archive; paths begin in the program's folder.

    Attributes:
        manifest: the text of its manifest, up to a byte more than it may have; None if it has none.
        files: by their paths.
        links: their targets by their paths.
        like_manifest: paths of files that could be meant as its manifest.
        notes: what was done with it.
    """

    manifest: bytes | None
    files: Mapping[str, UnpackedFile]
    links: Mapping[str, str]
    like_manifest: tuple[str, ...]
    notes: Notes


def check(archive: BinaryIO, limits: Limits) -> Unpacked:
    """Read all of an archive as :func:`unpack` does, and write nothing; see there."""
    _check_length(archive, limits)
    return _Unpacker(None, limits).unpack(archive)


def unpack(archive: BinaryIO, folder: Path, limits: Limits) -> Unpacked:
    """Unpack an archive.

    A single folder around everything, as many programs make it, is left out, and so are the files
    of file managers. Files are readable for everybody, executable as in the archive, and have no
    further rights. Links that stay within the upload are kept.

    Args:
        archive: a ZIP or tar.gz file, opened.
        folder: which must not exist; when an archive is refused it is not there.
        limits: what may be in it.

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
        found = unpacker.unpack(archive)
        (beside / unpacker.outer_folder).rename(folder)
    finally:
        remove_tree(beside)
    return found


def _check_length(archive: BinaryIO, limits: Limits) -> None:
    length = archive.seek(0, os.SEEK_END)
    if length > limits.packed_bytes:
        raise UploadError(Reason.of("archive_too_long", size=length, most=limits.packed_bytes))


class _Unpacker:
    """Writes the entries of one archive.

    Attributes:
        _folder: where; None for nowhere.
        _written: how many bytes the files have until now.
        _files, _folders, _links: what was written, by its path, to refuse a second one of a name.
        _manifests: the beginning of each file that could be the manifest.
        _like_manifest: the paths of files that could be meant as one.
    """

    def __init__(self, folder: Path | None, limits: Limits) -> None:
        self._folder = folder
        self._limits = limits
        self._written = 0
        self._manifests: dict[PurePosixPath, bytes] = {}
        self._like_manifest: list[PurePosixPath] = []
        self._files: dict[PurePosixPath, UnpackedFile] = {}
        self._folders: set[PurePosixPath] = {PurePosixPath()}
        self._links: dict[PurePosixPath, str] = {}
        self._notes = Notes()

    def unpack(self, archive: BinaryIO) -> Unpacked:
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
            if is_litter(entry.name):
                self._notes.add(Note.LITTER, entry.name)
            else:
                self._write(entry)
        unpacked = self._unpacked()
        if not self._files:
            raise UploadError(Reason.of("archive_empty"))
        return unpacked

    @property
    def outer_folder(self) -> PurePosixPath:
        """The only folder at the top, if there is nothing else; else the top itself."""
        paths = (*self._files, *self._folders, *self._links)
        tops = {path.parts[0] for path in paths if path.parts}
        only = PurePosixPath(min(tops, default=""))
        return only if len(tops) == 1 and only in self._folders else PurePosixPath()

    def _unpacked(self) -> Unpacked:
        """Make the links; all that was unpacked."""
        outer = self.outer_folder
        links = {str(path.relative_to(outer)): target for path, target in self._links.items()}
        for path, target in links.items():
            if path == MANIFEST or leads_out(path, links):
                raise UploadError(Reason.of("path_is_link", path=path, target=target))
            if self._folder is not None:
                (self._folder / outer / path).symlink_to(target)
        return Unpacked(
            self._manifests.get(outer / MANIFEST),
            {str(path.relative_to(outer)): file for path, file in self._files.items()},
            links,
            tuple(str(path.relative_to(outer)) for path in self._like_manifest),
            self._notes,
        )

    def _write(self, entry: Entry) -> None:
        path = self._path(entry)
        match entry.kind:
            case Kind.FOLDER:
                self._make_folder(path)
            case Kind.FILE:
                self._write_file(path, entry)
            case Kind.LINK:
                self._note_new(path)
                self._links[path] = _checked_target(path, entry.target)
            case Kind.SECOND_NAME:
                self._write_second_name(path, entry.target)
            case Kind.SPECIAL:
                raise UploadError(Reason.of("path_is_special", path=entry.name))

    def _path(self, entry: Entry) -> PurePosixPath:
        """Where an entry is written: letters of its name are composed, unless that is taken."""
        path = _checked_path(entry.name)
        for note in entry.notes:
            self._notes.add(note, str(path))
        whole = PurePosixPath(composed(str(path)))
        if whole == path or whole in self._files or whole in self._links:
            return path
        self._notes.add(Note.COMPOSED, str(whole))
        return whole

    def _make_folder(self, path: PurePosixPath) -> None:
        for each in (*reversed(path.parents), path):
            if each in self._files or each in self._links:
                raise UploadError(Reason.of("path_file_and_folder", path=str(each)))
            if each not in self._folders:
                if self._folder is not None:
                    (self._folder / each).mkdir(mode=0o755)
                self._folders.add(each)
                if len(self._folders) > self._limits.entries:
                    raise UploadError(
                        Reason.of("archive_too_many_folders", most=self._limits.entries)
                    )

    def _note_new(self, path: PurePosixPath) -> None:
        """Begin a path that is no folder, in its folder."""
        if path in self._files or path in self._folders or path in self._links:
            raise UploadError(Reason.of("path_twice", path=str(path)))
        self._make_folder(path.parent)

    def _write_file(self, path: PurePosixPath, entry: Entry) -> None:
        self._note_new(path)
        if is_manifest_like(path.name) and len(self._like_manifest) < _MOST_LIKE:
            self._like_manifest.append(path)
        most_kept = MOST_BYTES + 1 if _may_be_manifest(path) else _BEGINNING
        kept = bytearray()
        with self._new_file(path, entry) as target:
            for chunk in entry.chunks:
                self._written += len(chunk)
                if self._written > self._limits.unpacked_bytes:
                    raise UploadError(
                        Reason.of("archive_unpacks_too_long", most=self._limits.unpacked_bytes)
                    )
                target.write(chunk)
                kept += chunk[: most_kept - len(kept)]
        begins, line_end, _ = bytes(kept[:_BEGINNING]).partition(b"\n")
        self._files[path] = UnpackedFile(entry.executable, begins + line_end)
        if _may_be_manifest(path):
            self._manifests[path] = bytes(kept)

    def _write_second_name(self, path: PurePosixPath, first_name: str) -> None:
        """Write a file of a tar file that has another name there already."""
        first = _checked_path(composed(first_name))
        if first not in self._files or _may_be_manifest(path):
            raise UploadError(Reason.of("path_is_link", path=str(path), target=first_name))
        self._note_new(path)
        self._files[path] = self._files[first]
        if self._folder is not None:
            os.link(self._folder / first, self._folder / path)

    def _new_file(self, path: PurePosixPath, entry: Entry) -> IO[bytes]:
        if self._folder is None:
            return open(os.devnull, "wb")
        mode = 0o755 if entry.executable else 0o644
        descriptor = os.open(self._folder / path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        return open(descriptor, "wb")


def _may_be_manifest(path: PurePosixPath) -> bool:
    return path.name == MANIFEST and len(path.parts) <= 2


def _checked_target(path: PurePosixPath, target: str) -> str:
    """The target of a link.

    Raises:
        UploadError: no program would write such a one.
    """
    if not target or len(target) > _LONGEST_PATH or not target.isprintable():
        raise UploadError(Reason.of("path_is_link", path=str(path), target=target[:_LONGEST_PATH]))
    return composed(target)


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
