"""Reasons: each has a sentence in every language, and each that the code gives is in the table."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache

import msgspec
import pytest
from tests.folders import PACKAGES, ROOT

from polynya_common.reasons import Cause, Reason, cause_of, groups, reason_of, render, table

LANGUAGES = ("en", "de")
PLACE = re.compile(r"\{(\w+)(?::[^{}]*)?\}")
SPREAD = {"undecided", "test_accepts"}
"""Codes whose fields the code gives by ``**``, so that reading it does not show them all."""


def fields(template: str) -> set[str]:
    return set(PLACE.findall(template))


@cache
def given() -> tuple[tuple[str, str, frozenset[str]], ...]:
    """Each ``Reason.of`` in the sources: its place, its code and its fields."""
    return tuple(
        (f"{path.relative_to(ROOT)}:{call.lineno}", str(ast.literal_eval(call.args[0])), names)
        for package in PACKAGES.values()
        for path in sorted(package.rglob("*.py"))
        for call, names in _calls(ast.parse(path.read_text()))
    )


def _calls(module: ast.Module) -> Iterator[tuple[ast.Call, frozenset[str]]]:
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Reason.of":
            yield node, frozenset(keyword.arg for keyword in node.keywords if keyword.arg)


def test_each_code_has_a_template_in_each_language_with_the_same_fields() -> None:
    wrong = [
        code
        for code, templates in table().items()
        if tuple(templates) != LANGUAGES
        or not all(templates.values())
        or len({frozenset(fields(template)) for template in templates.values()}) > 1
    ]
    assert wrong == []


def test_no_code_is_in_two_groups() -> None:
    assert len(table()) == sum(len(group) for group in groups().values())


def test_each_reason_in_the_code_is_in_the_table_with_its_fields() -> None:
    wrong = [
        (place, code)
        for place, code, names in given()
        if code not in table() or (code not in SPREAD and names != fields(table()[code]["en"]))
    ]
    assert wrong == []


def test_each_code_of_the_table_is_in_the_code() -> None:
    used = {code for _, code, _ in given()}
    unused = [code for name, group in groups().items() if name != "words" for code in group]
    assert [code for code in unused if code not in used] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_code_renders_any_values_of_its_fields(language: str) -> None:
    inner = Reason.of("silent")
    for value in ("a", 7, 1.5, None, [], ["a", "b"], [inner], inner, {"x": 1}, True):
        for code, templates in table().items():
            reason = Reason.of(code, **dict.fromkeys(fields(templates["en"]), value))
            assert not PLACE.search(render(reason, language)), (code, value)


@pytest.mark.parametrize(
    ("reason", "english", "german"),
    [
        (
            Reason.of("no_answer", turn=3, limit_ms=100, unnamed=None),
            "no answer to turn 3 within 100 ms",
            "keine Antwort auf Zug 3 innerhalb von 100 ms",
        ),
        (
            Reason.of("no_answer", turn=3, limit_ms=100, unnamed=2),
            "no answer to turn 3 within 100 ms; 2 moves came that named no turn",
            "keine Antwort auf Zug 3 innerhalb von 100 ms; ohne Angabe von turn kamen: 2 Züge",
        ),
        (
            Reason.of("not_there", bot="ann", limit_ms=5, why=Reason.of("silent")),
            "ann was not there within 5 ms: it answered nothing for three heartbeats",
            "ann war nicht innerhalb von 5 ms da: er antwortete dreimal nicht auf ping",
        ),
        (
            Reason.of("only_free_bots", bots=["ann", "bob", "cleo"]),
            "ann, bob and cleo were the only free bots",
            "ann, bob und cleo waren als Einzige frei",
        ),
        (
            Reason.of("upload_too_long", most=1_000_000),
            "the file is longer than 1,000,000 bytes, the most",
            "die Datei ist länger als die erlaubten 1.000.000 Bytes",
        ),
        (
            Reason.of("last_move", turn=3, seconds=1.25),
            "the move of turn 3, 1.2 s before its end",
            "der Zug 3, 1,2 s vor seinem Ende",
        ),
        (
            Reason.of("validation_forfeit", forfeit="timeout", why="it slept"),
            "it forfeited by timeout: it slept",
            "er verlor vorzeitig (Zeitüberschreitung): it slept",
        ),
    ],
)
def test_reason_is_rendered_in_each_language(reason: Reason, english: str, german: str) -> None:
    assert (english, german) == (str(reason), render(reason, "de"))


def test_text_is_its_own_sentence() -> None:
    assert render("it did", "de") == "it did"


def test_unknown_code_stands_for_itself() -> None:
    assert render(Reason("of_tomorrow"), "de") == "of_tomorrow"


def test_unknown_language_is_english() -> None:
    assert render(Reason.of("silent"), "xx") == "it answered nothing for three heartbeats"


def test_refusal_of_a_game_is_rendered_by_its_game() -> None:
    refusal = Reason("off", {"cell": 9}, game="nim", text="9 is off the board")
    outer = Reason.of("no_legal_steps", why=refusal)
    german = render(outer, "de", lambda game, one, _: f"{game}: {one.fields['cell']} fehlt")
    assert str(outer) == "no legal steps: 9 is off the board"
    assert german.endswith(": nim: 9 fehlt")


def test_nested_reasons_end_at_a_bound() -> None:
    reason = Reason.of("silent")
    for _ in range(100):
        reason = Reason.of("no_legal_steps", why=reason)
    assert str(reason).endswith(": no_legal_steps")


@pytest.mark.parametrize("cause", ["text", Reason.of("no_legal_steps", why=Reason.of("silent"))])
def test_cause_survives_json_and_msgpack(cause: Cause) -> None:
    for codec in (msgspec.json, msgspec.msgpack):
        assert codec.decode(codec.encode(cause), type=Cause) == cause


def test_error_tells_the_reason_that_it_was_raised_with() -> None:
    reason = Reason.of("silent")
    error = ValueError(reason)
    assert cause_of(error) == reason
    assert str(error) == str(reason)
    assert cause_of(ValueError("text")) == "text"
    assert cause_of(ValueError()) == ""


def test_reason_of_a_text_is_none() -> None:
    assert [reason_of("text"), reason_of(None)] == [None, None]
