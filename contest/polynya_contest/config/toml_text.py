"""Parses TOML; errors are sentences for a host. It imports little."""

from __future__ import annotations

import tomllib
from typing import Any

from polynya_common.errors import ConfigurationError


def parse_toml(content: bytes, name: str) -> dict[str, Any]:
    """Parse a TOML document.

    Args:
        content: the text, in UTF-8.
        name: of the file, which messages begin with.

    Raises:
        ConfigurationError: it is not TOML.
    """
    try:
        return tomllib.loads(content.decode("utf-8-sig").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).rstrip(")").partition(" (at ")
        raise ConfigurationError(f"{name} is not TOML: look at {place}: {problem}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{name} is not TOML: it is no text in UTF-8") from error
    except RecursionError as error:
        raise ConfigurationError(f"{name} is nested too deeply") from error
    except ValueError as error:  # what Python raises for an integer of thousands of digits
        raise ConfigurationError(f"{name} cannot be read: {error}") from error
