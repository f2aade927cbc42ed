"""A turn of Ice Cult: the two tips, then advances, rotations and the end, rule by rule."""

from __future__ import annotations

from typing import Any

import pytest
from tests.games.icecult.icecult_positions import acting, after, steps

from polynya_games import IllegalStep
from polynya_games.icecult import ICECULT, IceCultState

NOTHING = "3N circle circle circle"
"""On top at the four positions where the other three do not matter."""


def refusal(state: IceCultState, *step: Any) -> str:
    with pytest.raises(IllegalStep) as caught:
        state.apply(list(step))
    return str(caught.value)


def fields(state: IceCultState, name: str) -> Any:
    return state.to_json()["paths"][name]


# -- action 1 ------------------------------------------------------------------------------------


def test_a_turn_begins_with_the_tip_of_a_pair_in_one_of_its_two_directions() -> None:
    assert steps(ICECULT.setup(2), "tip") == [
        ["tip", "E", "E"],
        ["tip", "E", "W"],
        ["tip", "N", "N"],
        ["tip", "N", "S"],
        ["tip", "S", "N"],
        ["tip", "S", "S"],
        ["tip", "W", "E"],
        ["tip", "W", "W"],
    ]


@pytest.mark.parametrize(
    ("pair", "direction", "positions"),
    [("N", "N", {0, 1}), ("S", "S", {2, 3}), ("W", "E", {0, 3}), ("E", "W", {1, 2})],
)
def test_a_tip_turns_both_blocks_of_the_pair(
    pair: str, direction: str, positions: set[int]
) -> None:
    state = ICECULT.setup(2)
    tipped = state.apply(["tip", pair, direction])
    assert positions == {each for each in range(4) if state.cubes[each] != tipped.cubes[each]}


def test_the_second_tip_may_not_undo_the_first() -> None:
    state = ICECULT.setup(2).apply(["tip", "N", "S"])
    expected = "the pair N has just been tipped S and may not go back"
    assert refusal(state, "tip", "N", "N") == expected
    assert ["tip", "N", "N"] not in steps(state, "tip")


def test_the_second_tip_may_be_the_same_again() -> None:
    state = after(ICECULT.setup(2), ["tip", "N", "S"], ["tip", "N", "S"])
    assert state.phase == "act"


def test_the_second_tip_may_go_the_other_way_with_another_pair() -> None:
    state = after(ICECULT.setup(2), ["tip", "N", "S"], ["tip", "S", "N"])
    assert state.phase == "act"


def test_the_next_player_may_tip_back() -> None:
    state = after(ICECULT.setup(2, 0, {"setup": "standard"}), ["tip", "N", "N"], ["tip", "N", "N"])
    while not state.turn_over:
        state = state.apply(state.legal_steps()[0])
    assert len(steps(state, "tip")) == 8


def test_a_pair_is_not_tipped_sideways() -> None:
    assert refusal(ICECULT.setup(2), "tip", "N", "E") == "the pair N is tipped N or S, not E"


@pytest.mark.parametrize("step", [["advance", 0, 0, 0], ["rotate", 0, "cw"], ["end"]])
def test_both_tips_come_before_other_steps(step: list[Any]) -> None:
    state = ICECULT.setup(2)
    assert refusal(state, *step) == "a turn begins with two tips; tips made so far: 0"
    state = state.apply(["tip", "E", "E"])
    assert refusal(state, *step) == "a turn begins with two tips; tips made so far: 1"


def test_third_tip_is_refused() -> None:
    state = after(ICECULT.setup(2), ["tip", "N", "N"], ["tip", "E", "E"])
    assert refusal(state, "tip", "S", "S") == "both tips of this turn have been made"


# -- advances ------------------------------------------------------------------------------------


def test_a_pawn_comes_from_the_start_area_to_field_1_of_the_path_the_arrow_points_along() -> None:
    state = acting(2, "0E circle circle arc").apply(["advance", 0, 0, 0])
    assert fields(state, "E") == [[0], [], [], [], []]
    assert state.to_json()["start"] == [4, 5, 5, 5]


def test_a_pawn_is_put_on_top_of_an_occupied_field() -> None:
    state = acting(2, "0E circle circle arc", {"E": "31 - - - -"}).apply(["advance", 0, 0, 0])
    assert fields(state, "E")[0] == [3, 1, 0]


def test_pawns_above_go_along_in_the_same_order_and_those_below_stay() -> None:
    state = acting(2, "0E circle circle arc", {"E": "- 3012 2 - -"})
    state = state.apply(["advance", 0, 2, 1])
    assert fields(state, "E") == [[], [3], [2, 0, 1, 2], [], []]


def test_from_field_5_all_that_are_carried_reach_the_goal() -> None:
    state = acting(2, "0E circle circle arc", {"E": "- - - - 3012"})
    state = state.apply(["advance", 0, 5, 1])
    assert fields(state, "E")[4] == [3]
    assert state.to_json()["goal"] == [1, 1, 1, 0]


def test_every_pawn_of_the_colour_on_that_path_can_be_chosen() -> None:
    state = acting(2, "0E circle circle arc", {"E": "- 30 - 020 -", "N": "0 - - - -"})
    assert steps(state, "advance") == [
        ["advance", 0, 0, 0],
        ["advance", 0, 2, 1],
        ["advance", 0, 4, 0],
        ["advance", 0, 4, 2],
    ]


def test_an_arrow_of_a_neutral_colour_moves_neutral_pawns() -> None:
    state = acting(2, "3E circle circle arc").apply(["advance", 0, 0, 0])
    assert fields(state, "E")[0] == [3]


def test_two_arrows_of_one_colour_have_one_use_each() -> None:
    state = after(acting(2, "0E 0S arc 1N"), ["advance", 0, 0, 0], ["advance", 1, 0, 0])
    assert {step[1] for step in steps(state, "advance")} == {3}


def test_an_arrow_is_used_once_without_a_circle() -> None:
    state = acting(2, "0E 1S arc 2N").apply(["advance", 0, 0, 0])
    expected = "the arrow at position 0 has been used, and no circle is left"
    assert refusal(state, "advance", 0, 0, 0) == expected


def test_arrows_are_used_in_any_order() -> None:
    one = after(acting(2, "0E 1S arc 2N"), ["advance", 0, 0, 0], ["advance", 3, 0, 0])
    other = after(acting(2, "0E 1S arc 2N"), ["advance", 3, 0, 0], ["advance", 0, 0, 0])
    assert one == other


# -- circles -------------------------------------------------------------------------------------


def test_three_circles_let_one_arrow_be_used_four_times() -> None:
    state = after(acting(2, "0E circle circle circle"), *[["advance", 0, 0, 0]] * 4)
    assert state.to_json()["uses"] == [4, 0, 0, 0]
    assert state.legal_steps() == [("end",)]


def test_circles_may_go_to_different_arrows() -> None:
    state = acting(2, "0E circle 1S circle")
    state = after(state, *[["advance", 0, 0, 0]] * 2, *[["advance", 2, 0, 0]] * 2)
    assert state.to_json()["uses"] == [2, 0, 2, 0]
    assert state.legal_steps() == [("end",)]


def test_an_arrows_first_use_takes_no_circle() -> None:
    state = after(acting(2, "0E 1S circle arc"), *[["advance", 0, 0, 0]] * 2)
    assert steps(state, "advance") == [["advance", 1, 0, 0]]


def test_circles_are_owed_like_arrows() -> None:
    state = acting(2, "0E circle 1S arc", {"S": "1 1 1 1 1"})
    state = after(state, ["advance", 0, 0, 0], ["advance", 2, 5, 0])
    assert "can still advance a pawn" in refusal(state, "end")


def test_without_an_arrow_circles_mean_nothing() -> None:
    assert acting(2, "circle circle circle circle").legal_steps() == [("end",)]


def test_a_circle_is_no_arrow() -> None:
    expected = "the symbol on top at position 1 is a circle, not an arrow"
    assert refusal(acting(2, NOTHING), "advance", 1, 0, 0) == expected


# -- arcs ----------------------------------------------------------------------------------------


def test_an_arc_lets_any_block_be_rotated() -> None:
    state = acting(2, "0E 1S circle arc")
    assert steps(state, "rotate") == [
        ["rotate", position, turn] for position in range(4) for turn in ("ccw", "cw")
    ]


def test_a_rotated_arrow_points_elsewhere() -> None:
    state = acting(2, "0E circle circle arc").apply(["rotate", 0, "cw"]).apply(["advance", 0, 0, 0])
    assert fields(state, "S")[0] == [0]


def test_a_rotation_keeps_what_is_on_top() -> None:
    state = acting(2, "0E 1S circle arc")
    for position in range(4):
        rotated = state.apply(["rotate", position, "ccw"]).to_json()["blocks"]
        assert [faces[0][0] for faces in rotated] == [0, 1, 4, 5]


def test_each_arc_gives_one_rotation() -> None:
    state = after(acting(2, "arc 1S circle arc"), ["rotate", 1, "cw"], ["rotate", 1, "cw"])
    assert steps(state, "rotate") == []
    assert refusal(state, "rotate", 1, "cw") == "every arc on top (2) has been used"


def test_without_an_arc_nothing_is_rotated() -> None:
    assert refusal(acting(2, NOTHING), "rotate", 0, "cw") == "no arc is on top"


def test_rotations_are_never_owed() -> None:
    state = acting(2, "0E arc arc arc").apply(["advance", 0, 0, 0])
    assert ("end",) in state.legal_steps()


def test_an_arrow_can_be_used_rotated_and_used_again_with_a_circle() -> None:
    state = after(
        acting(2, "0E circle arc arc"),
        ["advance", 0, 0, 0],
        ["rotate", 0, "ccw"],
        ["advance", 0, 0, 0],
    )
    assert (fields(state, "E")[0], fields(state, "N")[0]) == ([0], [0])


# -- the end of the turn --------------------------------------------------------------------------


def test_no_arrow_lapses_while_it_can_advance_a_pawn() -> None:
    assert refusal(acting(2, "0E 1S arc circle"), "end") == (
        'the arrow at position 0 can still advance a pawn, as ["advance", 0, 0, 0] would; '
        "a turn ends when no advance is possible"
    )


def test_an_arrow_without_a_pawn_in_the_start_area_or_on_its_path_lapses() -> None:
    state = acting(2, "0E circle circle circle", {"N": "0 0 0 0 0"})
    assert state.legal_steps() == [("end",)]


def test_an_arrow_that_was_rotated_away_owes_nothing() -> None:
    state = acting(2, "0N circle circle arc", {"N": "0 0 0 0 0"})
    assert ("end",) not in state.legal_steps()
    assert state.apply(["rotate", 0, "cw"]).legal_steps() == [("end",)]


def test_an_advance_that_a_rotation_makes_possible_is_owed() -> None:
    state = acting(2, "0E circle circle arc", {"N": "0 0 0 0 0"})
    assert ("end",) in state.legal_steps()
    assert ("end",) not in state.apply(["rotate", 0, "ccw"]).legal_steps()


def test_after_the_end_the_next_player_tips() -> None:
    state = acting(3, "circle circle circle circle").apply(["end"])
    assert (state.phase, state.to_move, state.turn.number) == ("tip", 1, 2)
    assert state.turn_over


def test_the_blocks_stay_as_they_are_for_the_next_turn() -> None:
    state = acting(2, "0E arc arc arc").apply(["advance", 0, 0, 0])
    assert state.apply(["end"]).cubes == state.cubes


def test_steps_are_sorted_by_verb_position_field_and_index() -> None:
    legal = acting(2, "0E 1S arc arc", {"E": "10 0 - - -"}).legal_steps()
    assert legal == sorted(legal)
    assert len(legal) == 3 + 1 + 8
