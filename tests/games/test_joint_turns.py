"""Turns of any game are played in one way: those of several seats at once, and those of one."""

from __future__ import annotations

from typing import Any, cast

import pytest
from tests.games.joint_game import Coins, CoinState

from polynya_games import IllegalForfeit, IllegalStep, IllegalTurn, load
from polynya_games.ranking import joint_ranking
from polynya_games.seats import (
    SeatState,
    acting,
    concealed,
    guess,
    has_joint_turns,
    legal_steps,
    seen,
    view,
)
from polynya_games.turns import apply_turn, check_answer, forfeit_together, joint_step, play_turn


def coins(players: int = 3) -> CoinState:
    return Coins().setup(players)


PUT = {coin: [["put", coin]] for coin in (1, 2, 3)}


class TestSeats:
    def test_in_a_game_of_one_seat_at_a_time_that_seat_acts(self) -> None:
        state = load("packeis").setup(2)
        assert acting(state) == (0,)
        assert not has_joint_turns(state)
        assert legal_steps(state, 0) == state.legal_steps()
        assert legal_steps(state, 1) == []

    def test_nobody_acts_at_the_end(self) -> None:
        assert acting(load("packeis").setup(2).forfeit(1)) == ()

    @pytest.mark.parametrize("seat", [0, 1, None])
    def test_a_game_that_hides_nothing_shows_everything_to_everybody(self, seat: Any) -> None:
        state = load("arktia").setup(2)
        assert view(state, seat) == state.to_json()
        assert seen(state, seat) == []
        assert concealed(state, seat) == ()
        assert guess(state, seat, 7) is state

    def test_in_a_joint_turn_each_seat_has_its_own_steps(self) -> None:
        state = coins().apply_joint({0: ("put", 1), 1: ("put", 2), 2: ("put", 2)})
        assert acting(state) == (0, 1, 2)
        assert legal_steps(state, 0) == [("put", 2), ("put", 3)]
        assert legal_steps(state, 2) == [("put", 1), ("put", 3)]

    def test_a_seat_knows_what_the_wire_tells_it(self) -> None:
        state = coins(2)
        told = SeatState.from_wire(1, state.to_json(), [0, 1], [{"coin": 3}])
        assert told == SeatState(1, state.to_json(), (0, 1), ({"coin": 3},))
        assert SeatState.of(state, 1) == SeatState(1, state.to_json(), (0, 1))
        assert told.acts
        assert not SeatState.of(state, None).acts


class TestAnswers:
    def test_an_answer_in_a_joint_turn_is_one_step(self) -> None:
        assert joint_step(coins(), 2, PUT[3]) == ("put", 3)

    @pytest.mark.parametrize(
        ("steps", "index", "sentence"),
        [
            (None, None, "steps is a list of steps, not null"),
            ([], 0, "the turn has no steps"),
            (
                [["put", 1], ["put", 2]],
                1,
                "a turn of this game is exactly one step, and this one has 2",
            ),
            ([7], 0, "step 0: 7: a step is a list that begins with a verb, not 7"),
            (
                [["put", 4]],
                0,
                'step 0: ["put", 4]: the steps that are legal now are '
                '[["put", 1], ["put", 2], ["put", 3]]',
            ),
        ],
    )
    def test_a_wrong_answer_is_refused_with_its_place(
        self, steps: object, index: int | None, sentence: str
    ) -> None:
        with pytest.raises(IllegalTurn) as refused:
            check_answer(coins(), 0, steps)
        assert (refused.value.index, str(refused.value)) == (index, sentence)

    @pytest.mark.parametrize("coin", [True, 1.0, "1"])
    def test_a_number_is_an_integer(self, coin: object) -> None:
        with pytest.raises(IllegalTurn):
            joint_step(coins(), 0, [["put", coin]])

    def test_in_a_turn_of_one_seat_an_answer_is_a_whole_turn(self) -> None:
        state = load("packeis").setup(2)
        check_answer(state, 0, [state.legal_steps()[0]])
        with pytest.raises(IllegalTurn):
            check_answer(state, 0, [["move", 0, 1]])

    def test_the_game_may_refuse_in_its_own_words(self) -> None:
        class Strict(CoinState):
            def checked_step(self, seat: int, step: object) -> Any:
                raise IllegalStep(f"seat {seat} is broke: {step}")

        with pytest.raises(IllegalTurn, match="seat 1 is broke"):
            joint_step(cast("Any", Strict(2, ((1,), (1,)), (0, 0))), 1, PUT[1])


class TestTurns:
    def test_a_turn_of_one_seat_is_a_joint_turn_of_that_seat(self) -> None:
        state = load("packeis").setup(2)
        steps = [state.legal_steps()[3]]
        assert play_turn(state, {0: steps}) == apply_turn(state, steps)

    def test_the_answers_of_a_joint_turn_come_in_any_order(self) -> None:
        wanted = coins().apply_joint({0: ("put", 1), 1: ("put", 2), 2: ("put", 3)})
        assert play_turn(coins(), {2: PUT[3], 0: PUT[1], 1: PUT[2]}) == wanted
        assert wanted.points == (1, 2, 3)

    def test_a_seat_that_leaves_in_a_joint_turn_plays_no_step(self) -> None:
        after = play_turn(coins(), {0: PUT[1], 2: PUT[1]}, [1])
        assert after.gone == ((1,),)
        assert after.acting == (0, 2)

    def test_all_that_leave_in_one_turn_share_a_rank(self) -> None:
        after = play_turn(coins(4), {2: PUT[1]}, [3, 0, 1])
        assert after.gone == ((0, 1, 3),)
        assert after.outcome is not None
        assert after.outcome.ranking == (2, 2, 1, 2)

    def test_forfeits_that_end_the_match_need_no_steps(self) -> None:
        assert play_turn(coins(), {}, [0, 2]).gone == ((0, 2),)

    def test_seats_that_leave_between_turns_leave_one_after_the_other(self) -> None:
        assert forfeit_together(coins(4), [3, 1]).gone == ((3,), (1,))
        assert forfeit_together(load("packeis").setup(3), [2]).forfeited == (2,)

    @pytest.mark.parametrize("answers", [{0: PUT[1]}, {0: PUT[1], 1: PUT[1], 2: PUT[1], 3: PUT[1]}])
    def test_a_joint_turn_has_an_answer_of_each_acting_seat(self, answers: Any) -> None:
        with pytest.raises((IllegalTurn, IllegalStep)):
            play_turn(coins(), answers)

    def test_another_seat_cannot_play_a_turn_of_one_seat(self) -> None:
        state = load("packeis").setup(2)
        with pytest.raises(IllegalTurn, match="seat 0 is to move"):
            play_turn(state, {1: [state.legal_steps()[0]]})

    def test_a_seat_leaves_a_turn_of_one_seat_before_it_or_after_it(self) -> None:
        state = load("packeis").setup(3)
        with pytest.raises(IllegalForfeit):
            play_turn(state, {0: [state.legal_steps()[0]]}, [1])


class TestRanking:
    @pytest.mark.parametrize(
        ("results", "gone", "ranks"),
        [
            ([5, 7, 5], [], (2, 1, 2)),
            ([5, 7, 5], [[1]], (1, 3, 1)),
            ([5, 7, 5, 1], [[1], [0, 2]], (2, 4, 2, 1)),
            ([5, 7], [[0], [1]], (1, 1)),
            ([5, 7, 9], [[0, 1, 2]], (1, 1, 1)),
        ],
    )
    def test_ranks(self, results: Any, gone: Any, ranks: tuple[int, ...]) -> None:
        assert joint_ranking(results, gone) == ranks
