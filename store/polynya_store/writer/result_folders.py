"""The folders for results that the database does not take, and whether what is in them lasts."""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from polynya_common.database_address import DatabaseAddress, DatabaseUrl

_MOUNTS = Path("/proc/self/mountinfo")
_IN_MEMORY = frozenset({"tmpfs", "ramfs"})
_ESCAPED = re.compile(r"\\([0-7]{3})")
_LAYERS = frozenset({"overlay", "aufs"})
"""Of a container: what is written there is gone with it."""


def result_folders(database: DatabaseAddress) -> list[Path]:
    """Where results are kept, the best folder first: beside a file, then where they last."""
    beside = [] if isinstance(database, DatabaseUrl) else [database.absolute().parent]
    return [*beside, *sorted(_folders_of_user(), key=lambda one: bool(fleeting_system(one)))]


def _folders_of_user() -> list[Path]:
    folders = []
    state = os.environ.get("XDG_STATE_HOME") or os.environ.get("LOCALAPPDATA")
    with contextlib.suppress(RuntimeError):  # this user has no home
        folders.append(Path(state or Path.home() / ".local" / "state") / "polynya")
    # Not tempfile.gettempdir(): it looks for another folder when this one is full.
    folders.append(Path(os.environ.get("TMPDIR") or os.environ.get("TEMP") or "/tmp"))  # noqa: S108
    return folders


@dataclass(frozen=True, slots=True)
class ResultPlace:
    """The folder that results would be written into now.

    Attributes:
        folder: the first folder that can be written; None without one.
        fleeting: the kind of file system that does not last, on which it lies; empty if it lasts.
    """

    folder: Path | None
    fleeting: str = ""

    @property
    def lasts(self) -> bool:
        """Whether a later start finds what is written there."""
        return self.folder is not None and not self.fleeting

    def sentence(self) -> str:
        """The place in a sentence for the host."""
        if self.lasts:
            return f"results that the database does not take are kept in {self.folder}"
        advice = (
            "let XDG_STATE_HOME name a folder that lasts and can be written: in a container, "
            "a folder on a volume"
        )
        if self.folder is None:
            return (
                "results that the database does not take would be lost, for no folder can be "
                f"written: {advice}"
            )
        return (
            f"results that the database does not take would be kept in {self.folder}, which is on "
            f"{self.fleeting} and does not last: {advice}"
        )


def result_place(database: DatabaseAddress) -> ResultPlace:
    """The place for the results of a database: the first folder that can be written."""
    folder = next(filter(_is_writable, result_folders(database)), None)
    return ResultPlace(None) if folder is None else ResultPlace(folder, fleeting_system(folder))


def fleeting_system(folder: Path, mounts: str | None = None) -> str:
    """The kind of file system under a folder if what is written there does not last, else empty.

    Args:
        folder: which.
        mounts: the text of ``/proc/PID/mountinfo`` (proc_pid_mountinfo(5)); by default our own.
    """
    if mounts is None:
        try:
            mounts = _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError:  # no Linux
            return ""
    kinds = _kinds(mounts)
    real = folder.resolve()
    kind = next((kinds[str(path)] for path in (real, *real.parents) if str(path) in kinds), "")
    if kind in _IN_MEMORY:
        return kind
    return "the container's own layer" if kind in _LAYERS else ""


def _kinds(mounts: str) -> Mapping[str, str]:
    """The kinds of file systems by their mount points; the last one mounted at a point counts."""
    found = {}
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        if after:
            point = _ESCAPED.sub(lambda digits: chr(int(digits[1], 8)), before.split(" ")[4])
            found[point] = after.split(" ")[0]
    return found


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"\0")
    except OSError:
        return False
    return True
