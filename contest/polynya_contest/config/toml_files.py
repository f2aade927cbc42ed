"""Reads TOML files into values, and files that they name with ``@FILE``.

Every mistake is named with its place and its remedy.
"""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import msgspec.inspect

from polynya_common.errors import ConfigurationError
from polynya_common.text import join_words
from polynya_contest.config.toml_text import parse_toml
from polynya_games.trace import MOST_NESTED, is_deeper, option_value
from polynya_protocol.validation_errors import Problem, problem_of

T = TypeVar("T")

MOST_BYTES = 16 * 2**20
"""Maximum size of a file: a tournament of a million bots is smaller."""


def read_toml(path: Path) -> dict[str, Any]:
    """The document in a file.

    Raises:
        ConfigurationError: it cannot be read, is not TOML, or is longer or deeper than any file of
            ours: a key of a thousand parts would be read, and break what works on the document.
    """
    try:
        content = _content_of(path)
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    document = parse_toml(content, str(path))
    if is_deeper(document, MOST_NESTED):
        raise ConfigurationError(
            f"{path} is nested too deeply: tables and lists go {MOST_NESTED} deep at the most"
        )
    return document


def _content_of(path: Path) -> bytes:
    with path.open("rb") as opened:
        content = opened.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ConfigurationError(f"{path} is longer than {MOST_BYTES} bytes: it is no such file")
    return content


def refuse_unknown(table: object, known: Iterable[str], path: str) -> None:
    """Refuse unknown keys; the conversion refuses values that are no table.

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
            near = difflib.get_close_matches(key, names, n=1, cutoff=0.6)
            meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(names)}"
            raise ConfigurationError(f"unknown key {path}{key}; {meant}")


def converted(document: object, kind: type[T], table: str = "") -> T:
    """Convert a document to a value of a type.

    Args:
        document: what stands in the file.
        kind: the type.
        table: the key of the document, if it is a table of a larger one.

    Raises:
        ConfigurationError: a key has the wrong type or an impossible value; the message names it.
    """
    try:
        return msgspec.convert(document, kind)
    except msgspec.ValidationError as error:
        raise ConfigurationError(_sentence(problem_of(error), document, kind, table)) from error


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "a text",
    "bool": "true or false",
    "array": "a list",
    "object": "a table",
    "null": "nothing",
    "datetime": "a date with a time, such as 2026-12-01T18:30:00Z,",
}
_OUT_OF_RANGE = re.compile(r"\w+: \S+ is not in the range .*")
_LONGEST_SHOWN = 60
"""Maximum length of a value that a message quotes."""


def _sentence(problem: Problem, document: object, kind: type, table: str) -> str:
    """Reword msgspec's message for a host: ``clock.move_ms: a whole number is needed, not …``.

    Args:
        problem: what msgspec says.
        document: the value that was converted.
        kind: the type that it was converted to.
        table: the key of the document, if it is a table of a larger one.
    """
    key = ".".join(filter(None, [table, problem.place]))
    where = f"{key}: " if key else ""
    if _OUT_OF_RANGE.fullmatch(problem.sentence):
        return f"{key}.{problem.sentence}" if key else problem.sentence
    if problem.expected:
        given = _shown(_value_at(document, problem.place)) or _kinds([problem.given])
        return f"{where}{_kinds(problem.expected)} is needed, not {given}"
    if problem.missing:
        return f"the key {f'{key}.' if key else ''}{problem.missing} is missing"
    if problem.no_choice:
        choices = _choices(kind, problem.place)
        there_are = f"; there are {join_words(choices)}" if choices else ""
        return f"{where}there is no {problem.no_choice}{there_are}"
    return f"{where}{problem.sentence[0].lower()}{problem.sentence[1:]}"


def _choices(kind: type, key: str) -> list[str]:
    """The allowed words of a key such as ``format``; none for items of lists."""
    found = [msgspec.inspect.type_info(kind)]
    for name in key.split("."):
        fields = [field for info in found for field in getattr(info, "fields", ())]
        types = [field.type for field in fields if field.encode_name == name]
        found = [each for info in types for each in getattr(info, "types", (info,))]
    return [word for info in found for word in getattr(info, "values", ())]


def _value_at(document: object, place: str) -> object:
    """The value at a place such as ``bots[0].name``; None if msgspec does not say the place."""
    found = document
    for name, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", place):
        if isinstance(found, dict) and name in found:
            found = found[name]
        elif isinstance(found, list) and index:
            found = found[int(index)]
        else:
            return None
    return found


def _shown(value: object) -> str:
    """Quote a short value in a message; empty for a list, a table or a long value."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int) and value.bit_length() > 64:  # Python may refuse to write it
        return ""
    if isinstance(value, str | int | float):
        return short if len(short := repr(value)) <= _LONGEST_SHOWN else ""
    return str(value) if isinstance(value, datetime.date | datetime.time) else ""


def _kinds(names: Sequence[str]) -> str:
    """Kinds in words; ``null`` beside others is a key that is left out."""
    told = [name for name in names if name != "null"] or names
    return " or ".join(_KINDS.get(name, name) for name in told)


MOST_OPTION_BYTES = 1_000_000
"""Maximum size of a file that holds an option's value."""


def value_in(file: Path) -> Any:
    """The value in a file: JSON where it parses as JSON, else the text without white space around.

    Raises:
        ConfigurationError: it cannot be read, or is too long; the message names it.
    """
    try:
        with file.open("rb") as opened:
            content = opened.read(MOST_OPTION_BYTES + 1)
        text = content.decode("utf-8-sig")
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or "it is no text in UTF-8"
        raise ConfigurationError(f"{str(file)!r} cannot be read: {why}") from error
    if len(content) > MOST_OPTION_BYTES:
        raise ConfigurationError(f"{str(file)!r} is larger than {MOST_OPTION_BYTES} bytes")
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
