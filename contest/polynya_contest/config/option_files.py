"""Set-up options whose values stand in files of their own: ``@FILE``, for boards and blocks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from polynya_common.errors import ConfigurationError
from polynya_games.trace import option_value

MOST_BYTES = 1_000_000
"""How long a file with the value of an option may be."""


def value_in(file: Path) -> Any:
    """The value in a file: JSON where it parses as JSON, else the text without white space around.

    Raises:
        ConfigurationError: it cannot be read, or is too long; the message names it.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or "it is no text in UTF-8"
        raise ConfigurationError(f"{str(file)!r} cannot be read: {why}") from error
    if len(content) > MOST_BYTES:
        raise ConfigurationError(f"{str(file)!r} is larger than {MOST_BYTES} bytes")
    return option_value(text.strip())


def options_with_files(options: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """The options of a TOML file; values ``"@FILE"`` are read from files.

    Args:
        options: as they stand in the file.
        folder: relative names are those of files in it.

    Raises:
        ConfigurationError: a file cannot be read.
    """
    return {
        name: value_in(folder / Path(value[1:]).expanduser())
        if isinstance(value, str) and value.startswith("@")
        else value
        for name, value in options.items()
    }
