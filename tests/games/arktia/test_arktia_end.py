"""Arktia: melting, who is out, rounds, how a match ends, forfeits, points and ranks."""

from __future__ import annotations

from typing import Any

import pytest
from tests.games.arktia.arktia_positions import position, standing

from polynya_games import IllegalForfeit, IllegalStep, Termination
from polynya_games.arktia import ARKTIA, ArktiaState

# The board for 3 players:
#            0   1   2
#          3   4   5   6
#        7   8   9  10  11
#     12  13  14  15  16  17
#       18  19  20  21  22
#         23  24  25  26

OTHERS = {23: "1G", 26: "2G"}
WARM = {0: "0G", 3: "0D", **OTHERS}
"""With an empty reserve, seat 0 has to melt after his move."""


def reason(state: ArktiaState, *step: Any) -> str:
    with pytest.raises(IllegalStep) as caught:
        state.apply(step)
    return str(caught.value)


def melts(state: ArktiaState) -> list[Any]:
    return [step[1] for step in state.legal_steps()]


def test_with_an_empty_reserve_a_move_is_followed_by_melting() -> None:
    state = position(3, WARM, placed_all=[0]).apply(("move", 3, 1, 4))
    assert (state.owes, state.turn_over, state.to_move) == ("melt", False, 0)
    assert melts(state) == [1, 2, 3, 6, 7, 11, 12, 17, 18, 22, 24, 25]


def test_a_melted_tile_is_a_point() -> None:
    before = position(3, WARM, placed_all=[0])
    after = before.apply(("move", 3, 1, 4)).apply(("melt", 12))
    assert (after.melted, after.points[0] - before.points[0]) == ((1, 0, 0), 1)
    assert (after.to_json()["ice"][12], after.to_move, after.turn_over) == (0, 1, True)


def test_placing_the_last_muglu_melts_nothing_in_that_turn() -> None:
    stacks = {0: "0G", 1: "0G", 2: "0G", 3: "0D", 4: "0D", 5: "0D", 7: "0T", 8: "0T", **OTHERS}
    state = position(3, stacks).apply(("place", "T", 12))
    assert (state.to_json()["reserve"][0], state.turn_over, state.to_move) == ([0, 0, 0], True, 1)


def test_an_occupied_tile_is_not_melted() -> None:
    state = position(3, WARM, placed_all=[0]).apply(("move", 3, 1, 4))
    assert reason(state, "melt", 26) == "cell 26 is not empty: it holds G"


def test_a_tile_with_six_neighbours_is_not_melted() -> None:
    state = position(3, WARM, placed_all=[0]).apply(("move", 3, 1, 4))
    assert reason(state, "melt", 14) == "cell 14 is not at the edge: it has six neighbours"


def test_a_hole_makes_an_edge() -> None:
    state = position(3, WARM, placed_all=[0], gone={12: 0, 7: 0}).apply(("move", 3, 1, 4))
    assert {8, 13} <= set(melts(state))
    assert reason(state, "melt", 12) == "the tile of cell 12 has melted"


def test_no_islands_arise() -> None:
    options = {"rows": [[27, 0]]}
    stacks = {3: "0G", 4: "0D", 10: "1G", 20: "2G"}
    state = position(3, stacks, placed_all=[0], options=options).apply(("move", 3, 1, 5))
    assert melts(state) == [0, 26]
    assert reason(state, "melt", 1) == "without cell 1 the ice would fall apart"


def test_player_unable_to_melt_is_out_and_the_move_stands() -> None:
    options = {"rows": [[27, 0]]}
    stacks = {0: "1G", 4: "0D", 3: "0G", 26: "2G"}
    state = position(3, stacks, placed_all=[0], options=options).apply(("move", 3, 1, 5))
    assert (state.to_json()["out"], state.to_move) == ([True, False, False], 1)
    assert standing(state)[5] == "0G"


def test_melting_comes_after_the_keeps() -> None:
    stacks = {4: "1T 0D", 9: "0G", 3: "1G", 5: "1G", 6: "1D", 26: "2G"}
    state = position(3, stacks, placed_all=[0]).apply(("move", 4, 2, 8))
    assert (state.owes, state.apply(("keep", 1, 3)).owes) == ("keep", "melt")


def test_player_with_one_muglu_left_is_out_on_their_turn() -> None:
    state = position(3, WARM, placed_all=[1])
    after = state.apply(("place", "T", 4))
    assert (state.to_json()["out"], after.to_json()["out"]) == (
        [False, False, False],
        [False, True, False],
    )
    assert after.to_move == 2


def test_player_who_placed_only_one_muglu_stays_in() -> None:
    assert position(3, WARM).apply(("place", "T", 4)).to_move == 1


def test_player_without_a_step_is_out_on_their_turn() -> None:
    stacks = {0: "0G", 3: "0D", 7: "1T 0D", 8: "1D 0G", 26: "2G"}
    after = position(3, stacks, placed_all=[1]).apply(("place", "T", 4))
    assert (after.to_json()["out"], after.to_move) == ([False, True, False], 2)


def test_muglus_of_a_player_who_is_out_still_count() -> None:
    state = position(3, {0: "0G", 3: "0D", 7: "1D", 12: "1G", 26: "2G"})
    after = state.apply(("retire",))
    assert (after.points, standing(after)) == (state.points, standing(state))


def test_a_round_ends_when_the_turn_passes_the_last_seat() -> None:
    state = position(3, WARM, to_move=2, round=7).apply(("retire",))
    assert (state.round, state.to_move) == (8, 0)


def test_a_round_ends_at_the_last_seat_also_if_that_player_is_out() -> None:
    state = position(3, {0: "0G", 23: "1G", 26: "2G"}, to_move=1, round=7, out=[False, False, True])
    after = state.apply(("place", "D", 24))
    assert (after.round, after.to_move) == (8, 0)


def test_every_turn_of_a_lone_player_is_a_round() -> None:
    state = position(3, WARM, round=7, out=[False, True, True])
    after = state.apply(("place", "D", 4)).apply(("place", "D", 7))
    assert (after.round, after.to_move) == (9, 0)


def test_match_ends_in_its_round_when_all_players_are_out() -> None:
    state = position(3, WARM, to_move=2, round=7, out=[True, True, False]).apply(("retire",))
    assert (state.phase, state.round, state.to_move, state.legal_steps()) == ("over", 7, None, [])
    assert state.outcome is not None
    assert state.outcome.termination is Termination.FINISHED


def test_round_limit_ends_the_match_without_further_checks() -> None:
    stacks = {0: "0G", 23: "1G", 26: "2G"}
    state = position(3, stacks, placed_all=[0], to_move=2, round=60)
    after = state.apply(("place", "D", 25))
    assert (after.phase, after.round, after.to_json()["out"]) == ("over", 60, [False] * 3)
    assert after.outcome is not None
    assert after.outcome.termination is Termination.LIMIT


def test_before_the_last_round_ends_the_seats_in_between_are_checked() -> None:
    stacks = {0: "0G", 3: "0D", 23: "1G", 26: "2G"}
    state = position(3, stacks, placed_all=[1, 2], round=60)
    after = state.apply(("place", "T", 4))
    assert (after.phase, after.to_json()["out"]) == ("over", [False, True, True])


def test_a_step_after_the_end_is_illegal() -> None:
    state = position(3, WARM, to_move=2, out=[True, True, False]).apply(("retire",))
    assert reason(state, "retire") == "the match is over"


def test_equal_points_are_equal_ranks() -> None:
    stacks = {0: "0G", 3: "0D", 22: "1G", 26: "1D", 18: "2G"}
    state = position(3, stacks, to_move=2, out=[True, True, False]).apply(("retire",))
    assert state.outcome is not None
    assert (state.outcome.ranking, state.outcome.scores) == ((1, 1, 3), (2, 2, 1))


def test_of_two_players_one_forfeit_ends_the_match() -> None:
    state = ARKTIA.setup(2).forfeit(0)
    assert (state.phase, state.round, state.to_json()["out"]) == ("over", 0, [True, False])
    assert state.outcome is not None
    assert (state.outcome.termination, state.outcome.ranking) == (Termination.FORFEIT, (2, 1))


def test_a_forfeit_is_like_retiring() -> None:
    state = position(3, WARM).forfeit(0)
    assert (state.to_json()["out"], state.to_move) == ([True, False, False], 1)


def test_a_forfeit_of_another_seat_leaves_the_turn_where_it_is() -> None:
    state = position(3, WARM).forfeit(2)
    assert (state.to_move, state.forfeited, state.phase) == (0, (2,), "main")


def test_forfeiters_rank_last_and_the_later_one_higher() -> None:
    stacks = {0: "0G", 18: "1D", 23: "1G", 24: "1T", 26: "2G", 25: "2D"}
    state = position(3, stacks).forfeit(1).forfeit(2)
    assert state.outcome is not None
    assert (state.outcome.ranking, state.outcome.scores) == ((1, 3, 2), (1, 3, 2))


def test_when_the_last_player_left_forfeits_all_are_out() -> None:
    state = position(3, WARM, out=[False, True, True]).forfeit(0)
    assert state.outcome is not None
    assert (state.phase, state.outcome.termination) == ("over", Termination.FINISHED)


@pytest.mark.parametrize(
    ("seat", "sentence"),
    [
        (1, "seat 1 is out of the match already"),
        (2, "seat 2 has forfeited already"),
        (4, "the seats are 0 to 3, not 4"),
        (True, "the seats are 0 to 3, not true"),
    ],
)
def test_player_who_is_out_cannot_forfeit(seat: int, sentence: str) -> None:
    state = position(4, {0: "0G", 3: "0D", 33: "1G", 35: "2G", 29: "3G"}, to_move=1)
    with pytest.raises(IllegalForfeit, match=sentence):
        state.apply(("retire",)).forfeit(2).forfeit(seat)
