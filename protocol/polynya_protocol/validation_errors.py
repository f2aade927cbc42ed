"""Errors of msgspec as values: the one place that reads its sentences.

msgspec says in English only where a document is wrong and why. Its wording is no promise, so
``pyproject.toml`` bounds its version, and a test compares the sentences with those of the installed
one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_PLACED = re.compile(r"(.*) - at (?:`key` in )?`\$\.?([^`]*)`", re.DOTALL)
_EXPECTED = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")
_MISSING = re.compile(r"Object missing required field `(.+)`")
_NO_CHOICE = re.compile(r"Invalid enum value (.+)", re.DOTALL)
_MOMENT = "Invalid RFC3339 encoded datetime"


@dataclass(frozen=True, slots=True)
class Problem:
    """The first thing that is wrong with a document.

    Attributes:
        sentence: msgspec's own sentence, without the place.
        place: the keys that lead to the value, such as ``bots[0].name``; empty for the document.
        expected: the kinds that a value of another kind should have, such as ``int``, ``null``.
        given: the kind that it has; empty if the value has the right kind.
        missing: the key that is missing at the place; empty if none is.
        no_choice: the value that is none of the words that may stand at the place, as msgspec
            quotes it; empty if that is not the problem.
    """

    sentence: str
    place: str = ""
    expected: tuple[str, ...] = ()
    given: str = ""
    missing: str = ""
    no_choice: str = ""


def problem_of(error: Exception) -> Problem:
    """The problem that an error of msgspec describes; any other error has only its sentence."""
    text = str(error)
    placed = _PLACED.fullmatch(text)  # greedy: a value in the sentence may hold these words, too
    sentence, place = placed.groups() if placed else (text, "")
    if found := _EXPECTED.fullmatch(sentence):
        return Problem(sentence, place, tuple(found[1].split(" | ")), found[2])
    if sentence == _MOMENT:
        return Problem(sentence, place, ("datetime",), "str")
    if found := _MISSING.fullmatch(sentence):
        return Problem(sentence, place, missing=found[1])
    if found := _NO_CHOICE.fullmatch(sentence):
        return Problem(sentence, place, no_choice=found[1])
    return Problem(sentence, place)
