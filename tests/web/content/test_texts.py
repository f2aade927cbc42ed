"""Every language says the same: the same keys, with the same places for values."""

from __future__ import annotations

import re

import pytest

from polynya_web.content.texts import LANGUAGES, TEXTS, Texts, preferred

ENGLISH = TEXTS["en"].texts
OTHERS = [language for language in LANGUAGES if language != "en"]


def places(text: str) -> set[str]:
    return set(re.findall(r"\{(\w*)\}", text))


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_the_keys_of_english_in_the_same_order(language: str) -> None:
    assert list(ENGLISH) == list(TEXTS[language].texts)


@pytest.mark.parametrize("language", OTHERS)
def test_a_text_has_the_places_of_the_english_one(language: str) -> None:
    texts = TEXTS[language].texts
    assert {key: places(text) for key, text in ENGLISH.items()} == {
        key: places(texts[key]) for key in ENGLISH
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_empty_or_has_a_brace_that_is_no_place(language: str) -> None:
    wrong = [
        key
        for key, text in TEXTS[language].texts.items()
        if not text.strip() or set("{}") & set(re.sub(r"\{\w+\}", "", text))
    ]
    assert wrong == []


def test_values_are_put_into_their_places_and_not_read_again() -> None:
    texts = Texts("en", {"a": "{x} and {y}"})
    assert texts("a", x="{y}", y=2) == "{y} and 2"


def test_numbers_have_the_decimal_point_of_the_language() -> None:
    written = {language: texts.number(3.5) for language, texts in TEXTS.items()}
    assert written == {"en": "3.5", "de": "3,5"}


def test_a_number_chooses_the_form() -> None:
    texts = Texts("en", {"n.one": "{number} match", "n.other": "{number} matches"})
    assert [texts.count("n", number) for number in (0, 1, 2)] == [
        "0 matches",
        "1 match",
        "2 matches",
    ]


@pytest.mark.parametrize(
    ("accepted", "language"),
    [
        ("", "en"),
        ("de", "de"),
        ("de-AT,en;q=0.8", "de"),
        ("en;q=0.5, de;q=0.9", "de"),
        ("fr, en;q=0.3, de;q=0.2", "en"),
        ("de;q=0", "en"),
        ("de;q=high, *", "en"),
        (",;,;;=,", "en"),
    ],
)
def test_the_browsers_language_is_used_where_there_is_one(accepted: str, language: str) -> None:
    assert language == preferred(accepted)
