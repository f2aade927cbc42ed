"""Refusals have a code, fields and a sentence in each language; the English one is the error's."""

from __future__ import annotations

import string
from collections.abc import Mapping

import pytest

from polynya_games import Game, GameError, IllegalStep, IllegalTurn, apply_turn, installed, load
from polynya_games.packeis import PACKEIS
from polynya_games.refusals import COMMON, Templates, refusal, render

GAMES = [load(name) for name in ("arktia", "icecult", "packeis")]


def _fields(template: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


def _refused_turn(steps: object) -> IllegalTurn:
    with pytest.raises(IllegalTurn) as caught:
        apply_turn(PACKEIS.setup(2), steps)
    return caught.value


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_code_has_a_template_with_the_same_fields_in_each_language(game: Game) -> None:
    assert {
        code: templates
        for code, templates in game.refusals.items()
        if set(templates) != {"en", "de"} or _fields(templates["en"]) != _fields(templates["de"])
    } == {}


@pytest.mark.parametrize("name", installed())
def test_every_installed_game_renders_the_refusals_of_all_games(name: str) -> None:
    game = load(name)
    assert set(COMMON) <= set(game.refusals)
    assert render(game, "match_over", {}, "en") == "the match is over"
    assert render(game, "match_over", {}, "de") == "die Partie ist zu Ende"


def test_refused_step_names_its_rule_with_the_values_in_its_sentence() -> None:
    position = PACKEIS.setup(2).apply_legal(("place", 5))
    with pytest.raises(IllegalStep) as caught:
        position.apply(["place", 5])
    error = caught.value
    assert (error.code, error.fields) == ("place_occupied", {"cell": 5})
    assert str(error) == "there is a penguin on 5 already"
    assert render(PACKEIS, "place_occupied", {"cell": 5}, "de") == "auf 5 steht schon ein Pinguin"


def test_refused_turn_holds_the_refusal_of_its_step() -> None:
    error = _refused_turn([["place", 60]])
    assert error.code == "bad_step"
    assert error.fields == {
        "index": 0,
        "step": '["place", 60]',
        "why": {"code": "no_cell", "fields": {"last": 59, "cell": "60"}},
    }
    assert (
        render(PACKEIS, "bad_step", error.fields, "de")
        == 'Schritt 0: ["place", 60]: die Felder haben die Nummern 0 bis 59; 60 ist keine davon'
    )


@pytest.mark.parametrize("steps", [None, [], [["place"]], [["nod"]], [[]], [["place", "5"]]])
def test_english_template_gives_the_sentence_of_the_error(steps: object) -> None:
    error = _refused_turn(steps)
    assert str(error) == render(PACKEIS, str(error.code), error.fields, "en")


def test_step_of_a_game_without_codes_is_kept_as_its_sentence() -> None:
    error = refusal(IllegalStep, COMMON, "bad_step", index=0, step="[]", why=GameError("so it is"))
    assert error.fields["why"] == "so it is"
    assert render(COMMON, "bad_step", error.fields, "de") == "Schritt 0: []: so it is"


def test_language_that_a_table_lacks_is_english() -> None:
    table: Templates = {"cold": {"en": "too cold"}}
    assert render(table, "cold", {}, "de") == "too cold"


@pytest.mark.parametrize(
    ("code", "fields"),
    [
        ("no_such_code", {}),
        ("no_seat", {"last": 1}),
        ("bad_step", {"index": 0, "step": "[]", "why": {"code": "no_such_code", "fields": {}}}),
    ],
)
def test_refusal_of_another_release_has_no_sentence(
    code: str, fields: Mapping[str, object]
) -> None:
    assert render(COMMON, code, fields, "de") is None


def test_sentence_alone_has_no_code() -> None:
    error = IllegalStep("not today")
    assert (error.code, error.fields) == (None, {})
