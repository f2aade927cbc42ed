"""Names in archives as people make them: alphabets, separators, and files of file managers."""

from __future__ import annotations

import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final

_UTF_8: Final = 1 << 11
"""The flag of a ZIP file's entry whose name is in UTF-8; Finder and others do not set it."""
_UNICODE_PATH: Final = 0x7075
"""The extra field with the name in UTF-8 (APPNOTE.TXT, 4.6.9)."""
_WINDOWS: Final = frozenset({0, 10, 14})
"""Systems on which a backslash separates folders: MS-DOS, NTFS, VFAT (APPNOTE.TXT, 4.4.2)."""
_FOLDER_OF_DOS: Final = 0x10

_LITTER: Final = frozenset(
    {
        "$recycle.bin",
        ".ds_store",
        ".fseventsd",
        ".localized",
        ".spotlight-v100",
        ".temporaryitems",
        ".trashes",
        "__macosx",
        "desktop.ini",
        "icon\r",
        "thumbs.db",
    }
)
_MANIFEST_LIKE: Final = re.compile(
    r"[._]?polynya[ _-]?(?:\(\d+\)|copy|kopie)?\.(?:toml|tml|json|yaml|yml|txt|conf|cfg)"
    r"(?:\.(?:txt|toml|rtf|bak|example|sample|orig))?~?"
)


def name_of(entry: zipfile.ZipInfo) -> str:
    """The name of an entry of a ZIP file, with ``/`` between folders.

    Without the flag of UTF-8 it should be in code page 437, but where it is UTF-8 it is meant so.
    """
    name = _decoded(entry).partition("\0")[0]
    return name.replace("\\", "/") if entry.create_system in _WINDOWS else name


def is_folder(entry: zipfile.ZipInfo, name: str) -> bool:
    """Whether an entry of a ZIP file is a folder; the name is as of :func:`name_of`."""
    of_dos = entry.create_system in _WINDOWS and entry.external_attr & _FOLDER_OF_DOS
    return name.endswith("/") or bool(of_dos and entry.file_size == 0)


def _decoded(entry: zipfile.ZipInfo) -> str:
    if entry.flag_bits & _UTF_8 or entry.orig_filename.isascii():
        return entry.orig_filename
    raw = entry.orig_filename.encode("cp437")
    try:
        return _unicode_path(entry.extra, raw) or raw.decode("utf-8")
    except UnicodeDecodeError:
        return entry.orig_filename


def _unicode_path(extra: bytes, raw: bytes) -> str:
    """The name in an extra field, if it belongs to this one; empty if there is none."""
    while len(extra) >= 4:
        kind, length = struct.unpack_from("<2H", extra)
        field, extra = extra[4 : 4 + length], extra[4 + length :]
        if kind == _UNICODE_PATH and len(field) > 5:
            version, check = struct.unpack_from("<BL", field)
            if (version, check) == (1, zlib.crc32(raw)):
                return field[5:].decode("utf-8")
    return ""


def is_litter(name: str) -> bool:
    """Whether a file belongs to a file manager and not to the program, as Finder's ``._bot.py``."""
    return any(
        part.startswith("._") or part.lower() in _LITTER for part in PurePosixPath(name).parts
    )


def composed(name: str) -> str:
    """A name with composed letters, as programs write them; a Mac may take them apart."""
    return unicodedata.normalize("NFC", name)


def is_manifest_like(name: str) -> bool:
    """Whether a file's name is nearly that of the manifest, as ``Polynya.toml.txt``."""
    return _MANIFEST_LIKE.fullmatch(_key(name)) is not None


def nearest(path: str, paths: Iterable[str]) -> str | None:
    """The path that differs only in case, in composed letters or in spaces; None for none."""
    wanted = _path_key(path)
    return next((one for one in paths if one != path and _path_key(one) == wanted), None)


def _path_key(path: str) -> tuple[str, ...]:
    return tuple(map(_key, PurePosixPath(path).parts))


def _key(part: str) -> str:
    return composed(part).casefold().strip(" .")
