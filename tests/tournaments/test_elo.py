"""Elo against numbers worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_tournaments.rating import expected_score, rate

RATINGS = st.floats(0, 4000)


@pytest.mark.parametrize(
    ("rating", "opponent", "score"),
    [(1500, 1500, 0.5), (1900, 1500, 10 / 11), (1500, 1900, 1 / 11), (2300, 1500, 100 / 101)],
)
def test_a_lead_of_400_is_ten_to_one(rating: float, opponent: float, score: float) -> None:
    assert score == pytest.approx(expected_score(rating, opponent))


def test_equals_win_and_lose_half_of_k() -> None:
    assert rate([1500, 1500], [1, 2], 32) == [1516.0, 1484.0]


def test_a_tie_of_equals_changes_nothing() -> None:
    assert rate([1500, 1500], [1, 1], 32) == [1500.0, 1500.0]


def test_an_upset_costs_the_favourite_more() -> None:
    # 1613 lost to 1609: expected 0.5058, so 32 * 0.5058 = 16.18.
    assert pytest.approx(rate([1613, 1609], [2, 1], 32), abs=0.01) == [1596.82, 1625.18]


def test_a_tie_with_a_stronger_bot_wins_points() -> None:
    # 1613 tied with 1720: expected 1 / (1 + 10^(107/400)) = 0.3507, so 32 * 0.1493 = 4.78.
    assert pytest.approx(rate([1613, 1720], [1, 1], 32), abs=0.01) == [1617.78, 1715.22]


def test_three_equals_share_k_by_their_pairs() -> None:
    # Both pairs won: K/2 * (1/2 + 1/2); one won, one lost: 0; both lost: the same down.
    assert rate([1500, 1500, 1500], [1, 2, 3], 32) == [1516.0, 1500.0, 1484.0]


def test_four_equals_with_a_shared_first_place() -> None:
    # Shared first: 1/2 + 1 + 1 of 3 pairs against 3/2 expected, so 32/3 * 1 = 10.67.
    # The third 1 against 3/2: -5.33; the last 0: -16.
    expected = [1500 + 32 / 3, 1500 - 16, 1500 + 32 / 3, 1500 - 16 / 3]
    assert expected == pytest.approx(rate([1500] * 4, [1, 4, 1, 3], 32))


def test_three_unequals() -> None:
    # Pairs: 1600-1500 expects 0.640065, 1600-1400 0.759747, 1500-1400 0.640065; K/2 = 16.
    # First 1400: 16 * (1 - 0.240253 + 1 - 0.359935) = 22.3970; 1600 second: 16 * (1 - 0.640065
    # + 0 - 0.759747) = -6.3970; 1500 last: 16 * (0 - 0.359935 + 0 - 0.640065) = -16.
    expected = [1593.6030, 1484.0, 1422.3970]
    assert expected == pytest.approx(rate([1600, 1500, 1400], [2, 3, 1], 32), abs=0.001)


@given(st.lists(st.tuples(RATINGS, st.integers(1, 4)), min_size=2, max_size=4))
def test_points_are_won_from_each_other(seats: list[tuple[float, int]]) -> None:
    ratings, ranking = [rating for rating, _ in seats], [rank for _, rank in seats]
    assert sum(ratings) == pytest.approx(sum(rate(ratings, ranking, 32)))


@given(st.lists(st.tuples(RATINGS, st.integers(1, 4)), min_size=2, max_size=4))
def test_no_match_changes_a_rating_by_more_than_k(seats: list[tuple[float, int]]) -> None:
    ratings, ranking = [rating for rating, _ in seats], [rank for _, rank in seats]
    after = rate(ratings, ranking, 32)
    assert all(abs(new - old) <= 32 + 1e-9 for old, new in zip(ratings, after, strict=True))
