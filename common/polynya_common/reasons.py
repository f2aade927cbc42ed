"""Reasons: why a match, a bot or a request ended as it did, as a code with fields.

A reason is recorded and sent as it is, and becomes a sentence only where a person or a bot reads
it. The table ``reasons.json`` has each code's sentence in every language, grouped by its readers.

A template has places: ``{field}``, or ``{field:form}`` with one of these forms:

===========  ====================================================================================
form         shows
===========  ====================================================================================
(none)       text as it is, a number, a list as ``a, b and c``, a reason as its sentence
``r``        text in quotes, as Python writes it
``;``        a list with semicolons
``word``     a word of the table, ``word.timeout`` of the value ``timeout``
``.1f`` ...  a number, as ``format()`` writes it, with the signs of the language
with ``#``   the form itself, with the value for ``#``; nothing for null and an empty list. Two
             forms, with ``|`` between them, are those for one and for several.
===========  ====================================================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

ENGLISH = "en"

Table = Mapping[str, Mapping[str, str]]
"""The templates of each code, by language."""

_MOST_NESTED = 8
_PLACE = re.compile(r"\{(\w+)(?::([^{}]*))?\}")
_NUMBER = re.compile(r",|,?\.\d[fg]|g")
_CONJUNCTIONS = {"en": "and", "de": "und"}
_SIGNS = {"de": str.maketrans(".,", ",.")}


class Reason(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why something happened or was refused; ``str()`` is its English sentence.

    Attributes:
        code: of the table, or of a game's refusals.
        fields: the values of the template's places: text, numbers, null, lists, other reasons
            (as maps with ``code`` and ``fields``).
        game: the game whose rules refused, None for a code of the table.
        text: the English sentence of such a refusal.
    """

    code: str
    fields: dict[str, Any] = {}
    game: str | None = None
    text: str | None = None

    @classmethod
    def of(cls, code: str, /, **fields: object) -> Reason:
        """A reason of the table with the values of its places."""
        return cls(code, {name: _plain(value) for name, value in fields.items()})

    def __hash__(self) -> int:
        return hash(self.code)

    def __str__(self) -> str:
        return render(self)


Cause = Reason | str
"""A reason, or a sentence in English: of old records, and in the words of another program."""

Refusals = Callable[[str, Reason, str], str | None]
"""The sentence of a game's refusal: of its game, itself, in a language; None if there is none."""


@cache
def groups() -> Mapping[str, Table]:
    """The whole table, by group."""
    text = files("polynya_common").joinpath("reasons.json").read_text("utf-8")
    found: dict[str, Table] = json.loads(text)
    return found


@cache
def table() -> Table:
    """The templates of all codes."""
    return {code: texts for group in groups().values() for code, texts in group.items()}


def cause_of(error: BaseException) -> Cause:
    """The reason that an error was raised with, else its message."""
    [first, *_] = error.args or ("",)
    return first if isinstance(first, Reason) else str(error)


def reason_of(cause: Cause | None) -> Reason | None:
    """The reason behind a sentence; None where there is only text, or nothing."""
    return cause if isinstance(cause, Reason) else None


def is_known(reason: Reason) -> bool:
    """Whether its code has a sentence here."""
    return reason.code in table()


def render(cause: Cause, language: str = ENGLISH, refusals: Refusals | None = None) -> str:
    """The sentence of a reason in a language; in English where the language has none.

    Text is its own sentence, and an unknown code stands for itself: records come from elsewhere.

    Args:
        cause: the reason, or a sentence.
        language: a code, such as ``de``.
        refusals: the sentences of games in other languages than English.
    """
    return _Renderer(language, refusals).sentence(cause, 0)


class _Renderer:
    """Renders reasons in one language."""

    def __init__(self, language: str, refusals: Refusals | None) -> None:
        self._language = language
        self._refusals = refusals

    def sentence(self, cause: Cause, depth: int) -> str:
        if isinstance(cause, str):
            return cause
        if cause.game is not None:
            return self._refusal(cause.game, cause)
        templates = table().get(cause.code)
        if templates is None or depth > _MOST_NESTED:
            return cause.text or cause.code
        template = templates.get(self._language) or templates[ENGLISH]
        return _PLACE.sub(
            lambda place: self._place(cause.fields.get(place[1]), place[2] or "", depth), template
        )

    def _refusal(self, game: str, cause: Reason) -> str:
        found = None
        if self._refusals is not None and self._language != ENGLISH:
            found = self._refusals(game, cause, self._language)
        return found or cause.text or cause.code

    def _place(self, value: object, form: str, depth: int) -> str:
        if "#" in form:
            if value is None or value == []:
                return ""
            one, _, several = form.partition("|")
            count = len(value) if isinstance(value, list) else value
            return (several or one if count != 1 else one).replace("#", self._shown(value, depth))
        if form == ";" and isinstance(value, list):
            return "; ".join(self._shown(one, depth) for one in value)
        if form == "word" and isinstance(value, str):
            return self.sentence(Reason(f"word.{value}", text=value), depth)
        if form == "r" and isinstance(value, str):
            return repr(value)
        if _NUMBER.fullmatch(form) and isinstance(value, int | float):
            with suppress(OverflowError):
                return self._number(format(value, form))
        return self._shown(value, depth)

    def _shown(self, value: object, depth: int) -> str:
        if isinstance(value, list):
            *most, last = [self._shown(one, depth + 1) for one in value] or [""]
            conjunction = _CONJUNCTIONS.get(self._language, _CONJUNCTIONS[ENGLISH])
            return f"{', '.join(most)} {conjunction} {last}" if most else last
        if isinstance(value, dict):
            try:
                return self.sentence(msgspec.convert(value, Reason), depth + 1)
            except msgspec.ValidationError:
                return json.dumps(value, default=repr)
        if isinstance(value, float):
            return self._number(str(value))
        return str(value)

    def _number(self, text: str) -> str:
        signs = _SIGNS.get(self._language)
        return text.translate(signs) if signs else text


def _plain(value: object) -> object:
    """A value as JSON holds it."""
    if isinstance(value, Reason):
        return msgspec.to_builtins(value)
    if isinstance(value, BaseException):
        return _plain(cause_of(value))
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value
