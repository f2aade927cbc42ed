"""The words of the pages in each language, and which language a request is answered in.

A text may have places for values, ``{name}``; a text that depends on a number has two keys,
which end in ``.one`` and ``.other``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from typing import Any

from starlette.requests import Request

from polynya_web.content.server_sentences import ServerSentences

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""The names of the languages that there are, as their speakers call them; the first is used where
the request asks for none of them."""

ORIGINAL = "en"
"""The language in which the server itself writes its sentences."""

COOKIE = "language"
QUERY = "lang"

_PLACE = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True)
class Texts:
    """The texts of one language; called with a key, and the values for its places.

    Attributes:
        language: its code.
        texts: by key.
        sentences: the server's sentences with those of the language, by group; empty for English.
    """

    language: str
    texts: Mapping[str, str]
    sentences: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of ``key``.

        Raises:
            KeyError: there is no such text, or no value for one of its places.
        """
        return _PLACE.sub(lambda place: str(values[place[1]]), self.texts[key])

    def __contains__(self, key: object) -> bool:
        return key in self.texts

    def count(self, key: str, number: int, /, **values: object) -> str:
        """The text that goes with a number, which is ``{number}`` in it."""
        form = "one" if number == 1 else "other"
        return self(f"{key}.{form}", number=number, **values)

    def number(self, value: float, form: str = "g") -> str:
        """A number in a form of ``format()``, with the decimal point of the language."""
        return format(value, form).replace(".", self("number.point"))

    def word(self, group: str, key: object, /) -> str:
        """The text ``group.key``; a key without a translation stands for itself."""
        name = f"{group}.{key}"
        return self(name) if name in self.texts else str(key)

    def starting(self, *prefixes: str) -> dict[str, str]:
        """The texts whose keys begin so: what a script of a page needs.

        The keys of the server's sentences are ``said.GROUP.SENTENCE``.
        """
        found = {key: text for key, text in self.texts.items() if key.startswith(prefixes)}
        for group, table in self.sentences.items():
            if f"said.{group}." in prefixes:
                found |= {f"said.{group}.{sentence}": text for sentence, text in table.items()}
        return found

    def said(self, sentence: str) -> tuple[str, str]:
        """A sentence of the server as this language has it, and the language that it is in now."""
        if not self.sentences:
            return sentence, ORIGINAL
        translated = self._server_sentences(sentence)
        return (sentence, ORIGINAL) if translated is None else (translated, self.language)

    @cached_property
    def _server_sentences(self) -> ServerSentences:
        table = {key: text for group in self.sentences.values() for key, text in group.items()}
        return ServerSentences(table, self("viewer.result.and"), self("number.point"))


def _read(language: str) -> Texts:
    texts, sentences = _document(f"{language}.json"), {}
    if language != ORIGINAL:
        sentences = _document(f"sentences.{language}.json")
    return Texts(language, texts, sentences)


def _document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        files("polynya_web").joinpath("texts", name).read_text("utf-8")
    )
    return found


TEXTS = {language: _read(language) for language in LANGUAGES}
"""The texts by language."""


def texts_for(request: Request) -> Texts:
    """The texts in the language of a request: asked for, remembered, or the browser's."""
    for asked in (request.query_params.get(QUERY), request.cookies.get(COOKIE)):
        if asked in TEXTS:
            return TEXTS[asked]
    return TEXTS[preferred(request.headers.get("accept-language", ""))]


def preferred(accepted: str) -> str:
    """The best language for an ``Accept-Language`` header (RFC 9110, section 12.5.4)."""
    best, most = next(iter(LANGUAGES)), 0.0
    for entry in accepted[:1_000].split(","):
        name, _, parameter = entry.strip().partition(";")
        language, quality = name.partition("-")[0].lower(), _quality(parameter)
        if language in LANGUAGES and quality > most:
            best, most = language, quality
    return best


def _quality(parameter: str) -> float:
    found = re.fullmatch(r"\s*q=([01](?:\.\d{0,3})?)\s*", parameter)
    if found:
        return float(found[1])
    return 0.0 if parameter else 1.0
