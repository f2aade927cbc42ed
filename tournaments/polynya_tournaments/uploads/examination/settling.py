"""Takes over the result of a build: owners, permissions, bounds, and the original manifest.

This runs in a separate process (``verdicts.py`` starts it), so it imports little, when no process
of the build is left.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path
from typing import Final

from polynya_common.reasons import Reason, cause_of
from polynya_tournaments.uploads.archives.manifest_text import MANIFEST, MOST_BYTES
from polynya_tournaments.uploads.errors import UploadError
from polynya_tournaments.uploads.foreign_trees import (
    ITSELF,
    Measure,
    TreeBounds,
    TreeSize,
    TreeTooLargeError,
    walk,
)

_FOR_ALL: Final = 0o755


def settle(folder: Path, bounds: TreeBounds) -> TreeSize:
    """Take files that a sandbox has written: all may read them, only our user may change them.

    Pipes, sockets and devices go: no program is built of them.

    Raises:
        UploadError: there is too much.
        OSError: a file cannot be taken.
    """
    measure = Measure(bounds)
    os.chmod(folder, _FOR_ALL)  # not a link: it lies in a folder of ours
    _take(None, str(folder), os.lstat(folder))
    try:
        for found in walk(folder, bounds.depth):
            measure.add(found.status)
            _take(*found)
    except TreeTooLargeError as error:
        raise UploadError(Reason.of("build_left_too_much", why=cause_of(error))) from error
    return measure.size


def _take(folder: int | None, name: str, status: os.stat_result) -> None:
    mode = status.st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
        os.unlink(name, dir_fd=folder)
        return
    if (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        os.chown(name, os.geteuid(), os.getegid(), dir_fd=folder, follow_symlinks=False)
    if not stat.S_ISLNK(mode):
        runs = stat.S_ISDIR(mode) or mode & stat.S_IXUSR
        os.chmod(name, _FOR_ALL if runs else 0o644, dir_fd=folder)


def manifest_digest(folder: Path) -> str | None:
    """The SHA-256 of the manifest in hexadecimal; None if it is no file, or too long."""
    try:
        descriptor = os.open(folder / MANIFEST, os.O_RDONLY | ITSELF)
    except OSError:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MOST_BYTES:
            return None
        return digest(os.read(descriptor, MOST_BYTES))
    finally:
        os.close(descriptor)


def digest(text: bytes) -> str:
    """The SHA-256 of a manifest in hexadecimal."""
    return hashlib.sha256(text).hexdigest()
