"""OpenSpiel's parameters as options: types, limits, and parameters that end OpenSpiel's process."""

from __future__ import annotations

from typing import Any

import pytest

from polynya_games import InvalidOption, InvalidState, load

HOSTILE: list[tuple[str, dict[str, Any]]] = [
    ("connect_four", {"rows": 0}),  # dies by a signal
    ("connect_four", {"rows": -1}),
    ("connect_four", {"rows": 10**6, "columns": 10**6}),
    ("connect_four", {"rows": 2**40}),
    ("connect_four", {"rows": "7"}),
    ("connect_four", {"rows": True}),
    ("connect_four", {"rows": None}),
    ("connect_four", {"egocentric_obs_tensor": 1}),
    ("connect_four", {"players": 2}),
    ("universal_poker", {"stack": "1"}),  # dies by a signal
    ("universal_poker", {"stack": "1" * 5_000}),
    ("universal_poker", {"betting": "\0"}),
    ("go", {"komi": "nan"}),
    ("go", {"komi": "1e999"}),
    ("go", {"komi": [7.5]}),
    ("go", {"board_size": 20}),
    ("oshi_zumo", {"coins": 10**9}),  # needs all memory
    ("nim", {"pile_sizes": "many"}),
    ("bargaining", {"instances_file": "/etc/passwd"}),
    ("snake", {"rows": 0}),
]


@pytest.mark.parametrize(("name", "options"), HOSTILE, ids=lambda value: str(value)[:40])
def test_parameters_that_openspiel_cannot_bear_are_refused(
    name: str, options: dict[str, Any]
) -> None:
    with pytest.raises(InvalidOption, match=r"\w+ \w+"):
        load(f"openspiel_{name}").initial_state(2, 1, options)


def test_number_of_players_that_a_game_leaves_out_is_refused_in_its_words() -> None:
    with pytest.raises(InvalidOption, match="2 or 4 players, got 3"):
        load("openspiel_snake").initial_state(3, 1)


@pytest.mark.parametrize("komi", [6, 6.0, "6", "6.0"])
def test_number_may_be_written_in_each_form_and_has_one_in_documents(komi: object) -> None:
    state = load("openspiel_go").initial_state(2, 1, {"komi": komi, "board_size": 9})
    assert state.to_json()["options"]["komi"] == "6.0"


def test_document_with_parameters_that_kill_openspiel_is_refused() -> None:
    game = load("openspiel_connect_four")
    document = game.initial_state(2).to_json()
    document["options"]["rows"] = 0
    with pytest.raises(InvalidState, match="options"):
        game.state_from_json(document)


def test_options_of_a_game_are_its_parameters_with_their_defaults() -> None:
    options = {option.name: option.default for option in load("openspiel_go").options}
    assert options == {"board_size": 19, "handicap": 0, "komi": "7.5", "max_game_length": 0}
