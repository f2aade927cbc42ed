"""Parses the text of ``polynya.toml`` before its values are checked; imports little."""

from __future__ import annotations

from typing import Any, Final

from polynya_common.errors import ConfigurationError
from polynya_common.reasons import Reason, cause_of
from polynya_contest.config.toml_text import parse_toml
from polynya_tournaments.uploads.errors import UploadError

MANIFEST: Final = "polynya.toml"
MOST_BYTES: Final = 64 * 1024


def parsed(text: bytes | None) -> dict[str, Any]:
    """The document of a manifest.

    Args:
        text: of the file, or its beginning; None if there is no file.

    Raises:
        UploadError: there is none, it is too long, or no TOML.
    """
    if text is None:
        raise UploadError(Reason.of("manifest_missing"))
    if len(text) > MOST_BYTES:
        raise UploadError(Reason.of("manifest_too_long", most=MOST_BYTES))
    try:
        return parse_toml(text, f"{MANIFEST}:")
    except ConfigurationError as error:
        raise UploadError(cause_of(error)) from error
