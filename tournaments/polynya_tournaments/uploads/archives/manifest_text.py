"""Parses the text of ``polynya.toml`` before its values are checked; imports little."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any, Final

from polynya_common.errors import ConfigurationError
from polynya_common.reasons import Reason, cause_of
from polynya_contest.config.toml_text import parse_toml
from polynya_tournaments.uploads.errors import UploadError

MANIFEST: Final = "polynya.toml"
MOST_BYTES: Final = 64 * 1024
_NOT_UTF_8: Final = {
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
    b"n\0": "UTF-16",
    b"\0n": "UTF-16",
    b"{\\rtf": "RTF",
}
"""The beginnings of files that editors save as "Unicode" or as a text with layout."""


def parsed(text: bytes) -> dict[str, Any]:
    """The document of a manifest.

    Args:
        text: of the file, or its beginning.

    Raises:
        UploadError: it is too long, or no TOML.
    """
    if len(text) > MOST_BYTES:
        raise UploadError(Reason.of("manifest_too_long", most=MOST_BYTES))
    for begins, kind in _NOT_UTF_8.items():
        if text.startswith(begins):
            raise UploadError(Reason.of("manifest_encoding", encoding=kind))
    try:
        return parse_toml(text, f"{MANIFEST}:")
    except ConfigurationError as error:
        raise UploadError(cause_of(error)) from error


def why_missing(like_manifest: Iterable[str]) -> Reason:
    """Why there is no manifest.

    Args:
        like_manifest: paths of files that could be meant as one.
    """
    for path in sorted(like_manifest, key=lambda path: path.count("/")):
        folder, name = PurePosixPath(path).parent, PurePosixPath(path).name
        if name == MANIFEST:
            return Reason.of("manifest_in_other_folder", folder=str(folder))
        return Reason.of("manifest_named_otherwise", path=path)
    return Reason.of("manifest_missing")
