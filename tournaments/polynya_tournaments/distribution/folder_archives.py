"""Packs folders into archives, and unpacks them.

The same files and permissions give the same bytes on any machine. An archive includes all files
that a program or its build has made, and links within the folder.
"""

from __future__ import annotations

import io
import os
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, cast

from polynya_common.errors import ConfigurationError
from polynya_protocol.errors import printable
from polynya_tournaments.reproducible_archives import LEFT_OUT, new_archive

MOST_BYTES: Final = 500 * 2**20
MOST_ENTRIES: Final = 20_000
_LEVEL: Final = 6


def pack_folder(folder: Path) -> bytes:
    """A folder as a tar.gz file.

    Raises:
        ConfigurationError: it holds a device, a link that leads out of it, or too much; the message
            names the file, without the bot or game.
        OSError: it cannot be read.
    """
    packed = io.BytesIO()
    written = 0
    with new_archive(packed, _LEVEL) as archive:
        for count, path in enumerate(_entries(folder), start=1):
            header = _header(path, folder)
            written += header.size
            if written > MOST_BYTES or count > MOST_ENTRIES:
                raise ConfigurationError(
                    f"{printable(str(folder))} holds more than {MOST_BYTES:,} bytes or "
                    f"{MOST_ENTRIES:,} files and folders"
                )
            if header.isreg():
                with path.open("rb") as content:
                    archive.addfile(header, content)
            else:
                archive.addfile(header)
    return packed.getvalue()


def is_packed(path: Path, folder: Path) -> bool:
    """Whether a file of a folder is in its archive."""
    inside = (each for each in (path, *path.parents) if each.is_relative_to(folder))
    return not any(_is_left_out(each) for each in inside if each != folder)


def unpack_folder(content: bytes, folder: Path) -> None:
    """Unpack what :func:`pack_folder` has packed; the caller has checked its hash.

    Files are readable for everybody, executable as in the archive, and have no further rights.

    Args:
        content: the archive.
        folder: which must not exist.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir()
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        for entry in archive:
            path = folder / entry.name
            if entry.issym():
                path.symlink_to(entry.linkname)
                continue
            if entry.isdir():
                path.mkdir()
            else:
                with path.open("xb") as target:
                    shutil.copyfileobj(cast("IO[bytes]", archive.extractfile(entry)), target)
            path.chmod(entry.mode)


def _entries(folder: Path) -> Iterator[Path]:
    """Yield the entries to send in the order of their paths: a folder before its contents."""
    for path in sorted(folder.iterdir()):
        if _is_left_out(path):
            continue
        yield path
        if path.is_dir() and not path.is_symlink():
            yield from _entries(path)


def _is_left_out(path: Path) -> bool:
    """Whether a worker cannot use it: a virtual environment holds paths of its own machine."""
    return path.name in LEFT_OUT or (path / "pyvenv.cfg").is_file()


def _header(path: Path, folder: Path) -> tarfile.TarInfo:
    header = tarfile.TarInfo(path.relative_to(folder).as_posix())
    header.mode = 0o755
    if path.is_symlink():
        header.type = tarfile.SYMTYPE
        header.linkname = os.readlink(path)
        if not _leads_inside(path, folder):
            to = printable(header.linkname)
            raise ConfigurationError(f"{printable(str(path))} is a link to {to}, out of the folder")
    elif path.is_dir():
        header.type = tarfile.DIRTYPE
    elif path.is_file():
        status = path.stat()
        header.size = status.st_size
        header.mode = 0o755 if status.st_mode & 0o100 else 0o644
    else:
        raise ConfigurationError(f"{printable(str(path))} is neither a file nor a folder")
    return header


def _leads_inside(link: Path, folder: Path) -> bool:
    """Whether a link's target lies within the folder, wherever that folder is."""
    target = os.readlink(link)
    named = os.path.normpath(link.parent.relative_to(folder) / target)
    real = Path(os.path.realpath(link))
    return (
        not os.path.isabs(target)
        and named.split(os.sep)[0] != os.pardir
        and real.is_relative_to(os.path.realpath(folder))
    )
