"""State documents of Ice Cult: what is read back, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest
from tests.games.icecult.icecult_positions import document

from polynya_games import InvalidState
from polynya_games.icecult import ICECULT

Document = dict[str, Any]

TOPS = "0E 1S circle arc"
PATHS = {"E": "01 - 2 - -", "W": "- 3 - - -"}
WON = {"E": "- 00000 - - -"}


def over(players: int, turn: int, **changes: Any) -> Document:
    ending: Document = {"phase": "over", "to_move": None, "tips": [], "arcs_left": 0, "turn": turn}
    return document(players, TOPS, **(ending | changes))


def refusal(data: object) -> str:
    with pytest.raises(InvalidState) as caught:
        ICECULT.state_from_json(data)
    return str(caught.value)


def test_the_first_position_as_a_document() -> None:
    data = ICECULT.setup(3, 0, {"setup": "standard", "turn_limit": 9}).to_json()
    blocks = data.pop("blocks")
    assert blocks[1] == [[5, None], [4, None], [2, "D"], [3, "U"], [0, "E"], [1, "N"]]
    assert data == {
        "game": "icecult",
        "players": 3,
        "phase": "tip",
        "turn": 1,
        "to_move": 0,
        "paths": {name: [[], [], [], [], []] for name in "NESW"},
        "start": [5, 5, 5, 5],
        "goal": [0, 0, 0, 0],
        "tips": [],
        "uses": [0, 0, 0, 0],
        "arcs_left": 0,
        "winners": [],
        "forfeited": [],
        "turn_limit": 9,
    }


def test_the_middle_of_a_turn_as_a_document() -> None:
    state = ICECULT.setup(2, 0, {"setup": "standard"})
    for step in (["tip", "N", "N"], ["tip", "W", "E"], ["advance", 1, 0, 0]):
        state = state.apply(step)
    data = state.to_json()
    assert (data["phase"], data["turn"], data["to_move"]) == ("act", 1, 0)
    assert data["tips"] == [["N", "N"], ["W", "E"]]
    assert (data["uses"], data["arcs_left"]) == ([0, 1, 0, 0], 1)


@pytest.mark.parametrize(
    "data",
    [
        document(2, TOPS, PATHS),
        document(3, TOPS, {"E": "- 01 2 - -"}, uses=[2, 1, 0, 0], arcs_left=0),
        document(4, TOPS, PATHS, turn=3, to_move=2, forfeited=[1]),
        document(2, TOPS, PATHS, phase="tip", tips=[["W", "E"]], arcs_left=0),
        over(2, 3, paths=WON, winners=[0]),
        over(2, 4, paths=WON, winners=[0]),
        over(3, 1, goal=[0, 5, 5, 0], winners=[1, 2]),
        over(3, 2, goal=[0, 5, 5, 0], winners=[1]),
        over(3, 200),
        over(3, 200, forfeited=[1]),
        over(4, 17, forfeited=[3, 0, 1]),
    ],
)
def test_a_position_is_read_back(data: Document) -> None:
    assert ICECULT.state_from_json(data).to_json() == data


def test_a_document_is_not_shared_with_the_state() -> None:
    data = document(2, TOPS, PATHS)
    state = ICECULT.state_from_json(data)
    written = state.to_json()
    written["paths"]["E"][0].append(3)
    data["blocks"][0][0][0] = 3
    assert state.to_json() == document(2, TOPS, PATHS)


def replace_in(data: Any, keys: list[Any], value: Any) -> None:
    for key in keys[:-1]:
        data = data[key]
    data[keys[-1]] = value


@pytest.mark.parametrize(
    ("keys", "value", "sentence"),
    [
        (["game"], "arktia", 'game is "icecult", not "arktia"'),
        (["players"], 5, "players is an integer from 2 to 4, not 5"),
        (["players"], 2.0, "players is an integer from 2 to 4, not 2.0"),
        (["phase"], "end", 'phase is "tip" or "act" or "over", not "end"'),
        (["phase"], "tip", "phase is 'act' with these tips and to_move, not 'tip'"),
        (["to_move"], None, "phase is 'over' with these tips and to_move, not 'act'"),
        (["to_move"], 1, "seat 1 cannot be to move in turn 1"),
        (["turn"], 0, "turn is an integer from 1 to 200, not 0"),
        (["turn"], 201, "turn is an integer from 1 to 200, not 201"),
        (["turn_limit"], 0, "turn_limit is an integer from 1 to 9223372036854775807, not 0"),
        (["tips"], [["N", "N"]], "phase is 'tip' with these tips and to_move, not 'act'"),
        (["tips"], [["N", "N"], ["N", "S"]], "tips[1] undoes tips[0]"),
        (["tips", 0, 1], "E", 'tips[0][1] is "N" or "S", not "E"'),
        (["tips", 0], ["N"], "tips[0] has 2 elements, not 1"),
        (["tips"], [["N", "N"]] * 3, "tips has at most 2 elements, not 3"),
        (["blocks", 0, 1, 0], 6, "blocks[0][1][0] is an integer from 0 to 5, not 6"),
        (["blocks", 0, 1, 0], True, "blocks[0][1][0] is an integer from 0 to 5, not true"),
        (["blocks"], [], "blocks has 4 elements, not 0"),
        (["paths", "N"], [[]] * 4, "paths.N has 5 elements, not 4"),
        (["paths", "N", 2], [4], "paths.N[2][0] is an integer from 0 to 3, not 4"),
        (["paths", "X"], [[]] * 5, "paths is an object with the keys N, E, S and W"),
        (["paths"], [[[]] * 5] * 4, "paths is an object with the keys N, E, S and W"),
        (["start", 0], 3, "colour 0 has 5 pawns, not 4"),
        (["goal", 3], 1, "colour 3 has 5 pawns, not 6"),
        (["uses", 2], 1, "uses[2] is 0: no arrow is on top there"),
        (["uses"], [2, 2, 0, 0], "uses has more additional uses than there are circles on top"),
        (["uses"], [3, 0, 0, 0], "uses has more additional uses than there are circles on top"),
        (["arcs_left"], 2, "arcs_left is at most 1: there are no more arcs on top"),
        (["winners"], [0], "winners is empty while the match goes on"),
        (["forfeited"], [1], "only one player has not forfeited, so the match is over"),
        (["forfeited"], [1, 1], "forfeited names no seat twice"),
        (["seed"], 1, '"seed" is not a key of this game\'s state'),
    ],
)
def test_a_bad_value_is_refused_with_the_reason(keys: list[Any], value: Any, sentence: str) -> None:
    data = document(2, TOPS, PATHS)
    replace_in(data, keys, value)
    assert refusal(data) == sentence


def test_a_missing_key_is_named() -> None:
    data = document(2, TOPS, PATHS)
    del data["uses"]
    assert refusal(data) == "uses is missing"


@pytest.mark.parametrize("data", [None, [], "state", 3])
def test_document_that_is_no_object_is_refused(data: object) -> None:
    assert refusal(data).startswith("a state is an object with the keys of its game, not ")


def test_uses_belong_to_action_2() -> None:
    data = document(2, TOPS, phase="tip", tips=[], arcs_left=1)
    assert refusal(data) == "uses is [0, 0, 0, 0] and arcs_left 0 except in the phase act"


def test_an_arrow_that_was_used_has_advanced_pawns_of_its_colour() -> None:
    used = {"uses": [1, 1, 0, 0]}
    assert refusal(document(2, TOPS, {"E": "0 - - - -"}, **used)) == (
        "uses counts 1 for arrows of colour 1, whose pawns have advanced 0 fields in all"
    )
    advanced = document(2, TOPS, {"E": "01 - - - -"}, **used)
    assert ICECULT.state_from_json(advanced).to_json() == advanced


@pytest.mark.parametrize(("seat", "paths"), [(0, WON), (1, {"N": "- - 1101101 - -"})])
def test_a_tower_of_a_player_ends_the_match(seat: int, paths: dict[str, str]) -> None:
    expected = f"seat {seat} has a tower or all pawns in the goal: the match is over"
    assert refusal(document(2, TOPS, paths)) == expected


def test_all_pawns_of_a_player_in_the_goal_end_the_match() -> None:
    data = document(3, TOPS, goal=[0, 0, 5, 0])
    assert refusal(data) == "seat 2 has a tower or all pawns in the goal: the match is over"


def test_a_neutral_colour_may_have_a_tower_or_be_in_the_goal() -> None:
    data = document(2, TOPS, {"N": "- 33333 - - -"}, goal=[0, 0, 5, 0])
    assert ICECULT.state_from_json(data).to_move == 0


def test_a_forfeiter_may_have_a_tower() -> None:
    data = document(3, TOPS, {"N": "- 11111 - - -"}, forfeited=[1])
    assert ICECULT.state_from_json(data).to_move == 0


@pytest.mark.parametrize(
    "data",
    [
        over(2, 3),
        over(2, 3, paths=WON),
        over(2, 3, paths=WON, winners=[1]),
        over(2, 3, winners=[0]),
        over(3, 1, goal=[0, 5, 5, 0], winners=[1]),
        over(3, 2, goal=[0, 5, 5, 0], winners=[1, 2]),
        over(2, 1, goal=[5, 5, 0, 0], winners=[0, 1]),
        over(3, 200, goal=[0, 5, 0, 0]),
        over(3, 2, goal=[0, 5, 0, 0], forfeited=[0, 2]),
        over(3, 3, goal=[0, 5, 0, 0], forfeited=[0, 2], winners=[1]),
        over(4, 199, forfeited=[0, 1]),
    ],
)
def test_an_end_that_cannot_be_is_refused(data: Document) -> None:
    expected = "the match is over, but cannot have ended in this turn in this way"
    assert refusal(data) == expected


def test_document_with_all_players_forfeited_is_refused() -> None:
    expected = "the last player who has not forfeited cannot forfeit"
    assert refusal(over(2, 2, forfeited=[0, 1])) == expected


def test_no_tips_are_left_when_the_match_is_over() -> None:
    assert refusal(over(2, 200, tips=[["N", "N"]])) == "tips is empty when the match is over"


def test_seat_that_has_forfeited_cannot_be_to_move() -> None:
    data = document(3, TOPS, PATHS, turn=4, to_move=1, forfeited=[1])
    assert refusal(data) == "seat 1 cannot be to move in turn 4"
