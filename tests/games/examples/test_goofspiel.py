"""Goofspiel against its rules: bids, prizes, forfeits, and what cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from polynya_example_games.goofspiel import GOOFSPIEL, GoofspielState

from polynya_games import IllegalForfeit, IllegalStep, InvalidOption, InvalidState
from polynya_games.chance import deal_of_seed


def begun(players: int = 2, cards: int = 4, seed: int = 1) -> GoofspielState:
    return GOOFSPIEL.setup(players, deal_of_seed(seed), {"cards": cards})


def bid(state: GoofspielState, *cards: int | None, leaving: tuple[int, ...] = ()) -> GoofspielState:
    """A round in which each seat bids its card, None for a seat that does not."""
    steps = {seat: ["bid", card] for seat, card in enumerate(cards) if card is not None}
    return state.apply_joint(steps, leaving)


def test_all_seats_bid_at_once() -> None:
    state = begun(3)
    assert state.acting == (0, 1, 2)
    assert state.legal_steps(2) == [("bid", 1), ("bid", 2), ("bid", 3), ("bid", 4)]


def test_the_highest_bid_wins_the_prize() -> None:
    state = begun()
    after = bid(state, 2, 4)
    assert after.points == (0, state.prize)
    assert after.rounds[0].to_json() == {"prize": state.prize, "bids": [2, 4], "winner": 1}
    assert (after.hand(0), after.hand(1), after.drawn) == ([1, 3, 4], [1, 2, 3], 2)
    assert after.prize != state.prize


def test_nobody_wins_if_two_bid_the_highest() -> None:
    after = bid(begun(3), 4, 1, 4)
    assert (after.points, after.rounds[0].winner) == ((0, 0, 0), None)


def test_the_last_round_is_played_in_the_turn_of_the_round_before() -> None:
    state = begun(cards=3)
    after = bid(bid(state, 1, 2), 2, 3)
    assert (len(after.rounds), after.acting, after.drawn) == (3, (), 3)
    assert after.rounds[2].bids == (3, 1)
    assert sorted(each.prize for each in after.rounds) == [1, 2, 3]
    assert after.outcome is not None
    assert after.outcome.scores == after.points


def test_a_seat_that_leaves_bids_nothing_and_keeps_its_points() -> None:
    first = bid(begun(3), 4, 1, 2)
    after = bid(first, None, 3, 3, leaving=(0,))
    assert after.points[0] == first.points[0] > 0
    assert after.rounds[1].bids == (None, 3, 3)
    assert (after.acting, after.to_json()["forfeited"]) == ((1, 2), [[0]])


def test_those_that_leave_together_share_a_rank() -> None:
    after = bid(begun(4), None, 2, None, 3, leaving=(2, 0))
    over = bid(after, None, None, None, 1, leaving=(1,))
    assert over.to_json()["forfeited"] == [[0, 2], [1]]
    assert over.outcome is not None
    assert over.outcome.ranking == (3, 2, 3, 1)


def test_all_rank_first_if_all_leave() -> None:
    over = bid(begun(3), leaving=(0, 1, 2))
    assert over.outcome is not None
    assert over.outcome.ranking == (1, 1, 1)


@pytest.mark.parametrize(
    ("steps", "leaving", "sentence"),
    [
        ({0: ["bid", 1]}, (), "seat 1 chooses now, and has neither a step nor a forfeit"),
        ({0: ["bid", 1], 1: ["bid", 9]}, (), r"the cards in the hand are \[1, 2, 3, 4\]"),
        ({0: ["bid", 1], 1: ["bid", 1]}, (1,), "seat 1 leaves and has a step"),
        ({0: ["bid", 1], 1: ["bid", 1], 2: ["bid", 1]}, (), "seat 2 does not choose now"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(steps: Any, leaving: Any, sentence: str) -> None:
    with pytest.raises(IllegalStep, match=sentence):
        begun().apply_joint(steps, leaving)


@pytest.mark.parametrize("seat", [-1, 2, True, "0", None])
def test_only_a_seat_of_the_match_forfeits(seat: object) -> None:
    with pytest.raises(IllegalForfeit):
        begun().forfeit(seat)


@pytest.mark.parametrize("cards", [2, 14, True, "3", None])
def test_cards_are_from_3_to_13(cards: object) -> None:
    with pytest.raises(InvalidOption):
        GOOFSPIEL.setup(2, deal_of_seed(1), {"cards": cards})


def test_the_order_of_the_prizes_is_in_no_view() -> None:
    state = begun()
    for seat in (0, 1, None):
        assert set(state.to_json()) - set(state.view(seat)) == {"deal", "drawn"}
    with pytest.raises(InvalidState):
        GOOFSPIEL.state_from_json(state.view(0))


def test_each_prize_is_equally_likely() -> None:
    first = [begun(seed=seed, cards=3).prize for seed in range(3_000)]
    # Two degrees of freedom: 13.8 is exceeded once in a thousand sets of deals.
    assert sum((first.count(prize) - 1_000) ** 2 / 1_000 for prize in (1, 2, 3)) < 13.8


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("round", 2),
        ("prize", 9),
        ("hands", [[1], [2]]),
        ("hands", [[1, 2, 3]]),
        ("points", [9, 9, 9]),
        ("points", [True, 0, 0]),
        ("deal", "x"),
        ("drawn", None),
        ("forfeited", [0]),
        ("forfeited", [[]]),
        ("forfeited", [[0], [0]]),
        ("forfeited", [[0], [1], [2]]),
        ("forfeited", [[2], [0]]),
        ("rounds", []),
        ("cards", 3),
    ],
)
def test_a_position_that_cannot_be_is_refused(key: str, value: object) -> None:
    state = bid(bid(begun(3, cards=5), 1, 2, 3), None, 4, 4, leaving=(0,))
    document = state.to_json()
    assert GOOFSPIEL.state_from_json(document).to_json() == document
    with pytest.raises(InvalidState):
        GOOFSPIEL.state_from_json({**document, key: value})
