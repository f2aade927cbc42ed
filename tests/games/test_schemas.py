"""The schemas of positions and steps: current, true of positions that they were not made from."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from tests.folders import ROOT

from polynya_games import load
from polynya_games.randomness import SplitMix64

SCHEMAS = ROOT / "games" / "schema"
GAMES = ("packeis", "arktia", "icecult")


def schema_of(game: str, part: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{game}.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator({**schema, "$ref": f"#/$defs/{part}"})


def test_schemas_and_types_are_current() -> None:
    command = [sys.executable, str(SCHEMAS / "make_schemas.py"), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize("game", GAMES)
def test_positions_and_steps_of_a_match_are_valid(game: str) -> None:
    generator = SplitMix64(2026)
    a_state, a_step = schema_of(game, "state"), schema_of(game, "step")
    state = load(game).setup(4, 2026)
    while state.to_move is not None:
        a_state.validate(state.to_json())
        legal = state.legal_steps()
        step = legal[generator.below(len(legal))]
        a_step.validate(list(step))
        state = state.apply(step)
    a_state.validate(state.to_json())


@pytest.mark.parametrize(
    ("game", "step"),
    [
        ("packeis", ["move", 12]),
        ("packeis", ["fly", 12, 40]),
        ("arktia", ["place", "X", 3]),
        ("icecult", ["rotate", "0", "cw"]),
    ],
)
def test_steps_of_another_form_are_not(game: str, step: list[Any]) -> None:
    assert not schema_of(game, "step").is_valid(step)


def test_a_key_that_is_missing_is_found() -> None:
    document = load("arktia").setup(2, 1).to_json()
    del document["owes"]
    assert not schema_of("arktia", "state").is_valid(document)
