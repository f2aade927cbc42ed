"""Sentences that the server writes in English, such as why a bot forfeited, in another language.

A table has the sentences with places for values, ``{name}``, and each once more in the other
language. The API, the log and the database keep the English ones. Scripts do the same for the
sentences of the API (``boards/texts.js``).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

MOST_NESTED = 4
"""How deep a sentence within a sentence is translated."""

_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class _Pattern:
    """A sentence with its places, and what is said instead of it."""

    words: Sequence[str]
    places: Sequence[str]
    instead: str

    def values(self, sentence: str) -> dict[str, str] | None:
        """The values of the places in a sentence; None if it is another one.

        No value is empty, and each is as short as possible. This takes one pass over the sentence.
        """
        first, *between = self.words
        if not between:
            return {} if sentence == first else None
        last, start = between.pop(), len(first)
        end = len(sentence) - len(last)
        if not sentence.startswith(first) or not sentence.endswith(last):
            return None
        found = []
        for words in between:
            at = sentence.find(words, start + 1, end)
            if at < 0:
                return None
            found.append(sentence[start:at])
            start = at + len(words)
        if start >= end:
            return None
        return dict(zip(self.places, [*found, sentence[start:end]], strict=True))


class ServerSentences:
    """The table of a language.

    Args:
        table: sentences in English with those of the language. A place whose name begins with
            ``why`` holds a sentence of the table, with ``list`` several words, with ``number`` a
            number with a decimal point. The first that fits a sentence counts.
        conjunction: the word before the last of several words.
        point: the decimal point of the language.
    """

    def __init__(self, table: Mapping[str, str], conjunction: str, point: str) -> None:
        self._patterns = [_pattern(*entry) for entry in table.items()]
        self._kinds: dict[str, Callable[[str, int], str]] = {
            "why": lambda value, depth: self._translated(value, depth + 1) or value,
            "list": lambda value, _depth: value.replace(" and ", f" {conjunction} "),
            "number": lambda value, _depth: value.replace(".", point),
        }

    def __call__(self, sentence: str) -> str | None:
        """The sentence in the language; None if the table has none for it."""
        return self._translated(sentence, 0)

    def _translated(self, sentence: str, depth: int) -> str | None:
        if depth > MOST_NESTED:
            return None
        for pattern in self._patterns:
            values = pattern.values(sentence)
            if values is not None:
                return _PLACE.sub(
                    lambda place: self._value(place[1], values[place[1]], depth),  # noqa: B023
                    pattern.instead,
                )
        return None

    def _value(self, place: str, value: str, depth: int) -> str:
        for kind, translated in self._kinds.items():
            if place.startswith(kind):
                return translated(value, depth)
        return value


def _pattern(sentence: str, instead: str) -> _Pattern:
    words = _PLACE.split(sentence)
    return _Pattern(words[::2], words[1::2], instead)
