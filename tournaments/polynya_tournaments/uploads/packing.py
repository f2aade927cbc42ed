"""Packs a program's folder into an archive: the same files give the same bytes on any system."""

from __future__ import annotations

import os
import tarfile
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Final

from polynya_common.reasons import Reason
from polynya_protocol.errors import printable
from polynya_tournaments.reproducible_archives import LEFT_OUT, new_archive
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.unpacking import Limits

BUILD_PRODUCTS: Final = frozenset({".venv", "build", "dist", "node_modules", "target"})
"""Folders that are not uploaded from the top of a program: the host builds it itself."""


def pack(folder: Path, limits: Limits) -> bytes:
    """Pack a folder as a tar.gz file.

    Args:
        folder: of the program.
        limits: what the server accepts.

    Raises:
        UploadError: it has a link or a device, or is too large.
        OSError: it cannot be read.
    """
    packed = BytesIO()
    written = 0
    with new_archive(packed) as archive:
        for count, path in enumerate(_files(folder, LEFT_OUT | BUILD_PRODUCTS), start=1):
            content = path.read_bytes()
            written += len(content)
            if written > limits.unpacked_bytes or count > limits.entries:
                raise UploadError(
                    f"{folder} is too large: an upload has at most {limits.entries:,} files "
                    f"and {limits.unpacked_bytes:,} bytes"
                )
            archive.addfile(_header(path, folder, len(content)), BytesIO(content))
    return packed.getvalue()


def _files(folder: Path, left_out: frozenset[str]) -> Iterator[Path]:
    """All files that are uploaded, in the order of their paths."""
    for path in sorted(folder.iterdir()):
        if path.name in left_out:
            continue
        if path.is_symlink():
            raise UploadError(Reason.of("path_is_link", path=printable(str(path))))
        if path.is_dir():
            yield from _files(path, LEFT_OUT)
        elif path.is_file():
            yield path
        else:
            raise UploadError(f"{printable(str(path))} is neither a file nor a folder")


def _header(path: Path, folder: Path, size: int) -> tarfile.TarInfo:
    header = tarfile.TarInfo(path.relative_to(folder).as_posix())
    header.size = size
    header.mode = 0o755 if os.access(path, os.X_OK) else 0o644
    return header
