"""Arktia: what a move cuts off is taken, ties are decided by the mover, globes fall into tori."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from tests.games.arktia.arktia_positions import position, standing

from polynya_games import IllegalForfeit, IllegalStep
from polynya_games.arktia import ArktiaState

# The board for 3 players:
#            0   1   2
#          3   4   5   6
#        7   8   9  10  11
#     12  13  14  15  16  17
#       18  19  20  21  22
#         23  24  25  26

ELSEWHERE = {26: "2G"}
BRIDGE = {4: "1T 0D"}
"""Seat 0 controls the torus of colour 1 that holds what is on the left and right together."""
TIE = {3: "1G", 5: "1G", **BRIDGE, **ELSEWHERE}
TWO_COLOURS = {4: "2T 1D 0G", 3: "1G", 5: "1T", 0: "2G"}
"""The tower holds colours 1 (left and right of it) and 2 (above it) together."""


def moved(stacks: Mapping[int, str], goal: int, **rest: Any) -> ArktiaState:
    """After seat 0 has moved the whole stack on cell 4."""
    state = position(3, stacks, **rest)
    return state.apply(("move", 4, len(stacks[4].split()), goal))


def reason(state: ArktiaState, *step: Any) -> str:
    with pytest.raises(IllegalStep) as caught:
        state.apply(step)
    return str(caught.value)


def test_smaller_groups_are_taken_by_the_mover() -> None:
    state = moved({3: "1G", 5: "1G", 6: "1D", **BRIDGE, **ELSEWHERE}, 9)
    assert state.taken == (1, 0, 0)
    assert standing(state) == {5: "1G", 6: "1D", 9: "1T 0D", **ELSEWHERE}


def test_taken_muglus_do_not_come_back() -> None:
    before = position(3, {3: "1G", 5: "1G", 6: "1D", **BRIDGE, **ELSEWHERE})
    assert before.apply(("move", 4, 2, 9)).reserves == before.reserves


def test_a_group_counts_muglus_and_not_tiles() -> None:
    state = moved({3: "1T 1D 1G", 5: "1G", **BRIDGE, **ELSEWHERE}, 9)
    assert standing(state) == {3: "1T 1D 1G", 9: "0D", **ELSEWHERE}
    assert state.taken == (2, 0, 0)


def test_all_groups_but_the_largest_are_taken() -> None:
    state = moved({3: "1G", 5: "1G", 6: "1D", **BRIDGE, **ELSEWHERE}, 13)
    assert standing(state) == {5: "1G", 6: "1D", 13: "0D", **ELSEWHERE}
    assert state.taken == (2, 0, 0)


def test_pieces_on_a_taken_muglu_stay() -> None:
    state = moved({3: "1T 2D", 5: "1G", 6: "1D", **BRIDGE}, 9)
    assert standing(state) == {3: "2D", 5: "1G", 6: "1D", 9: "1T 0D"}


def test_a_globe_on_a_torus_falls_into_it() -> None:
    state = moved({3: "2T 1D 2G", 5: "1G", 6: "1D", **BRIDGE}, 9)
    assert standing(state)[3] == "2G 2T"


def test_the_torus_controls_the_tile_when_the_globe_has_fallen() -> None:
    before = position(3, {3: "0T 1D 2G", 8: "0G", 5: "1G", 6: "1D", **BRIDGE})
    after = before.apply(("move", 4, 2, 9))
    assert (before.points, standing(after)[3], after.points) == ((2, 2, 1), "2G 0T", (4, 2, 0))


def test_a_tie_is_decided_by_the_mover() -> None:
    state = moved({6: "1D", **TIE}, 8)
    assert (state.owes, state.turn_over, state.to_move) == ("keep", False, 0)
    assert state.legal_steps() == [("keep", 1, 3), ("keep", 1, 5)]


def test_pieces_not_kept_are_taken() -> None:
    state = moved({6: "1D", **TIE}, 8).apply(("keep", 1, 3))
    assert standing(state) == {3: "1G", 8: "1T 0D", **ELSEWHERE}
    assert (state.taken, state.turn_over, state.to_move) == ((2, 0, 0), True, 1)


def test_one_of_three_equal_groups_stays() -> None:
    state = moved(TIE, 13)
    assert state.legal_steps() == [("keep", 1, 3), ("keep", 1, 5), ("keep", 1, 13)]
    assert standing(state.apply(("keep", 1, 13))) == {13: "1T 0D", **ELSEWHERE}


def test_a_group_is_named_by_its_lowest_cell() -> None:
    state = moved({6: "1D", **TIE}, 8)
    assert reason(state, "keep", 1, 8) == (
        "the largest groups of colour 1 are named by their lowest cells: 3, 5"
    )
    assert reason(state, "keep", 2, 26) == "colour 1 is dealt with now, not colour 2"


def test_only_a_keep_is_legal_while_it_is_owed() -> None:
    state = moved(TIE, 13)
    assert reason(state, "retire") == 'the turn is not over: a "keep" is owed now, not a "retire"'


def test_forfeit_in_the_middle_of_a_turn_is_refused() -> None:
    with pytest.raises(IllegalForfeit, match="the turn of seat 0 is not over: a keep is owed"):
        moved(TIE, 13).forfeit(1)


def test_at_a_tie_later_colours_wait() -> None:
    state = moved({1: "2D", **TWO_COLOURS}, 13)
    assert (state.taken, standing(state)[13]) == ((0, 0, 0), "2T 1D 0G")
    after = state.apply(("keep", 1, 3))
    assert (after.taken, standing(after)) == ((3, 0, 0), {0: "2G", 1: "2D", 3: "1G", 13: "0G"})


def test_each_tied_colour_is_decided_by_a_step_of_its_own() -> None:
    state = moved(TWO_COLOURS, 13).apply(("keep", 1, 13))
    assert state.legal_steps() == [("keep", 2, 0), ("keep", 2, 13)]
    assert standing(state.apply(("keep", 2, 0))) == {0: "2G", 13: "1D 0G"}


def test_colours_before_the_tie_are_dealt_with_at_once() -> None:
    state = moved({6: "1D", **TWO_COLOURS}, 13)
    assert (state.taken, standing(state)[13]) == ((2, 0, 0), "0G 2T")
    assert state.legal_steps() == [("keep", 2, 0), ("keep", 2, 13)]


def test_neutral_muglus_are_taken_too() -> None:
    state = position(2, {5: "2T 0D", 4: "2G", 6: "2G", 23: "1G"})
    after = state.apply(("move", 5, 2, 10))
    assert after.taken[0] - state.taken[0] == 1
    assert standing(after) == {4: "2G", 10: "2T 0D", 23: "1G"}


def test_the_neutral_colour_is_dealt_with_last() -> None:
    state = position(2, {5: "2T 1D 0G", 4: "1G", 6: "1G", 0: "2G"})
    after = state.apply(("move", 5, 3, 17)).apply(("keep", 1, 4))
    assert after.legal_steps() == [("keep", 2, 0), ("keep", 2, 17)]


def test_muglus_of_a_seat_that_is_out_are_taken_as_before() -> None:
    stacks = {3: "1G", 5: "1G", 6: "1D", **BRIDGE, **ELSEWHERE}
    state = moved(stacks, 9, out=[False, True, False], forfeited=[1])
    assert state.taken == (1, 0, 0)


def test_a_removal_splits_no_later_colour() -> None:
    state = moved({3: "2T 1D 2G", 7: "2D", 5: "1G", 6: "1D", **BRIDGE}, 9)
    assert (state.turn_over, standing(state)[3], standing(state)[7]) == (True, "2G 2T", "2D")
