"""How a match of Ice Cult ends: towers, the goal, shared wins, the turn limit, forfeits."""

from __future__ import annotations

from typing import Any

import pytest
from tests.games.icecult.icecult_positions import acting, after

from polynya_games import IllegalForfeit, Outcome, Termination, apply_turn
from polynya_games.icecult import ICECULT, IceCultState

LAPSED = "circle circle circle circle"
"""On top where a turn is to end at once."""


def ended(state: IceCultState, *steps: list[Any]) -> Outcome:
    outcome = after(state, *steps).outcome
    assert outcome is not None
    return outcome


def tipping(players: int, turn: int = 1, **changes: Any) -> IceCultState:
    """A position between turns."""
    to_move = (turn - 1) % players
    between: dict[str, Any] = {"phase": "tip", "tips": [], "turn": turn, "to_move": to_move}
    return acting(players, LAPSED, **(between | changes))


# -- tower ---------------------------------------------------------------------------------------


def test_five_own_pawns_in_one_stack_win() -> None:
    state = acting(2, "0E 1S circle arc", {"E": "0 0000 - - -"}).apply(["advance", 0, 1, 0])
    assert (state.phase, state.to_move, state.turn.winners) == ("over", None, (0,))
    assert state.outcome == Outcome(Termination.VICTORY, (1, 2), (0, 0))


def test_other_pawns_in_the_tower_do_not_matter() -> None:
    state = acting(2, "0E circle circle arc", {"E": "03 20101030 - - -"})
    assert ended(state, ["advance", 0, 1, 0]).ranking == (1, 2)


def test_five_pawns_on_one_path_in_two_stacks_are_no_tower() -> None:
    state = acting(2, "0E 1S circle arc", {"E": "00 000 - - -"}).apply(["advance", 0, 1, 1])
    assert state.to_move == 0


def test_tower_completed_by_another_player_wins_for_its_owner() -> None:
    state = acting(2, "0E circle circle arc", {"E": "01 1111 - - -"})
    assert ended(state, ["advance", 0, 1, 0]).ranking == (2, 1)


def test_a_tower_of_a_neutral_colour_wins_nothing() -> None:
    state = acting(2, "2E 1S circle arc", {"E": "2 2222 - - -"}).apply(["advance", 0, 1, 0])
    assert state.to_move == 0


def test_a_tower_that_enters_from_the_start_area_wins() -> None:
    state = acting(2, "0E circle circle arc", {"E": "0000 - - - -"})
    assert ended(state, ["advance", 0, 0, 0]).ranking == (1, 2)


# -- goal ----------------------------------------------------------------------------------------


def test_the_fifth_pawn_in_the_goal_wins() -> None:
    state = acting(3, "0E 1S circle arc", {"E": "- - - - 0"}, goal=[4, 1, 2, 0])
    expected = Outcome(Termination.VICTORY, (1, 2, 2), (5, 1, 2))
    assert ended(state, ["advance", 0, 5, 0]) == expected


def test_winning_player_to_move_wins_alone() -> None:
    state = acting(2, "0E circle circle arc", {"E": "- - - - 01"}, goal=[4, 4, 0, 0])
    assert ended(state, ["advance", 0, 5, 0]).ranking == (1, 2)


def test_others_that_win_in_the_same_advance_share_the_win() -> None:
    state = acting(3, "3E circle circle arc", {"E": "- - - - 312"}, goal=[4, 4, 4, 0])
    over = state.apply(["advance", 0, 5, 0])
    assert over.turn.winners == (1, 2)
    assert over.outcome == Outcome(Termination.VICTORY, (3, 1, 1), (4, 5, 5))


def test_towers_in_one_stack_share_the_win() -> None:
    state = acting(3, "0E circle circle arc", {"E": "012 11112222 - - -"})
    over = state.apply(["advance", 0, 1, 0])
    assert over.outcome == Outcome(Termination.VICTORY, (3, 1, 1), (0, 0, 0))


def test_five_neutral_pawns_in_the_goal_win_nothing() -> None:
    state = acting(2, "2E 1S circle arc", {"E": "- - - - 2"}, goal=[0, 0, 4, 0])
    assert state.apply(["advance", 0, 5, 0]).to_move == 0


def test_a_win_ends_the_match_in_the_middle_of_the_turn() -> None:
    before = acting(2, "0E 1S circle arc", {"E": "0 0000 - - -"})
    over = before.apply(["advance", 0, 1, 0])
    assert (over.to_json()["uses"], over.to_json()["arcs_left"]) == ([0] * 4, 0)
    assert over.to_json()["turn"] == 1
    assert over.legal_steps() == []


def test_steps_after_the_winning_step_are_ignored() -> None:
    before = acting(2, "0E 1S circle arc", {"E": "0 0000 - - -"})
    over = apply_turn(before, [["advance", 0, 1, 0], ["advance", 9], "nonsense"])
    assert over.turn.winners == (0,)


# -- turn limit ----------------------------------------------------------------------------------


def test_the_match_ends_when_the_turn_of_the_limit_is_over() -> None:
    state = acting(2, LAPSED, turn=7, turn_limit=8).apply(["end"])
    assert state.to_move == 1
    state = acting(2, LAPSED, turn=8, to_move=1, turn_limit=8).apply(["end"])
    assert (state.phase, state.to_move, state.to_json()["turn"]) == ("over", None, 8)
    assert state.to_json()["winners"] == []


def test_at_the_limit_pawns_in_the_goal_come_first() -> None:
    paths = {"E": "- - - - 000"}
    state = acting(2, LAPSED, paths, goal=[1, 2, 0, 0], turn_limit=1)
    assert ended(state, ["end"]) == Outcome(Termination.LIMIT, (2, 1), (1, 2))


def test_at_the_limit_the_sum_of_fields_comes_second() -> None:
    paths = {"E": "- 0 - 1 -", "W": "0 - 0 1 -"}
    state = acting(3, LAPSED, paths, goal=[1, 1, 1, 0], turn_limit=1)
    assert ended(state, ["end"]) == Outcome(Termination.LIMIT, (2, 1, 3), (1, 1, 1))


def test_at_the_limit_equal_pawns_and_fields_share_the_rank() -> None:
    paths = {"E": "- 0 - 1 -", "W": "1 - 0 - -", "N": "- - - - 2"}
    state = acting(3, LAPSED, paths, goal=[1, 1, 1, 0], turn_limit=1)
    assert ended(state, ["end"]).ranking == (1, 1, 1)


def test_a_win_in_the_last_turn_is_a_win() -> None:
    paths = {"E": "- - - - 0"}
    state = acting(2, "0E circle circle arc", paths, goal=[4, 0, 0, 0], turn_limit=1)
    assert ended(state, ["advance", 0, 5, 0]).termination == Termination.VICTORY


def test_the_limit_is_200_turns_by_default() -> None:
    assert ICECULT.setup(2).to_json()["turn_limit"] == 200


# -- forfeits ------------------------------------------------------------------------------------


def test_with_two_players_a_forfeit_ends_the_match() -> None:
    state = ICECULT.setup(2).forfeit(0)
    assert state.outcome == Outcome(Termination.FORFEIT, (2, 1), (0, 0))
    assert (state.to_json()["phase"], state.to_json()["turn"]) == ("over", 1)


def test_the_forfeiters_turn_counts_as_played() -> None:
    state = tipping(3, turn=2).forfeit(1)
    assert (state.to_move, state.to_json()["turn"]) == (2, 3)


def test_a_forfeit_out_of_turn_leaves_the_turn_as_it_is() -> None:
    state = tipping(3, turn=2).forfeit(2)
    assert (state.to_move, state.to_json()["turn"]) == (1, 2)


def test_forfeiters_are_passed_over() -> None:
    state = acting(4, LAPSED, turn=5, forfeited=[1, 2]).apply(["end"])
    assert (state.to_move, state.to_json()["turn"]) == (3, 6)


def test_a_forfeit_leaves_pawns_and_blocks_where_they_are() -> None:
    before = tipping(3, turn=4, paths={"N": "0 0 - - -"})
    state = before.forfeit(0)
    assert (state.paths, state.start, state.cubes) == (before.paths, before.start, before.cubes)


def test_a_forfeiters_colour_becomes_neutral() -> None:
    state = acting(3, "2E 1S circle arc", {"E": "2 2222 - - -"}, forfeited=[2])
    assert state.apply(["advance", 0, 1, 0]).to_move == 0


def test_a_forfeit_in_the_last_turn_ends_the_match() -> None:
    state = tipping(3, turn=9, turn_limit=9, goal=[1, 3, 2, 0]).forfeit(2)
    assert state.outcome == Outcome(Termination.LIMIT, (2, 1, 3), (1, 3, 2))


def test_forfeiters_rank_below_all_others_and_the_later_one_above_the_earlier() -> None:
    state = tipping(4, turn=8, goal=[4, 3, 2, 1]).forfeit(0).forfeit(2).forfeit(3)
    assert state.outcome == Outcome(Termination.FORFEIT, (4, 1, 3, 2), (4, 3, 2, 1))


def test_a_win_does_not_raise_a_forfeiter() -> None:
    state = acting(3, "0E 1S circle arc", {"E": "0 0000 - - -"}, forfeited=[1])
    assert ended(state, ["advance", 0, 1, 0]).ranking == (1, 3, 2)


@pytest.mark.parametrize(
    ("state", "seat", "sentence"),
    [
        (ICECULT.setup(3), 3, "the seats are 0 to 2; 3 is none"),
        (ICECULT.setup(3), True, "the seats are 0 to 2; true is none"),
        (ICECULT.setup(3).forfeit(1), 1, "seat 1 has forfeited already"),
        (ICECULT.setup(2).forfeit(1), 0, "the match is over"),
        (
            ICECULT.setup(2).apply(["tip", "N", "N"]),
            0,
            "a forfeit is possible only between turns",
        ),
    ],
)
def test_a_forfeit_that_cannot_be_is_refused(state: IceCultState, seat: int, sentence: str) -> None:
    with pytest.raises(IllegalForfeit) as caught:
        state.forfeit(seat)
    assert str(caught.value) == sentence
