"""The answer that holds an uploaded archive, to be saved and never to be shown."""

from __future__ import annotations

from pathlib import Path

from starlette.responses import FileResponse


def archive_response(path: Path, label: str) -> FileResponse:
    """A ZIP or tar.gz file, to be saved under the name of its version."""
    stem = "".join(char if char.isascii() and char.isalnum() else "-" for char in label)
    with path.open("rb") as opened:
        suffix = ".zip" if opened.read(2) == b"PK" else ".tar.gz"
    return FileResponse(
        path,
        media_type="application/octet-stream",
        filename=f"{stem}{suffix}",
        headers={"cache-control": "no-cache"},
    )
