"""The layout of a ZIP file: each byte of it belongs to an entry or to the one directory.

Readers find a ZIP file by its end and its entries by the directory there. Anything may stand before
the first entry, between two, and after the directory: a page, another archive, another directory
that other programs read. Such a file is one thing for one program and another for the next.
"""

from __future__ import annotations

import io
import re
import struct
import zipfile
from collections.abc import Iterable
from typing import BinaryIO

COMMIT = re.compile(rb"[0-9a-f]{40}|[0-9a-f]{64}")
"""The only comment of an archive that may be allowed: ``git archive`` writes the commit's id."""

_END = struct.Struct("<4s4H2LH")
_END_64 = struct.Struct("<4sQ2H2L4Q")
_LOCATOR = struct.Struct("<4sLQL")
_LOCAL = struct.Struct("<4s5H3L2H")
_COMMENT_LENGTHS = (0, 40, 64)

_BEHIND = 1 << 3
"""The flag of an entry whose sizes follow its content, because it was written to a stream."""
_TOLD = _BEHIND | 1
"""The flags that an entry and the directory must agree on: programs differ in the others."""
_UTF_8 = 1 << 11
_IN_EXTRA = 0xFFFFFFFF
"""Stands for a size that is too large for four bytes, or was not yet known."""
_IN_RECORD_64 = 0xFFFF
_DESCRIPTORS = tuple(
    struct.Struct(signature + sizes) for signature in ("<4sL", "<L") for sizes in ("2L", "2Q")
)
"""The forms of the sizes that follow such a content: with a signature or not, short or long."""
_DESCRIPTOR = b"PK\x07\x08"


class ZipLayoutError(ValueError):
    """A ZIP file has bytes that belong to nothing in it, or says two things of one entry."""


def check_layout(file: BinaryIO, entries: Iterable[zipfile.ZipInfo], *, commit: bool) -> None:
    """Refuse a ZIP file that is more than its entries and its directory.

    Extra fields, and sizes that follow the contents, are what ordinary programs write; the field
    for large files too.

    Args:
        file: the whole of it.
        entries: its directory, as :mod:`zipfile` reads it.
        commit: whether a commit's id may be its comment.

    Raises:
        ZipLayoutError: says what is too much.
    """
    directory = _directory_offset(file, commit=commit)
    position = 0
    for entry in sorted(entries, key=lambda one: one.header_offset):
        if entry.header_offset != position:
            raise ZipLayoutError(_between(position, entry.header_offset))
        position = _end_of(file, entry)
    if position != directory:
        raise ZipLayoutError(_between(position, directory))


def _between(end: int, following: int) -> str:
    if following < end:
        return "two of its entries overlap"
    where = "before its first entry" if end == 0 else f"after byte {end} that belong to no entry"
    return f"it has {following - end} bytes {where}"


def _directory_offset(file: BinaryIO, *, commit: bool) -> int:
    """Where the directory begins; it reaches to the record at the end of the file."""
    size = file.seek(0, io.SEEK_END)
    end = _end_record(file, size, commit=commit)
    record = _END.unpack(_read(file, end, _END.size))
    _, disk, first_disk, here, in_all, length, offset, _ = record
    if here != in_all or {disk, first_disk} - {0, _IN_RECORD_64}:
        raise ZipLayoutError("it is one part of several")
    locator = end - _LOCATOR.size
    if locator >= 0 and _read(file, locator, 4) == b"PK\x06\x07":
        end = locator - _END_64.size
        _, _, found, _ = _LOCATOR.unpack(_read(file, locator, _LOCATOR.size))
        signature, of_record, *_, length, offset = _END_64.unpack(_read(file, end, _END_64.size))
        if (found, signature, of_record) != (end, b"PK\x06\x06", _END_64.size - 12):
            raise ZipLayoutError("it has something between its directory and its end")
    if offset + length != end:
        raise ZipLayoutError(
            f"its directory should be bytes {offset} to {offset + length}, but ends at {end}: "
            "something stands before its first entry or after its last"
        )
    return int(offset)


def _end_record(file: BinaryIO, size: int, *, commit: bool) -> int:
    """Where the last record begins, which ends with the archive's comment."""
    for length in _COMMENT_LENGTHS if commit else (0,):
        start = size - length - _END.size
        if start < 0:
            break
        record = _read(file, start, _END.size + length)
        *_, said = _END.unpack(record[: _END.size])
        if record.startswith(b"PK\x05\x06") and said == length:
            if length and not COMMIT.fullmatch(record, _END.size):
                break
            return start
    raise ZipLayoutError("it does not end with its directory: a comment or other bytes follow")


def _end_of(file: BinaryIO, entry: zipfile.ZipInfo) -> int:
    """Where an entry ends: its header, its content, and the sizes that may follow."""
    start = entry.header_offset
    header = _LOCAL.unpack(_read(file, start, _LOCAL.size))
    signature, _, flags, packing, _, _, *sizes, name_length, extra_length = header
    name = _read(file, start + _LOCAL.size, name_length)
    known = (entry.CRC, entry.compress_size, entry.file_size)
    is_behind = bool(flags & _BEHIND)
    if (
        (signature, flags & _TOLD, packing, name)
        != (b"PK\x03\x04", entry.flag_bits & _TOLD, entry.compress_type, _raw_name(entry))
    ) or not all(map(_agrees, sizes, known, (is_behind,) * len(known))):
        raise ZipLayoutError(f"its directory and the entry at byte {start} differ")
    end: int = start + _LOCAL.size + name_length + extra_length + entry.compress_size
    return end + (_descriptor_length(file, end, known) if is_behind else 0)


def _agrees(said: int, known: int, is_behind: bool) -> bool:
    return said in (known, _IN_EXTRA) or (is_behind and said == 0)


def _raw_name(entry: zipfile.ZipInfo) -> bytes:
    return entry.orig_filename.encode("utf-8" if entry.flag_bits & _UTF_8 else "cp437")


def _descriptor_length(file: BinaryIO, start: int, known: tuple[int, int, int]) -> int:
    for form in _DESCRIPTORS:
        found = form.unpack(_read(file, start, form.size))
        if found[-3:] == known and found[:-3] in ((), (_DESCRIPTOR,)):
            return form.size
    raise ZipLayoutError(f"the sizes at byte {start} are not those of its directory")


def _read(file: BinaryIO, start: int, length: int) -> bytes:
    file.seek(start)
    found = file.read(length)
    if len(found) < length:
        raise ZipLayoutError("it is cut off")
    return found
