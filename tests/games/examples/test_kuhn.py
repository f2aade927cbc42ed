"""Kuhn poker against its rules: hands, chips, what each seat knows, and its value."""

from __future__ import annotations

import random
from typing import Any

import pytest
from polynya_example_games.bots.kuhn_strategy import chance_of_chip, chosen
from polynya_example_games.kuhn import KUHN, KuhnState

from polynya_games import IllegalForfeit, InvalidOption, InvalidState
from polynya_games.chance import deal_of_seed


def played(state: KuhnState, *verbs: str) -> KuhnState:
    for verb in verbs:
        state = state.apply([verb])
    return state


def begun(first: int, second: int, hands: int = 4) -> KuhnState:
    """A match in which seat 0 and seat 1 have these cards in the first hand."""
    return KuhnState(hands, (first, second), deal_of_seed(1), 2)


@pytest.mark.parametrize(
    ("cards", "verbs", "chips", "shown"),
    [
        ((3, 1), ("check", "check"), (1, -1), (3, 1)),
        ((1, 2), ("check", "check"), (-1, 1), (1, 2)),
        ((3, 1), ("bet", "fold"), (1, -1), None),
        ((1, 3), ("bet", "call"), (-2, 2), (1, 3)),
        ((3, 1), ("check", "bet", "fold"), (-1, 1), None),
        ((3, 2), ("check", "bet", "call"), (2, -2), (3, 2)),
    ],
)
def test_a_hand_moves_the_chips_of_its_bets(
    cards: tuple[int, int], verbs: tuple[str, ...], chips: tuple[int, int], shown: Any
) -> None:
    after = played(begun(*cards), *verbs)
    assert (after.chips, after.shown) == (chips, (shown,))
    assert (after.hand, after.bets, after.drawn) == (2, (), 4)


def test_the_seats_are_first_in_turn() -> None:
    second = played(begun(1, 2), "check", "check")
    assert (begun(1, 2).to_move, second.first, second.to_move) == (0, 1, 1)
    assert played(second, "check").to_move == 0


def test_a_card_that_was_not_shown_is_nowhere_seen() -> None:
    after = played(begun(3, 1), "bet", "fold")
    ended = {"hand": 1, "won": [1, -1]}
    assert after.seen(1) == [ended, {"hand": 2, "card": after.cards[1]}]
    assert after.seen(None) == [ended, {"hand": 2}]


def test_cards_that_were_shown_are_seen_by_all() -> None:
    after = played(begun(3, 1), "bet", "call")
    assert [after.seen(seat)[0] for seat in (0, 1, None)] == [
        {"hand": 1, "won": [2, -2], "cards": [3, 1]}
    ] * 3


def test_only_the_turn_that_ends_a_hand_shows_anything() -> None:
    assert begun(3, 1).seen(0) == []
    assert played(begun(3, 1), "check", "check", "check").seen(0) == []


def test_a_seat_sees_its_own_card_and_no_deal() -> None:
    state = begun(3, 1)
    assert [state.view(seat)["cards"] for seat in (0, 1, None)] == [
        [3, None],
        [None, 1],
        [None, None],
    ]
    assert set(state.to_json()) - set(state.view(0)) == {"deal", "drawn"}


def test_the_last_hand_stays_as_it_was() -> None:
    state = played(begun(3, 1, hands=2), "bet", "fold", "check", "check")
    assert (state.hand, state.bets, state.to_move) == (2, ("check", "check"), None)
    assert state.outcome is not None
    assert state.outcome.scores == state.chips
    assert len(state.seen(0)) == 1


def test_a_forfeit_loses_the_match_and_no_chips() -> None:
    state = played(begun(3, 1), "bet", "call").forfeit(0)
    assert state.outcome is not None
    assert (state.outcome.ranking, state.outcome.scores) == ((2, 1), (2, -2))
    with pytest.raises(IllegalForfeit):
        state.forfeit(1)


@pytest.mark.parametrize("hands", [0, 1, 3, 1002, True, "2", None])
def test_hands_is_an_even_number(hands: object) -> None:
    with pytest.raises(InvalidOption):
        KUHN.setup(2, deal_of_seed(1), {"hands": hands})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cards", [2, 2]),
        ("cards", [None, 1]),
        ("first", 1),
        ("bets", ["call"]),
        ("bets", ["check", "check"]),
        ("chips", [1, 0]),
        ("chips", [5, -5]),
        ("shown", []),
        ("shown", [[1, 1]]),
        ("deal", "0"),
        ("drawn", -1),
        ("forfeited", [0, 1]),
        ("hand", 5),
    ],
)
def test_a_position_that_cannot_be_is_refused(key: str, value: object) -> None:
    document = played(begun(3, 1), "bet", "call", "check", "bet", "fold").to_json()
    with pytest.raises(InvalidState):
        KUHN.state_from_json({**document, key: value})


def test_a_view_is_no_position() -> None:
    with pytest.raises(InvalidState):
        KUHN.state_from_json(begun(3, 1).view(0))


def test_a_position_whose_past_does_not_follow_from_its_deal_is_read() -> None:
    document = begun(3, 1).to_json() | {"deal": "ab" * 32, "cards": [1, 2]}
    assert KUHN.state_from_json(document).to_json() == document


@pytest.mark.parametrize("alpha", [0, 1 / 6, 1 / 3])
def test_the_first_player_loses_an_eighteenth_of_a_chip_a_hand(alpha: float) -> None:
    generator = random.Random(20)
    results: list[int] = []
    for seed in range(20):
        state = KUHN.setup(2, deal_of_seed(seed), {"hands": 1000})
        while (seat := state.to_move) is not None:
            step = chosen(alpha, seat, state.view(seat), generator.random())
            first, hand, before = state.first, state.hand, state.chips
            state = state.apply(step)
            if state.hand != hand or state.to_move is None:
                results.append(state.chips[first] - before[first])
    mean = sum(results) / len(results)
    deviation = (sum((won - mean) ** 2 for won in results) / len(results)) ** 0.5
    assert len(results) == 20_000
    assert abs(mean + 1 / 18) < 2.6 * deviation / len(results) ** 0.5  # in 99 of 100 deals


def test_the_family_is_the_published_one() -> None:
    alpha = 0.2
    first = [chance_of_chip(alpha, card, []) for card in (1, 2, 3)]
    facing = [chance_of_chip(alpha, card, ["check", "bet"]) for card in (1, 2, 3)]
    second = [chance_of_chip(alpha, card, ["check"]) for card in (1, 2, 3)]
    called = [chance_of_chip(alpha, card, ["bet"]) for card in (1, 2, 3)]
    assert first == pytest.approx([0.2, 0, 0.6])
    assert facing == pytest.approx([0, 0.2 + 1 / 3, 1])
    assert second == pytest.approx([1 / 3, 0, 1])
    assert called == pytest.approx([0, 1 / 3, 1])
