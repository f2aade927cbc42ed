"""Archives as programs of other systems make them, byte for byte where these are not at hand."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping

APPLE_DOUBLE = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "
"""The beginning of the file in which a Mac keeps what other file systems have no place for."""

_LOCAL = struct.Struct("<4s5H3L2H")
_CENTRAL = struct.Struct("<4s6H3L5H2L")
_END = struct.Struct("<4s4H2LH")


def finder_zip(files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> bytes:
    """A ZIP file as Finder's "Compress" (``ditto -c -k --sequesterRsrc --keepParent``) writes it.

    Sizes follow each content, the extra field is UX, and names are in UTF-8 without the flag.
    """
    packed, directory = bytearray(), bytearray()
    for name, content in files.items():
        raw, offset = name.encode(), len(packed)
        mode = (modes or {}).get(name, 0o040755 if name.endswith("/") else 0o100644)
        squeezer = zlib.compressobj(wbits=-15)
        squeezed = b"" if name.endswith("/") else squeezer.compress(content) + squeezer.flush()
        flags, packing = (0, 0) if name.endswith("/") else (8, 8)
        check = zlib.crc32(content)
        extra = b"UX" + struct.pack("<HLLHH", 12, 1_700_000_000, 1_700_000_000, 501, 20)
        packed += _LOCAL.pack(
            b"PK\3\4", 20 if flags else 10, flags, packing, 0, 0x5678, 0, 0, 0, len(raw), len(extra)
        )
        packed += raw + extra + squeezed
        if flags:
            packed += b"PK\7\x08" + struct.pack("<3L", check, len(squeezed), len(content))
        short = b"UX" + struct.pack("<HLL", 8, 1_700_000_000, 1_700_000_000)
        directory += _CENTRAL.pack(
            *(b"PK\1\2", 0x0315, 20 if flags else 10, flags, packing, 0, 0x5678, check),
            *(len(squeezed), len(content), len(raw), len(short), 0, 0, 0, mode << 16, offset),
        )
        directory += raw + short
    end = _END.pack(b"PK\5\6", 0, 0, len(files), len(files), len(directory), len(packed), 0)
    return bytes(packed + directory + end)


def windows_zip(files: Mapping[str, bytes], *, separator: str = "/") -> bytes:
    """A ZIP file as Explorer writes it; with ``\\`` as the .NET Framework before 4.6.1 does."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            info = zipfile.ZipInfo("x")
            info.filename = name.replace("/", separator)
            info.create_system = 0
            info.external_attr = 0x10 if name.endswith("/") else 0x20
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, content)
    return packed.getvalue()


def mac_tar(files: Mapping[str, bytes]) -> bytes:
    """A tar.gz file as a Mac's tar writes it: ``._`` files, and extended attributes in headers."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            folder, slash, base = name.rpartition("/")
            for each, text in ((f"{folder}{slash}._{base}", APPLE_DOUBLE), (name, content)):
                info = tarfile.TarInfo(each)
                info.size, info.mode, info.uid, info.gid = len(text), 0o644, 501, 20
                info.uname, info.gname = "anna", "staff"
                info.pax_headers = {
                    "mtime": "1700000000.123456789",
                    "LIBARCHIVE.creationtime": "1700000000",
                    "LIBARCHIVE.xattr.com.apple.quarantine": "MDA4MTs2NTQ=",
                    "SCHILY.xattr.com.apple.quarantine": "0081;654;Safari;",
                    "SCHILY.xattr.com.apple.provenance": "\x01\x02",
                }
                archive.addfile(info, io.BytesIO(text))
    return gzip.compress(packed.getvalue())
