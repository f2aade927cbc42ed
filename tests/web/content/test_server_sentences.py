"""Sentences that the server writes in English are shown in the reader's language."""

from __future__ import annotations

import ast
import itertools
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from tests.folders import ROOT

import polynya_games
from polynya_contest.pairing.standings import ABSENT, NOT_READY, WITHDRAWN
from polynya_games.errors import GameError
from polynya_store.tournaments.open_pairings import all_missing, why_missed
from polynya_web.content.server_sentences import ServerSentences
from polynya_web.content.texts import LANGUAGES, ORIGINAL, TEXTS

OTHERS = [language for language in LANGUAGES if language != ORIGINAL]
OF_OTHERS = (
    "Broken pipe",
    "Connection reset by peer",
    "Connection timed out",
    "Expected {wanted}, got {found}",
    "Method Not Allowed",
    "Not Found",
    "Object missing required field {key}",
)
"""Sentences of the operating system, Starlette and msgspec."""
PACKAGES = ("protocol", "games", "server", "tournaments", "web")


def places(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


@cache
def code() -> frozenset[str]:
    """The words between values and signs in all strings of the server's code."""
    return frozenset(
        clause
        for package in PACKAGES
        for path in sorted(Path(ROOT, package).rglob("polynya_*/**/*.py"))
        for text in _strings(ast.parse(path.read_text()))
        for clause in clauses(text)
    )


def _strings(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def clauses(text: str) -> Iterator[str]:
    """The words between values and signs."""
    for part in re.split(r"\{\w*\}|[:;,()]", text):
        clause = part.strip(" `'\"")
        if re.search("[A-Za-z]", clause):
            yield clause


def is_in_the_code(clause: str, most_parts: int = 3) -> bool:
    """Whether the code has these words, or a few parts that it puts together."""
    if clause in code():
        return True
    words = clause.split(" ")
    return most_parts > 1 and any(
        " ".join(words[:count]) in code()
        and is_in_the_code(" ".join(words[count:]), most_parts - 1)
        for count in range(1, len(words))
    )


@pytest.mark.parametrize("language", OTHERS)
def test_a_sentence_has_the_places_of_the_english_one(language: str) -> None:
    wrong = [
        sentence
        for table in TEXTS[language].sentences.values()
        for sentence, text in table.items()
        if places(sentence) != places(text) or not text.strip()
    ]
    assert wrong == []


@pytest.mark.parametrize("language", OTHERS)
def test_the_english_sentences_are_those_that_the_server_writes(language: str) -> None:
    gone = [
        (sentence, clause)
        for table in TEXTS[language].sentences.values()
        for sentence in table
        for clause in clauses(sentence)
        if sentence not in OF_OTHERS and not is_in_the_code(clause)
    ]
    assert gone == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("game", polynya_games.installed())
def test_what_a_game_refuses_is_said_in_the_language(language: str, game: str) -> None:
    rules = polynya_games.load(game)
    draw = random.Random(1)
    refused: set[str] = set()
    for players in range(rules.min_players, rules.max_players + 1):
        others: list[object] = [[], ["?"], 7, ["place", "x"]]
        state = rules.setup(players, seed=players)
        while state.to_move is not None:
            refused |= refusals(state, draw.choice(others))
            step = draw.choice(state.legal_steps())
            others += [step, [*step, 0], [*step[:-1], 99], [*step[:-1], None]]
            state = state.apply(step)
        refused |= refusals(state, step)
    assert [why for why in sorted(refused) if TEXTS[language].said(why)[1] != language] == []


@pytest.mark.parametrize("language", OTHERS)
def test_bots_that_missed_matches_are_named_in_the_language(language: str) -> None:
    for reasons in itertools.product((WITHDRAWN, ABSENT, NOT_READY), repeat=3):
        missing = dict(zip(("ann", "bob", "cleo"), reasons, strict=True))
        matches = [{name: reason} for name, reason in missing.items()]
        for sentence in (why_missed(missing), all_missing(matches)):
            said, its_language = TEXTS[language].said(f"3 not played: {sentence}")
            left = [
                words for words in (" was ", " were ", " have ", " has ", " and ") if words in said
            ]
            assert (its_language, left) == (language, []), sentence


def refusals(state: polynya_games.State, step: object) -> set[str]:
    """Why the step is refused; empty if it is not."""
    try:
        state.apply(step)
    except GameError as error:
        return {str(error)}
    return set()


SENTENCES = ServerSentences(
    {
        "{name} left: {why}": "{name} ging: {why}",
        "no answer within {limit} ms": "keine Antwort in {limit} ms",
        "{list} met": "{list} trafen sich",
        "{number} s": "{number} Sekunden",
    },
    "und",
    ",",
)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("no answer within 100 ms", "keine Antwort in 100 ms"),
        ("no answer within 100 ms of the end", None),
        ("no answer within  ms", None),
        ("no answer within ms", None),
        ("a left: no answer within 5 ms", "a ging: keine Antwort in 5 ms"),
        ("a left: it was late", "a ging: it was late"),
        ("a left: {name}", "a ging: {name}"),
        ("a left: b left: c left: d", "a ging: b ging: c ging: d"),
        ("a, b and c met", "a, b und c trafen sich"),
        ("1.5 s", "1,5 Sekunden"),
        ("", None),
    ],
)
def test_a_sentence_of_the_table_is_said_with_its_values(
    sentence: str, expected: str | None
) -> None:
    assert expected == SENTENCES(sentence)


def test_a_sentence_within_a_sentence_is_followed_to_a_bound() -> None:
    assert "x ging: " in str(SENTENCES("x left: " * 10_000 + "."))


def test_the_original_language_says_the_sentences_of_the_server() -> None:
    assert TEXTS[ORIGINAL].said("no such sentence") == ("no such sentence", ORIGINAL)
