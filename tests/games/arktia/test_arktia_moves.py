"""Arktia's main phase: placing, towers, moving, the one-group rule, control."""

from __future__ import annotations

from typing import Any

import pytest
from tests.games.arktia.arktia_positions import position, standing

from polynya_games import IllegalStep
from polynya_games.arktia import ArktiaState

FIRST, SECOND = {23: "1G"}, {26: "2G"}
"""A muglu of colour 1 and one of colour 2, out of the way, on the board for 3 players."""
OTHERS = FIRST | SECOND


def moves(state: ArktiaState, start: int, count: int) -> list[Any]:
    steps = state.legal_steps()
    return [step[3] for step in steps if step[0] == "move" and step[1:3] == (start, count)]


def reason(state: ArktiaState, *step: Any) -> str:
    with pytest.raises(IllegalStep) as caught:
        state.apply(step)
    return str(caught.value)


def test_a_muglu_is_placed_next_to_an_own_one() -> None:
    state = position(3, {0: "0G", 3: "0D", **OTHERS})
    assert [step[2] for step in state.legal_steps() if step[:2] == ("place", "T")] == [1, 4, 7, 8]


def test_an_own_muglu_under_others_is_enough_to_place_beside() -> None:
    state = position(3, {0: "0T 1D", 3: "0D 1G", **SECOND})
    assert state.apply(("place", "T", 8)).to_json()["stacks"][8] == [[0, "T"]]


def test_a_muglu_is_placed_on_an_empty_tile_only() -> None:
    state = position(3, {0: "0G", 3: "0D", **OTHERS})
    assert reason(state, "place", "T", 3) == "cell 3 is not empty: it holds D"
    assert reason(state, "place", "T", 9) == "cell 9 is not next to a tile with a muglu of colour 0"


def test_a_muglu_is_placed_from_the_reserve_only() -> None:
    state = position(3, {0: "0G", 1: "0G", 2: "0G", **OTHERS})
    assert reason(state, "place", "G", 3) == "seat 0 has no G in reserve"


def test_a_muglu_moves_in_a_straight_line_at_any_distance_and_across_stacks() -> None:
    state = position(3, {12: "0G", 7: "0D", 8: "0D", 13: "1D", **SECOND})
    assert moves(state, 12, 1) == [3, 7, 13, 14]


def test_a_place_that_is_not_on_a_line_cannot_be_moved_to() -> None:
    state = position(3, {12: "0G", 7: "0D", **OTHERS})
    assert reason(state, "move", 12, 1, 8) == "cell 8 does not lie in a straight line from cell 12"
    assert reason(state, "move", 12, 1, 12) == "cell 12 is where the move begins"


def test_a_melted_tile_cannot_be_crossed() -> None:
    stacks = {12: "0G", 18: "0D", 19: "0D", **OTHERS}
    whole = position(3, stacks)
    holed = position(3, stacks, placed_all=[2], gone={7: 2, 13: 2})
    assert 14 in moves(whole, 12, 1)
    assert reason(holed, "move", 12, 1, 14) == "between cell 12 and cell 14 a tile has melted"
    assert reason(holed, "move", 12, 1, 13) == "the tile of cell 13 has melted"


def test_the_outside_cannot_be_crossed() -> None:
    state = position(3, {2: "0G", 6: "0D", **OTHERS})
    assert reason(state, "move", 2, 1, 12) == "cell 12 does not lie in a straight line from cell 2"


def beside(lifted: str, below: str) -> ArktiaState:
    """A stack of seat 0 on cell 4, another on cell 5, both next to a torus of his."""
    stacks = {4: lifted, 5: below, 1: "0T"}
    for colour, elsewhere in (("1", FIRST), ("2", SECOND)):
        stacks |= {} if colour in lifted + below else elsewhere
    return position(3, stacks)


@pytest.mark.parametrize(
    ("lifted", "below", "tower"),
    [
        ("0G", "1D", "1D 0G"),
        ("0D", "1T", "1T 0D"),
        ("0T", "1G", "1G 0T"),
        ("0G", "2T 1D", "2T 1D 0G"),
        ("2D 0G", "1T", "1T 2D 0G"),
        ("2T 1D 0G", "", "2T 1D 0G"),
    ],
    ids=["A", "B", "C", "D from above", "D from below", "D as a whole"],
)
def test_towers_that_may_exist(lifted: str, below: str, tower: str) -> None:
    state = beside(lifted, below)
    count = len(lifted.split())
    assert standing(state.apply(("move", 4, count, 5)))[5] == tower


@pytest.mark.parametrize(
    ("lifted", "below"),
    [("0G", "1T"), ("0D", "1G"), ("0G", "1G"), ("0T", "1D"), ("0G", "2G 1T"), ("2G 0T", "1G")],
)
def test_stacks_that_may_not_exist(lifted: str, below: str) -> None:
    state = beside(lifted, below)
    assert " may not land on " in reason(state, "move", 4, len(lifted.split()), 5)


def test_the_torus_can_leave_its_globe_alone() -> None:
    state = position(3, {3: "1G 0T", 0: "0D", **SECOND})
    assert standing(state.apply(("move", 3, 1, 4))) == {3: "1G", 4: "0T", 0: "0D", **SECOND}


def test_the_enclosed_globe_can_go_along() -> None:
    state = position(3, {3: "1G 0T", 0: "0D", **SECOND})
    assert standing(state.apply(("move", 3, 2, 4))) == {4: "1G 0T", 0: "0D", **SECOND}


def test_the_enclosed_globe_does_not_control_its_tile() -> None:
    state = position(3, {3: "0G 1T", 0: "0D", **SECOND})
    assert reason(state, "move", 3, 1, 1) == "seat 0 does not control cell 3: colour 1 does"


def test_more_muglus_than_the_stack_has_cannot_be_lifted() -> None:
    state = position(3, {3: "1T 0D", 0: "0G", **SECOND})
    assert reason(state, "move", 3, 3, 1) == "from the TD on cell 3 1 to 2 go, not 3"
    assert reason(state, "move", 1, 1, 2) == "cell 1 is empty"


def test_a_move_may_not_split_the_own_colour() -> None:
    state = position(3, {12: "0G", 13: "0D", 14: "0T", **OTHERS})
    assert reason(state, "move", 13, 1, 1) == "the move would leave colour 0 in more than one group"


def test_a_move_may_bring_a_bridge_to_another_place() -> None:
    state = position(3, {12: "0G", 13: "0D", 8: "0T", **OTHERS})
    assert moves(state, 13, 1) == [7]


def test_all_own_muglus_together_may_go_anywhere() -> None:
    state = position(3, {0: "0T 0D", **OTHERS})
    assert moves(state, 0, 2) == [1, 2, 3, 4, 7, 9, 12, 15, 21]


def test_an_own_muglu_that_stays_in_the_stack_holds_its_place() -> None:
    state = position(3, {12: "0G", 13: "0T 0D", 14: "0T", **OTHERS})
    assert moves(state, 13, 1) == [7, 8, 14, 15, 18, 19]


def test_points_count_the_tiles_that_a_seat_controls() -> None:
    state = position(3, {3: "1G 0T", 0: "0D 2G", 4: "1D 0G", 1: "2D"})
    assert state.points == (2, 0, 2)


def test_to_retire_is_legal_at_the_beginning_of_every_turn() -> None:
    state = position(3, {0: "0G", 1: "0D", **OTHERS})
    assert state.legal_steps()[-1] == ("retire",)
    assert state.apply(("retire",)).to_json()["out"] == [True, False, False]


def test_retired_player_is_not_asked_again() -> None:
    state = position(3, {0: "0G", 1: "0D", **OTHERS}, out=[False, True, False])
    assert state.apply(("place", "T", 3)).to_move == 2


def test_no_melt_is_owed_where_there_is_a_reserve() -> None:
    state = position(3, {0: "0G", 1: "0D", **OTHERS})
    assert reason(state, "melt", 26) == (
        'no "melt" is owed: a turn begins with "place", "move" or "retire"'
    )
