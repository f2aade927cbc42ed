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
from polynya_tournaments.uploads.archives.archive_names import is_litter
from polynya_tournaments.uploads.archives.declared_programs import commands_of, named_paths
from polynya_tournaments.uploads.archives.links import leads_out
from polynya_tournaments.uploads.archives.manifest import Manifest
from polynya_tournaments.uploads.archives.manifest_text import MANIFEST
from polynya_tournaments.uploads.archives.notes import Note, Notes
from polynya_tournaments.uploads.archives.unpacking import Limits
from polynya_tournaments.uploads.errors import UploadError

BUILD_PRODUCTS: Final = frozenset({".venv", "build", "dist", "node_modules", "target"})
"""Folders that are not uploaded from the top of a program: the host builds it itself."""


def pack(folder: Path, limits: Limits, notes: Notes | None = None) -> bytes:
    """A folder as a tar.gz file.

    Args:
        folder: of the program.
        limits: what the server accepts.
        notes: are given what is left out.

    Raises:
        UploadError: it has a link that leads out, or a device, or is too large.
        OSError: it cannot be read.
    """
    packed = BytesIO()
    written = 0
    links: dict[str, str] = {}
    with new_archive(packed) as archive:
        for count, path in enumerate(_files(folder, folder, notes or Notes()), start=1):
            name = path.relative_to(folder).as_posix()
            header = tarfile.TarInfo(name)
            content = b""
            if path.is_symlink():
                links[name] = header.linkname = path.readlink().as_posix()
                header.type, header.mode = tarfile.SYMTYPE, 0o777
            else:
                content = path.read_bytes()
                header.mode = 0o755 if os.access(path, os.X_OK) else 0o644
            written += len(content)
            if written > limits.unpacked_bytes or count > limits.entries:
                raise UploadError(
                    f"{folder} is too large: an upload has at most {limits.entries:,} files "
                    f"and {limits.unpacked_bytes:,} bytes"
                )
            header.size = len(content)
            archive.addfile(header, BytesIO(content))
    for name, target in links.items():
        if name == MANIFEST or leads_out(name, links):
            shown = printable(str(folder / name))
            raise UploadError(Reason.of("path_is_link", path=shown, target=printable(target)))
    return packed.getvalue()


def check_commands(folder: Path, manifest: Manifest) -> None:
    """Refuse a program whose first command needs a file that :func:`pack` leaves out.

    Commands after the first one find what the build has made.

    Raises:
        UploadError: the message names the file.
    """
    key, words = next(commands_of({"build": list(manifest.build), "run": manifest.run}))
    for path in named_paths(words):
        outermost = Path(path).parts[0]
        left_out = outermost in BUILD_PRODUCTS or not LEFT_OUT.isdisjoint(Path(path).parts)
        if left_out and (folder / path).exists():
            raise UploadError(
                Reason.of("named_and_left_out", command=key, path=path, folder=outermost)
            )


def _files(top: Path, folder: Path, notes: Notes) -> Iterator[Path]:
    """All files and links that are uploaded, in the order of their paths."""
    for path in sorted(folder.iterdir()):
        name = path.relative_to(top).as_posix()
        if folder == top and path.name in BUILD_PRODUCTS:
            notes.add(Note.BUILT, name)
        elif path.name in LEFT_OUT or is_litter(path.name):
            notes.add(Note.NOT_NEEDED, name)
        elif path.is_symlink() or path.is_file():
            yield path
        elif path.is_dir():
            yield from _files(top, path, notes)
        else:
            raise UploadError(f"{printable(str(path))} is neither a file nor a folder")
