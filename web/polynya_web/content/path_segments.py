"""Names as parts of paths: every name that a bot or a tournament can have has its address."""

from __future__ import annotations

from urllib.parse import quote


def segment(name: str) -> str:
    """A name as a part of a path; browsers leave out ``.`` and ``..``, however they are written."""
    return f"~{name}" if name in (".", "..") else quote(name, safe="")


def named(part: str) -> str:
    """The name that :func:`segment` made a part of a path of: no name begins with ``~``."""
    return part.removeprefix("~")
