"""Reads the entries of a ZIP or tar.gz file one by one, in a common form.

It trusts no claim of an archive about itself: an entry's size is the number of bytes read.
"""

from __future__ import annotations

import gzip
import os
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from typing import IO, Any, BinaryIO, cast

from polynya_common.reasons import Reason
from polynya_common.zip_layout import check_layout
from polynya_tournaments.uploads.archives.archive_names import is_folder, name_of
from polynya_tournaments.uploads.archives.notes import Note
from polynya_tournaments.uploads.errors import UploadError

_ZIP_BEGINS = b"PK"
_GZIP_BEGINS = b"\x1f\x8b"
_OTHER_KINDS = (
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!\x1a\x07", "RAR"),
    (0, b"\xfd7zXZ\x00", "xz"),
    (0, b"BZh", "bzip2"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (257, b"ustar", "tar"),
)
"""Other archives: the byte at which a mark begins, the mark, and the name of the kind."""
_LONGEST_MAGIC = 512
_LONGEST_TARGET = 2**12
_LONGEST_READ = 2**17
"""No header of a tar file and no chunk of a file is longer, nor the end of a ZIP file."""
_CHUNK = 2**16
_BYTES_PER_DIRECTORY_ENTRY = 512
"""Generous: a name of 240 characters, and what programs note beside it."""

_FURTHER_HEADERS = (
    tarfile.XHDTYPE,
    tarfile.XGLTYPE,
    tarfile.SOLARIS_XHDTYPE,
    tarfile.GNUTYPE_LONGNAME,
    tarfile.GNUTYPE_LONGLINK,
)
"""Headers of a tar file that say more of the entries after them, and are none themselves."""
_LONGEST_FURTHER = 2**12
"""Python before 3.11.10 and 3.12.6 searches them in quadratic time."""
_MOST_IN_A_ROW = 8
_MOST_GLOBAL = 4
"""Headers that say something of all entries after them: each entry would have a copy."""

_AGAIN = "pack the folder with an ordinary program, such as tar or zip"

_DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    IndexError,
    ValueError,
    OSError,
)
"""The errors that the libraries raise for archives that are not as they should be."""


class Kind(Enum):
    """The kind of an entry."""

    FILE = "a file"
    FOLDER = "a folder"
    LINK = "a link"
    SECOND_NAME = "a second name of a file"
    SPECIAL = "a device, a pipe or a sparse file"


@dataclass(frozen=True)
class Entry:
    """One entry.

    Attributes:
        name: as the archive writes it.
        kind: what it is.
        executable: whether its owner may run it.
        target: of a link as it is written, of a second name the first one.
        notes: what was done so that the name is as it is.
        chunks: of a file's content, to be read before the next entry is asked for; none of anything
            else. Reading them may raise what :func:`entries` raises.
    """

    name: str
    kind: Kind
    executable: bool = False
    target: str = ""
    notes: tuple[Note, ...] = ()
    chunks: Iterable[bytes] = ()


def entries(archive: BinaryIO, most_entries: int, most_bytes: int) -> Iterator[Entry]:
    """The entries of an archive.

    Args:
        archive: a file that can be rewound.
        most_entries: more of them are refused, before a large directory is read.
        most_bytes: to which a tar.gz file may unpack, its own headers included.

    Raises:
        UploadError: it is neither a ZIP nor a tar.gz file, it is damaged, or has too much in it.
    """
    with _damage_told():
        archive.seek(0)
        begins = archive.read(2)
        archive.seek(0)
        if begins == _ZIP_BEGINS:
            longest = max(_LONGEST_READ, most_entries * _BYTES_PER_DIRECTORY_ENTRY)
            bounded = cast("IO[bytes]", _InPortions(archive, longest, most_entries))
            with zipfile.ZipFile(bounded) as opened:
                if len(opened.infolist()) > most_entries:
                    raise _too_many(most_entries)
                check_layout(archive, opened.infolist(), commit=True)
                yield from _of_zip(opened)
        elif begins == _GZIP_BEGINS:
            unpacked = _Bounded(archive, most_bytes)
            headers = _counted_headers()
            with tarfile.open(fileobj=unpacked, mode="r:", tarinfo=headers) as opened_tar:
                yield from _of_tar(opened_tar)
                _check_nothing_follows(unpacked)
        else:
            raise UploadError(_of_other_kind(archive))


def _of_other_kind(archive: BinaryIO) -> Reason:
    archive.seek(0)
    begins = archive.read(_LONGEST_MAGIC)
    for at, magic, kind in _OTHER_KINDS:
        if begins.startswith(magic, at):
            return Reason.of("archive_of_kind", kind=kind)
    return Reason.of("archive_of_other_kind")


@contextmanager
def _damage_told() -> Iterator[None]:
    """Turn the libraries' errors for damaged archives into a sentence.

    Raises:
        UploadError: instead of them.
    """
    try:
        yield
    except (NotImplementedError, RuntimeError) as error:
        raise UploadError(Reason.of("archive_unreadable", reason=error)) from error
    except _DAMAGED as error:
        raise UploadError(Reason.of("archive_damaged", reason=error)) from error


def _chunks(content: IO[bytes]) -> Iterator[bytes]:
    with _damage_told():
        while chunk := content.read(_CHUNK):
            yield chunk


def _too_many(most_entries: int) -> UploadError:
    return UploadError(Reason.of("archive_too_many_entries", most=most_entries))


class _InPortions:
    """A ZIP file whose directory is read only if it is not too long, wherever its length stands.

    There are two records of it, the older and ZIP64's, and a reader may believe either.
    """

    def __init__(self, archive: BinaryIO, longest: int, most_entries: int) -> None:
        self._archive = archive
        self._longest = longest
        self._most_entries = most_entries
        self.seek, self.tell, self.seekable = archive.seek, archive.tell, archive.seekable

    def read(self, size: int = -1) -> bytes:
        """Read this many bytes.

        Raises:
            UploadError: it is more than any honest archive would need at once.
        """
        if not 0 <= size <= self._longest:
            size = self._longest + 1
        found = self._archive.read(size)
        if len(found) > self._longest:
            raise _too_many(self._most_entries)
        return found


def _of_zip(opened: zipfile.ZipFile) -> Iterator[Entry]:
    for info in opened.infolist():
        mode = info.external_attr >> 16
        name = name_of(info)
        notes = _notes_on(info, name)
        if info.flag_bits & 1:
            raise UploadError(Reason.of("archive_encrypted", name=name))
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UploadError(Reason.of("archive_packing", name=name))
        if stat.S_ISLNK(mode):
            with opened.open(info) as content:
                target = content.read(_LONGEST_TARGET).decode("utf-8", "surrogateescape")
            yield Entry(name, Kind.LINK, target=target, notes=notes)
        elif is_folder(info, name):
            yield Entry(name, Kind.FOLDER, notes=notes)
        elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            yield Entry(name, Kind.SPECIAL)
        else:
            with opened.open(info) as content:
                runs = bool(mode & stat.S_IXUSR)
                yield Entry(name, Kind.FILE, runs, notes=notes, chunks=_chunks(content))


def _notes_on(info: zipfile.ZipInfo, name: str) -> tuple[Note, ...]:
    """Notes on the way from the bytes of an entry to its name."""
    written = info.orig_filename.partition("\0")[0]
    if name == written:
        return ()
    if "\\" not in written:
        return (Note.UTF_8,)
    return (Note.BACKSLASHES,)


def _counted_headers() -> type[tarfile.TarInfo]:
    """A form of headers for one tar file, that refuses those of which there are too many.

    ``tarfile`` reads one header after the other until an entry is complete, in a recursion, and
    only then could its user count.
    """
    in_a_row = of_all = 0

    class Header(tarfile.TarInfo):
        @classmethod
        def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> Header:
            nonlocal in_a_row, of_all
            header = super().frombuf(buf, encoding, errors)
            is_further = header.type in _FURTHER_HEADERS
            in_a_row = in_a_row + 1 if is_further else 0
            of_all += header.type == tarfile.XGLTYPE
            if is_further and header.size > _LONGEST_FURTHER:
                raise UploadError(Reason.of("archive_header", size=header.size))
            if in_a_row > _MOST_IN_A_ROW or of_all > _MOST_GLOBAL:
                raise UploadError(Reason.of("archive_headers_alone"))
            return header

    return Header


def _of_tar(opened: tarfile.TarFile) -> Iterator[Entry]:
    while (info := opened.next()) is not None:
        cast("Any", opened).members.clear()  # it would keep them all
        if info.issym():
            yield Entry(info.name, Kind.LINK, target=info.linkname)
        elif info.islnk():
            yield Entry(info.name, Kind.SECOND_NAME, target=info.linkname)
        elif info.isdir():
            yield Entry(info.name, Kind.FOLDER)
        elif info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.sparse is not None:
            yield Entry(info.name, Kind.SPECIAL)
        else:
            content = cast("IO[bytes]", opened.extractfile(info))  # None for others than files
            runs = bool(info.mode & stat.S_IXUSR)
            yield Entry(info.name, Kind.FILE, runs, chunks=_chunks(content))


def _check_nothing_follows(unpacked: _Bounded) -> None:
    """Refuse a tar file that has more than zeros from the block on that ended it.

    ``tarfile`` takes any block for the end that is no header, and reads no further.
    """
    rest = unpacked.last
    while rest:
        if any(rest):
            raise tarfile.ReadError("something follows its last entry")
        rest = unpacked.read(_CHUNK)


class _Bounded(gzip.GzipFile):
    """A gzip file that refuses to be read beyond a bound, or much of it at once.

    Attributes:
        last: what was read last.
    """

    def __init__(self, packed: BinaryIO, most: int) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self._most = most
        self.last = b""

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _LONGEST_READ:
            raise UploadError(Reason.of("archive_header", size=size))
        found = super().read(size)
        self._check(self.tell())
        self.last = found
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._check(offset)  # before it is unpacked: that takes time even if nothing is kept
        return super().seek(offset, whence)

    def _check(self, position: int) -> None:
        if position > self._most:
            raise UploadError(Reason.of("archive_unpacks_too_long", most=self._most))
