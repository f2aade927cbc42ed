"""The examples of the games' own rules: the steps that their texts describe, and no others."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.folders import ROOT
from tests.games.icecult.naive_icecult import Naive

from polynya_games import IllegalStep, apply_turn, load


def read(name: str) -> list[Any]:
    examples = json.loads((ROOT / "games" / "vectors" / name).read_text(encoding="utf-8"))
    return [pytest.param(example, id=example["example"]) for example in examples]


EXAMPLES, FIGURES = read("icecult-examples.json"), read("arktia-figures.json")


@pytest.mark.parametrize("example", EXAMPLES)
def test_turn_of_an_example_of_ice_cult_leads_where_its_text_says(example: dict[str, Any]) -> None:
    state = load("icecult").state_from_json(example["state"])
    assert apply_turn(state, example["steps"]).to_json() == example["after"]
    for steps in example["also"]:
        assert apply_turn(state, steps).turn_over


@pytest.mark.parametrize("example", EXAMPLES)
def test_naive_rules_agree_with_the_example(example: dict[str, Any]) -> None:
    naive = Naive(example["state"]["players"], example["state"]["blocks"])
    naive.d = json.loads(json.dumps(example["state"]))
    for step in example["steps"]:
        assert step in naive.legal()
        naive.apply(step)
    assert naive.d == example["after"]


@pytest.mark.parametrize("figure", FIGURES)
def test_steps_of_a_figure_of_arktia_lead_where_its_text_says(figure: dict[str, Any]) -> None:
    state = load("arktia").state_from_json(figure["state"])
    for step in figure["refused"]:
        with pytest.raises(IllegalStep):
            state.apply(step)
    for step in figure["steps"]:
        state = state.apply(step)
    assert state.to_json() == figure["after"]


@pytest.mark.parametrize(
    ("game", "file"), [("icecult", "icecult-examples.json"), ("arktia", "arktia-figures.json")]
)
def test_page_of_the_rules_shows_the_steps_of_every_example(game: str, file: str) -> None:
    page = (ROOT / "docs" / "rules" / f"{game}.md").read_text(encoding="utf-8")
    examples = [case.values[0] for case in read(file)]
    assert [each["example"] for each in examples if json.dumps(each["steps"]) not in page] == []
