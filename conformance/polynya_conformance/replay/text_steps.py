"""Steps of any game as words: ``advance 2 0 0`` for ``["advance", 2, 0, 0]``, and back.

A word is a string, a whole number a number; every other value stands as JSON, so that no game has
steps that cannot be written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

from polynya_common.reasons import Reason

SEPARATOR = ";"
"""Between the steps of a turn."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LITERALS = {"true": True, "false": False, "null": None}
_PLAIN = re.compile(r'[^\s;"\[\]{}]+')
_DIGITS = re.compile(r"-?[0-9]{1,20}")
_json = json.JSONDecoder(parse_constant=None, strict=True)


def steps_as_words(steps: Iterable[Iterable[Any]]) -> str:
    """The steps of a turn: ``tip N S; tip W E; end``."""
    return f"{SEPARATOR} ".join(" ".join(map(_as_word, step)) for step in steps)


def _as_word(value: Any) -> str:
    if isinstance(value, str) and _WORD.fullmatch(value) and value not in _LITERALS:
        return value
    return json.dumps(value, separators=(",", ":"))


def steps_of_words(text: str) -> list[list[Any]]:
    """The steps that :func:`steps_as_words` wrote; whether they are legal is not looked at.

    Raises:
        ValueError: there is a step without words, or what is no word, number or JSON; it is named.
    """
    steps: list[list[Any]] = [[]]
    for value in _values(text):
        if value is SEPARATOR:
            steps.append([])
        else:
            steps[-1].append(value)
    for number, step in enumerate(steps, start=1):
        if not step:
            raise ValueError(Reason.of("step_without_words", step=number))
    return steps


def _values(text: str) -> Iterator[Any]:
    """The values one after the other; ``SEPARATOR`` itself between two steps."""
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
        elif text[place] == SEPARATOR:
            yield SEPARATOR
            place += 1
        elif plain := _PLAIN.match(text, place):
            yield _plain_value(plain.group())
            place = plain.end()
        else:
            value, place = _json_value(text, place)
            yield value


def _plain_value(word: str) -> Any:
    if word in _LITERALS:
        return _LITERALS[word]
    if _WORD.fullmatch(word):
        return word
    if _DIGITS.fullmatch(word):
        return int(word)
    try:
        return float(word)
    except ValueError:
        raise ValueError(Reason.of("bad_word", word=word)) from None


def _json_value(text: str, place: int) -> tuple[Any, int]:
    try:
        return _json.raw_decode(text, place)
    except (ValueError, RecursionError):
        shown = text[place : place + 20]
        raise ValueError(Reason.of("bad_value", start=shown)) from None
