"""Writes ZIP files reproducibly, and reads untrusted ones safely.

A ZIP file from outside may be malicious. It is refused, with a sentence, before anything in it is
unpacked, unless its directory is small, its members are files with the names that a bundle has,
each once, and their unpacked size is bounded. All bytes but the packed contents must be as this
module writes them. Nothing is ever written to a path from inside the file.
"""

from __future__ import annotations

import re
import struct
import zipfile
import zlib
from collections.abc import Iterable
from io import BytesIO

from polynya_common.errors import TournamentError
from polynya_common.zip_layout import check_layout
from polynya_protocol.messages import NAME_CHARACTERS

MOST_MEMBERS = 60_000
"""A ZIP file without extensions has no more than 65,535."""
LONGEST_MEMBER = 256 * 2**20
LONGEST_REPLAY = 16 * 2**20
MOST_BYTES = 4 * 2**30
"""Maximum unpacked size of all members together, in bytes."""

REPLAY = re.compile(rf"replays/([{NAME_CHARACTERS}]{{1,64}})\.replay")
FILES = frozenset({"manifest.json", "manifest.sig", "tournament.json", "report.json"})

_END = struct.Struct("<4s4H2LH")
_LONGEST_NAME = 80
_ENTRY = 46 + _LONGEST_NAME
_LOCATOR = 20
_ALWAYS = (
    "flag_bits",
    "compress_type",
    "date_time",
    "extra",
    "comment",
    "create_system",
    "create_version",
    "extract_version",
    "internal_attr",
    "external_attr",
    "reserved",
)
"""The directory fields that must be equal in all members."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def write_archive(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Write a ZIP file of these members in their order, all with the same date.

    Raises:
        TournamentError: there are more than a bundle can have.
    """
    file = BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for count, (name, content) in enumerate(members, start=1):
            if count > MOST_MEMBERS:
                raise TournamentError(f"a bundle holds {MOST_MEMBERS} files at the most")
            archive.writestr(_entry(name), content, zipfile.ZIP_DEFLATED, 9)
    return file.getvalue()


def _entry(name: str) -> zipfile.ZipInfo:
    """A member's directory entry, the same on any system."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.create_system, entry.external_attr = 3, 0o100644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


class Archive:
    """An untrusted ZIP file with a checked directory.

    Args:
        content: the file.

    Attributes:
        names: the names of its members, in their order.

    Raises:
        TournamentError: it is not a ZIP file, or cannot be a bundle.
    """

    def __init__(self, content: bytes) -> None:
        _check_end(content)
        try:
            with zipfile.ZipFile(BytesIO(content)) as archive:
                entries = archive.infolist()
            for entry in entries:
                _check_entry(entry)
            check_layout(BytesIO(content), entries, commit=False)
        except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
            raise TournamentError(f"it is no ZIP file that can be read: {error}") from error
        self._content = content
        self._entries = {entry.filename: entry for entry in entries}
        self.names = tuple(self._entries)
        if len(self.names) < len(entries):
            raise TournamentError("it has two files of one name")
        if sum(entry.file_size for entry in entries) > MOST_BYTES:
            raise TournamentError(f"it unpacks to more than {MOST_BYTES} bytes")

    def read(self, name: str) -> bytes:
        """Read a member's content, at most the size in its entry.

        Raises:
            TournamentError: it is missing or damaged.
        """
        entry = self._entries.get(name)
        if entry is None:
            raise TournamentError(f"{name} is missing")
        header = entry.FileHeader(zip64=False)
        start = entry.header_offset
        if not self._content.startswith(header, start):
            raise TournamentError(f"{name} is damaged: its header is not as bundles have it")
        packed = self._content[start + len(header) :][: entry.compress_size]
        return _unpacked(name, packed, entry)


def _unpacked(name: str, packed: bytes, entry: zipfile.ZipInfo) -> bytes:
    """Inflate a member, and refuse trailing bytes."""
    unpacking = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = unpacking.decompress(packed, entry.file_size + 1)
    except zlib.error as error:
        raise TournamentError(f"{name} is damaged: {error}") from error
    is_whole = unpacking.eof and not unpacking.unused_data
    if not is_whole or len(content) != entry.file_size or zlib.crc32(content) != entry.CRC:
        raise TournamentError(f"{name} is damaged: it is not as long, or not the file, as it says")
    return content


def _check_end(content: bytes) -> None:
    """Refuse, by the file's last bytes, a directory that would take long to read.

    No comment may follow it, and no extension for files with many members.
    """
    end = content[-_END.size :]
    if len(end) < _END.size or not end.startswith(b"PK\x05\x06"):
        raise TournamentError("it is no ZIP file of a bundle: its end is not there")
    *_, count, size, _, _ = _END.unpack(end)
    locator = content[-_END.size - _LOCATOR : -_END.size]
    if locator.startswith(b"PK\x06\x07") or count > MOST_MEMBERS or size > count * _ENTRY:
        raise TournamentError("it is no ZIP file of a bundle: its directory is too large")


def _check_entry(entry: zipfile.ZipInfo) -> None:
    name = entry.filename
    replay = REPLAY.fullmatch(name) is not None
    if not replay and name not in FILES:
        raise TournamentError(f"a bundle has no file {name[:100]!r}")
    if any(getattr(entry, fact) != getattr(_entry(name), fact) for fact in _ALWAYS):
        raise TournamentError(
            f"{name} is encrypted, or packed, dated or described as no file of a bundle is"
        )
    most = LONGEST_REPLAY if replay else LONGEST_MEMBER
    if entry.file_size > most:
        raise TournamentError(f"{name} unpacks to more than {most} bytes")
