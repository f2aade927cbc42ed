"""Reads the last lines of a hosted bot's log, safe to show on a page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from polynya_common.file_names import marked_stem
from polynya_protocol.errors import printable
from polynya_protocol.names import is_name

MAX_BYTES = 64 * 1024
MAX_LINES = 200
MAX_LINE = 500


def log_path(folders: Iterable[Path], bot: str) -> Path | None:
    """The bot's newest log file, or None; an invalid name never becomes a path."""
    if not is_name(bot):
        return None
    names = (f"{bot}.log", f"{marked_stem(bot)}.log")
    paths = [
        found
        for folder in folders
        for found in folder.glob("*.log")
        if found.name in names and found.is_file()
    ]
    return max(paths, key=lambda path: path.stat().st_mtime_ns, default=None)


def last_lines(path: Path) -> list[str]:
    """The last lines of a log, each without control characters.

    Raises:
        OSError: it cannot be read.
    """
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - MAX_BYTES))
        text = file.read(MAX_BYTES).decode("utf-8", "replace")
    lines = text.split("\n")
    if size > MAX_BYTES:
        del lines[0]  # its beginning is missing
    return [printable(line.rstrip("\r"), MAX_LINE) for line in lines if line.strip()][-MAX_LINES:]
