"""The rules of Packeis one by one, on small boards.

The floes of these boards lie in row 0 (cells 0 to 6) and row 1 (7 to 14): 0 touches 7 and 8,
1 touches 8 and 9, and so on.
"""

from __future__ import annotations

from typing import Any

import pytest

from polynya_games import IllegalForfeit, IllegalStep, InvalidStep, Termination
from polynya_games.cells import bitset
from polynya_games.packeis import PACKEIS, PackeisState
from polynya_games.packeis.position import Layout


def board(fish: dict[int, int], *penguins: list[int], **changes: Any) -> PackeisState:
    """A position in the movement phase with seat 0 to move, unless ``changes`` say otherwise."""
    players = len(penguins)
    values: dict[str, Any] = {
        "layout": Layout(tuple(fish.get(cell, 0) for cell in range(60))),
        "free": bitset(set(fish).difference(*penguins)),
        "penguins": tuple(bitset(own) for own in penguins),
        "catches": (0,) * players,
        "out": (False,) * players,
        "forfeited": (),
        "phase": "movement",
        "to_move": 0,
        "clears": True,
    }
    return PackeisState(**{**values, **changes})


def placed(players: int, count: int, seed: int = 1) -> PackeisState:
    """The position after ``count`` penguins have been placed on the first possible cells."""
    state = PACKEIS.setup(players, seed)
    for _ in range(count):
        state = state.apply(state.legal_steps()[0])
    return state


def test_placement_offers_the_free_floes_with_one_fish() -> None:
    state = placed(2, 1)
    ones = [cell for cell in range(60) if state.fish[cell] == 1]
    assert [("place", cell) for cell in ones[1:]] == state.legal_steps()


@pytest.mark.parametrize(("players", "penguins"), [(2, 4), (3, 3), (4, 2)])
def test_the_players_place_in_turn_until_all_stand(players: int, penguins: int) -> None:
    asked = []
    state = PACKEIS.setup(players, 1)
    while state.phase == "placement":
        asked.append(state.to_move)
        state = state.apply(state.legal_steps()[-1])
    assert list(range(players)) * penguins == asked
    assert state.to_move == 0


def test_a_penguin_slides_up_to_the_first_gap_or_penguin() -> None:
    state = board(dict.fromkeys([0, 1, 2, 3, 5, 6, 8], 1), [1], [3])
    assert state.legal_steps() == [("move", 1, 0), ("move", 1, 2), ("move", 1, 8)]


def test_the_floe_that_the_penguin_leaves_is_collected() -> None:
    after = board({0: 3, 1: 1, 2: 1, 3: 2, 4: 1}, [0], [3]).apply(["move", 0, 2])
    assert (after.fish_caught, after.floes_caught) == ((3, 0), (1, 0))
    assert after.fish[:5] == (0, 1, 1, 2, 1)
    assert after.to_move == 1


def test_a_floe_behind_a_penguin_that_it_can_reach_stays() -> None:
    after = board(dict.fromkeys([0, 1, 2, 3, 4, 5], 1), [0], [3]).apply(["move", 0, 2])
    assert [cell for cell in range(60) if after.fish[cell]] == [1, 2, 3, 4, 5]


def test_unreachable_floes_leave_the_board_uncounted() -> None:
    after = board({1: 1, 2: 1, 3: 1, 4: 1, 5: 1, 21: 2, 29: 3}, [1], [5]).apply(["move", 1, 2])
    assert [cell for cell in range(60) if after.fish[cell]] == [2, 3, 4, 5]
    assert after.fish_caught == (1, 0)


def test_unreachable_floes_stay_until_the_first_movement_step() -> None:
    state = board({0: 1, 1: 1, 2: 1, 14: 3}, [0], [2], clears=False)
    assert state.fish[14] == 3
    assert state.apply(["move", 0, 1]).fish[14] == 0


def test_player_without_moves_withdraws_on_their_turn() -> None:
    state = board({2: 1, 3: 1, 4: 1, 13: 2, 14: 3}, [13, 14], [2], to_move=1, out=(False, False))
    after = state.apply(["move", 2, 3])
    assert after.out == (True, False)
    assert after.penguins[0] == 0
    assert (after.fish_caught, after.floes_caught) == ((5, 1), (2, 1))
    assert after.fish[13:15] == (0, 0)


def test_player_without_moves_stays_until_their_turn() -> None:
    state = board({0: 1, 1: 1, 2: 1, 5: 1, 6: 1, 14: 1}, [0], [5], [14], to_move=0)
    after = state.apply(["move", 0, 1])
    assert (after.to_move, after.out) == (1, (False, False, False))


def test_last_remaining_player_plays_on() -> None:
    state = board({0: 1, 1: 1, 2: 1, 3: 1, 14: 3}, [0], [14])
    after = state.apply(["move", 0, 1])
    assert (after.to_move, after.out) == (0, (False, True))
    assert after.apply(["move", 1, 2]).to_move == 0


def test_the_match_is_over_when_everyone_is_out() -> None:
    end = board({0: 2, 1: 1, 14: 3}, [0], [14]).apply(["move", 0, 1])
    assert (end.phase, end.to_move, end.legal_steps()) == ("over", None, [])
    assert end.out == (True, True)
    assert not any(end.fish)
    assert end.outcome is not None
    assert end.outcome.termination is Termination.FINISHED
    assert end.outcome.scores == (3, 3)


def test_equal_fish_are_decided_by_floes() -> None:
    end = board({0: 2, 1: 1, 14: 3}, [0], [14]).apply(["move", 0, 1])
    assert end.outcome is not None
    assert (end.floes_caught, end.outcome.ranking) == ((2, 1), (1, 2))


def test_equal_fish_and_floes_share_a_rank() -> None:
    end = board({0: 2, 1: 1, 14: 3}, [0], [14], catches=(0, 1)).apply(["move", 0, 1])
    assert end.outcome is not None
    assert end.outcome.ranking == (1, 1)


def test_players_without_moves_withdraw_when_placement_ends() -> None:
    fish = dict.fromkeys([0, 7, 8, 13, 15, 16, 20, 51, 58, 59], 1)
    state = board(fish, [0, 7], [8, 15], [20], [59], phase="placement", to_move=2, clears=False)
    state = state.apply(["place", 13]).apply(["place", 58])
    assert (state.phase, state.to_move) == ("movement", 1)
    assert state.out == (True, False, False, False)
    assert state.floes_caught == (2, 0, 0, 0)


def test_floes_of_a_forfeited_player_count_for_no_player() -> None:
    state = placed(3, 9)
    after = state.forfeit(1)
    gone = [cell for cell in range(60) if state.fish[cell] and not after.fish[cell]]
    assert state.to_json()["penguins"][1] == gone
    assert after.out == (False, True, False)
    assert after.floes_caught == (0, 0, 0)
    assert after.to_move == 0


def test_a_forfeit_in_placement_removes_no_unreachable_floe() -> None:
    after = PACKEIS.setup(3, 1).forfeit(0)
    assert (after.to_move, after.fish.count(0)) == (1, 0)


def test_the_others_go_on_placing_after_a_forfeit() -> None:
    state = placed(3, 4).forfeit(1)
    asked = []
    while state.phase == "placement":
        asked.append(state.to_move)
        state = state.apply(state.legal_steps()[-1])
    assert asked == [2, 0, 2]


def test_the_forfeit_of_the_last_to_place_begins_the_movement() -> None:
    state = placed(3, 8).forfeit(2)
    assert (state.phase, state.to_move) == ("movement", 0)


def test_a_forfeit_of_the_seat_to_move_passes_the_turn() -> None:
    assert placed(3, 9).forfeit(0).to_move == 1


def test_with_two_players_a_forfeit_ends_the_match() -> None:
    end = board({0: 1, 1: 1, 2: 1, 3: 3, 13: 1, 14: 2}, [0], [14], catches=(65, 300)).forfeit(1)
    assert (end.phase, end.to_move, end.out) == ("over", None, (False, True))
    assert end.fish[:4] == (1, 1, 1, 3)
    assert end.fish[13:15] == (0, 0)
    assert end.outcome is not None
    assert end.outcome.termination is Termination.FORFEIT
    assert (end.outcome.ranking, end.outcome.scores) == ((1, 2), (1, 4))


def test_a_forfeit_that_ends_the_match_in_placement_leaves_the_other_floes() -> None:
    end = PACKEIS.setup(2, 1).forfeit(0)
    assert (end.phase, end.fish.count(0)) == ("over", 0)


def test_later_forfeit_ranks_higher() -> None:
    end = placed(4, 8).forfeit(2).forfeit(0).forfeit(3)
    assert end.outcome is not None
    assert end.outcome.ranking == (3, 1, 4, 2)


def test_withdrawn_player_cannot_forfeit() -> None:
    state = board({0: 1, 1: 1, 2: 1, 14: 3}, [0], [14]).apply(["move", 0, 1])
    with pytest.raises(IllegalForfeit, match="seat 1 has withdrawn"):
        state.forfeit(1)


def test_unreachable_floes_make_no_difference() -> None:
    state = board({0: 1, 1: 1, 2: 1, 3: 1, 14: 3}, [0], [3])
    same = board({0: 1, 1: 1, 2: 1, 3: 1}, [0], [3])
    assert (state, hash(state)) == (same, hash(same))
    assert state != board({0: 1, 1: 1, 2: 1, 3: 1, 14: 3}, [0], [3], clears=False)
    assert state != board({0: 1, 1: 2, 2: 1, 3: 1}, [0], [3])


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (["place", 1], "the phase is movement: the verb is move"),
        (["move", 3, 4], "the penguin on 3 belongs to seat 1"),
        (["move", 2, 1], "there is no penguin on 2"),
        (["move", 20, 21], "there is no penguin on 20"),
        (["move", 0, 0], "0 does not lie in a straight line from 0"),
        (["move", 0, 9], "9 does not lie in a straight line from 0"),
        (["move", 0, 3], "there is a penguin on 3"),
        (["move", 0, 5], "there is a penguin on 3, on the way to 5"),
        (["move", 0, 7], "there is no floe at 7"),
        (["move", 0, 16], "there is no floe at 8, on the way to 16"),
    ],
)
def test_an_illegal_move_is_refused_with_its_reason(step: list[Any], sentence: str) -> None:
    with pytest.raises(IllegalStep) as raised:
        board(dict.fromkeys([0, 1, 2, 3, 4, 5, 16], 1), [0], [3]).apply(step)
    assert sentence == str(raised.value)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (["move", 0, 1], "the phase is placement: the verb is place"),
        (["place", 0], "there is a penguin on 0 already"),
        (
            ["place", 1],
            "penguins are placed on floes with one fish; the floe on 1 carries 2 fish",
        ),
        (["place", 2], "there is no floe at 2 any more"),
    ],
)
def test_an_illegal_place_is_refused_with_its_reason(step: list[Any], sentence: str) -> None:
    state = board({0: 1, 1: 2, 3: 1}, [], [0], phase="placement")
    with pytest.raises(IllegalStep) as raised:
        state.apply(step)
    assert sentence == str(raised.value)


@pytest.mark.parametrize("cell", [-1, 60, 2**70])
def test_a_cell_that_no_board_has_makes_a_step_invalid(cell: int) -> None:
    with pytest.raises(InvalidStep, match="cells are numbered 0 to 59"):
        PACKEIS.setup(2).apply(["place", cell])


def test_after_the_end_no_step_is_legal() -> None:
    with pytest.raises(IllegalStep, match="the match is over"):
        PACKEIS.setup(2).forfeit(0).apply(["place", 1])
