"""Reading TOML files into values: every mistake is named with its place and its remedy."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from polynya_tournaments.errors import ConfigurationError

T = TypeVar("T")


def read_toml(path: Path) -> dict[str, Any]:
    """The document in a file.

    Raises:
        ConfigurationError: it cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}") from error


def refuse_unknown(table: object, known: Iterable[str], path: str) -> None:
    """Refuse keys that mean nothing; what is no table is left to the conversion.

    Args:
        table: what stands in the file.
        known: the keys that there are.
        path: of the table, with its dot.

    Raises:
        ConfigurationError: the message names the nearest key that there is.
    """
    names = list(known)
    for key in table if isinstance(table, dict) else ():
        if key not in names:
            near = difflib.get_close_matches(key, names, n=1, cutoff=0.5)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise ConfigurationError(f"unknown key {path}{key}; {meant}")


def converted(document: object, kind: type[T]) -> T:
    """The document as a value of a type.

    Raises:
        ConfigurationError: a key has the wrong type or an impossible value; the message names it.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        text = str(error).replace("`$.", "`").replace(" - at ", " at ")
        raise ConfigurationError(text[0].lower() + text[1:]) from error
