"""Texts of the pages in each language, and the choice of a request's language.

A text may have places for values, ``{name}``; a text that depends on a number has two keys,
which end in ``.one`` and ``.other``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from starlette.requests import Request

from polynya_common.reasons import ENGLISH, Cause, Reason, groups, is_known, render
from polynya_games import installed, load, refusals

LANGUAGES = {"en": "English", "de": "Deutsch"}
"""Languages by code, with their native names; the first is the default."""

COOKIE = "language"
QUERY = "lang"

_PLACE = re.compile(r"\{(\w+)\}")


HOWTO = ".howto."
"""A part of the keys of the texts that say how to read a board: the server alone shows these."""


@dataclass(frozen=True)
class Texts:
    """The texts of one language; called with a key, and the values for its places.

    Attributes:
        language: its code.
        texts: by key.
    """

    language: str
    texts: Mapping[str, str]

    def __call__(self, key: str, /, **values: object) -> str:
        """The text of ``key``.

        Raises:
            KeyError: there is no such text, or no value for one of its places.
        """
        return _PLACE.sub(lambda place: str(values[place[1]]), self.texts[key])

    def __contains__(self, key: object) -> bool:
        return key in self.texts

    def count(self, key: str, number: int, /, **values: object) -> str:
        """The text for a number, which replaces ``{number}`` in it."""
        form = "one" if number == 1 else "other"
        return self(f"{key}.{form}", number=number, **values)

    def number(self, value: float, form: str = "g") -> str:
        """A number in a form of ``format()``: with the language's decimal point, a true minus."""
        return format(value, form).replace(".", self("number.point")).replace("-", "\N{MINUS SIGN}")

    def word(self, group: str, key: object, /) -> str:
        """The text ``group.key``; a key without a translation stands for itself."""
        name = f"{group}.{key}"
        return self(name) if name in self.texts else str(key)

    def starting(self, *prefixes: str) -> dict[str, str]:
        """The texts whose keys have these prefixes, for a page's script; none of ``HOWTO``."""
        return {
            key: text
            for key, text in self.texts.items()
            if key.startswith(prefixes) and HOWTO not in key
        }

    def reasons(self, *names: str) -> dict[str, str]:
        """The templates of groups of reasons, for scripts: ``reason.CODE``, none in English.

        Scripts show a reason without a template as its English sentence, which comes with it.
        """
        if self.language == ENGLISH:
            return {}
        return {
            f"reason.{code}": template[self.language]
            for name in ("words", *names)
            for code, template in groups()[name].items()
        }

    def refusals(self, *games: str) -> dict[str, str]:
        """The templates of games' refusals, for scripts: ``refusal.GAME.CODE``."""
        if self.language == ENGLISH:
            return {}
        return {
            f"refusal.{game}.{code}": templates[self.language]
            for game in games
            if game in installed()
            for code, templates in load(game).refusals.items()
            if self.language in templates
        }

    def said(self, cause: Cause) -> tuple[str, str]:
        """A reason in this language, and the language that it is in: text stays as it is."""
        if isinstance(cause, str) or not self._has(cause):
            return str(cause), ENGLISH
        return render(cause, self.language, refusal_words), self.language

    def _has(self, reason: Reason) -> bool:
        if reason.game is None:
            return is_known(reason)
        return refusal_words(reason.game, reason, self.language) is not None


def refusal_words(game: str, refusal: Reason, language: str) -> str | None:
    """The sentence of a game's refusal; None if the game is not installed, or lacks the code."""
    if game not in installed():
        return None
    return refusals.render(load(game), refusal.code, refusal.fields, language)


def _read(language: str) -> Texts:
    return Texts(language, _document(f"{language}.json"))


def _document(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        files("polynya_web").joinpath("texts", name).read_text("utf-8")
    )
    return found


TEXTS = {language: _read(language) for language in LANGUAGES}
"""The texts by language."""


def texts_for(request: Request) -> Texts:
    """The texts in a request's language: from the query, the cookie, or the browser."""
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
