"""The entries of a ZIP or tar.gz file, in one form, read one after the other.

Nothing is believed that an archive says of itself: a size is what was read.
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
from typing import IO, BinaryIO, cast

from polynya_tournaments.uploads.errors import UploadError

_ZIP_BEGINS = b"PK"
_GZIP_BEGINS = b"\x1f\x8b"
_END_OF_DIRECTORY = b"PK\x05\x06"
_END_LENGTH = 22
_LONGEST_COMMENT = 2**16 - 1
_LONGEST_READ = 2**20
"""A tar file's header is read in one piece; names and sizes fit into much less."""
_CHUNK = 2**16
_BYTES_PER_DIRECTORY_ENTRY = 512
"""Generous: a name of 240 characters, and what programs note beside it."""

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
    SPECIAL = "a device, a pipe or a sparse file"


@dataclass(frozen=True)
class Entry:
    """One entry.

    Attributes:
        name: as the archive writes it.
        kind: what it is.
        executable: whether its owner may run it.
        chunks: of a file's content, to be read before the next entry is asked for; none of anything
            else. Reading them may raise what :func:`entries` raises.
    """

    name: str
    kind: Kind
    executable: bool = False
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
            _check_directory(archive, most_entries)
            with zipfile.ZipFile(archive) as opened:
                yield from _of_zip(opened)
        elif begins == _GZIP_BEGINS:
            unpacked = _Bounded(archive, most_bytes)
            with tarfile.open(fileobj=unpacked, mode="r:") as opened_tar:
                yield from _of_tar(opened_tar)
        else:
            raise UploadError("it is neither a ZIP nor a tar.gz file: pack the folder as one")


@contextmanager
def _damage_told() -> Iterator[None]:
    """Turn the libraries' errors for damaged archives into a sentence.

    Raises:
        UploadError: instead of them.
    """
    try:
        yield
    except (NotImplementedError, RuntimeError) as error:
        raise UploadError(f"the archive cannot be unpacked: {error}") from error
    except _DAMAGED as error:
        raise UploadError(f"the archive is damaged: {error}; pack and upload it again") from error


def _chunks(content: IO[bytes]) -> Iterator[bytes]:
    with _damage_told():
        while chunk := content.read(_CHUNK):
            yield chunk


def _check_directory(archive: BinaryIO, most_entries: int) -> None:
    """Refuse a ZIP file whose directory would take long to read: its last bytes say how long it is.

    Raises:
        UploadError: it has no end, or too many entries.
    """
    length = archive.seek(0, os.SEEK_END)
    archive.seek(max(0, length - _END_LENGTH - _LONGEST_COMMENT))
    last = archive.read()
    archive.seek(0)
    begin = last.rfind(_END_OF_DIRECTORY)
    if begin < 0 or len(last) - begin < _END_LENGTH:
        raise UploadError("the archive is damaged: it has no end; pack and upload it again")
    end = last[begin:]
    count, size = int.from_bytes(end[10:12], "little"), int.from_bytes(end[12:16], "little")
    if count > most_entries or size > most_entries * _BYTES_PER_DIRECTORY_ENTRY:
        raise UploadError(f"the archive has more than {most_entries:,} entries")


def _of_zip(opened: zipfile.ZipFile) -> Iterator[Entry]:
    for info in opened.infolist():
        mode = info.external_attr >> 16
        name = info.filename
        if info.flag_bits & 1:
            raise UploadError(f"{name!r} is encrypted: pack the folder without a password")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise UploadError(f"{name!r} is packed in a rare way: use the ordinary one, deflate")
        if stat.S_ISLNK(mode):
            yield Entry(name, Kind.LINK)
        elif info.is_dir():
            yield Entry(name, Kind.FOLDER)
        elif stat.S_IFMT(mode) not in (0, stat.S_IFREG):
            yield Entry(name, Kind.SPECIAL)
        else:
            with opened.open(info) as content:
                yield Entry(name, Kind.FILE, bool(mode & stat.S_IXUSR), _chunks(content))


def _of_tar(opened: tarfile.TarFile) -> Iterator[Entry]:
    for info in opened:
        if info.issym() or info.islnk():
            yield Entry(info.name, Kind.LINK)
        elif info.isdir():
            yield Entry(info.name, Kind.FOLDER)
        elif info.type not in (tarfile.REGTYPE, tarfile.AREGTYPE) or info.sparse is not None:
            yield Entry(info.name, Kind.SPECIAL)
        else:
            content = cast("IO[bytes]", opened.extractfile(info))  # None for others than files
            yield Entry(info.name, Kind.FILE, bool(info.mode & stat.S_IXUSR), _chunks(content))


class _Bounded(gzip.GzipFile):
    """A gzip file that refuses to be read beyond a bound, or much of it at once."""

    def __init__(self, packed: BinaryIO, most: int) -> None:
        super().__init__(fileobj=packed, mode="rb")
        self._most = most

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= _LONGEST_READ:
            raise UploadError(f"the archive has a header of {size:,} bytes: pack it again")
        found = super().read(size)
        self._check(self.tell())
        return found

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._check(offset)  # before it is unpacked: that takes time even if nothing is kept
        return super().seek(offset, whence)

    def _check(self, position: int) -> None:
        if position > self._most:
            raise UploadError(f"the archive unpacks to more than {self._most:,} bytes")
