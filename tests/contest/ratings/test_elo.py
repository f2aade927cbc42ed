"""Elo and its deviations against published numbers, and numbers worked out by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_contest.ratings.elo import (
    deviations,
    expected_score,
    glicko_g,
    information,
    k_factor,
    rate,
    stationary_deviation,
)

RATINGS = st.floats(0, 4000)


def rated(ratings: list[float], ranking: list[int], k: float = 32) -> list[float]:
    """The ratings after a match, with the same K for all."""
    return rate(ratings, ranking, [k] * len(ratings))


@pytest.mark.parametrize(
    ("rating", "opponent", "score"),
    [(1500, 1500, 0.5), (1900, 1500, 10 / 11), (1500, 1900, 1 / 11), (2300, 1500, 100 / 101)],
)
def test_a_lead_of_400_is_ten_to_one(rating: float, opponent: float, score: float) -> None:
    assert score == pytest.approx(expected_score(rating, opponent))


# FIDE Handbook B.02 (Rating Regulations effective from 1 March 2024), 8.1.2: the score that each
# difference stands for, in the middle of its range. FIDE's table is of the normal distribution
# (Elo's first), ours of the logistic one; they agree to within 0.012 below a difference of 400.
FIDE = [
    ((0, 3), 0.50),
    ((26, 32), 0.54),
    ((54, 61), 0.58),
    ((92, 98), 0.63),
    ((114, 121), 0.66),
    ((146, 153), 0.70),
    ((189, 197), 0.75),
    ((236, 245), 0.80),
    ((291, 302), 0.85),
    ((358, 374), 0.90),
]


@pytest.mark.parametrize(("differences", "score"), FIDE)
def test_scores_are_those_of_fides_table(differences: tuple[int, int], score: float) -> None:
    assert score == pytest.approx(expected_score(sum(differences) / 2, 0), abs=0.012)


def test_equals_win_and_lose_half_of_k() -> None:
    assert rated([1500, 1500], [1, 2]) == [1516.0, 1484.0]


def test_a_tie_of_equals_changes_nothing() -> None:
    assert rated([1500, 1500], [1, 1]) == [1500.0, 1500.0]


def test_an_upset_costs_the_favourite_more() -> None:
    # 1613 lost to 1609: expected 0.5058, so 32 * 0.5058 = 16.18.
    assert pytest.approx(rated([1613, 1609], [2, 1]), abs=0.01) == [1596.82, 1625.18]


def test_a_tie_with_a_stronger_bot_wins_points() -> None:
    # 1613 tied with 1720: expected 1 / (1 + 10^(107/400)) = 0.3507, so 32 * 0.1493 = 4.78.
    assert pytest.approx(rated([1613, 1720], [1, 1]), abs=0.01) == [1617.78, 1715.22]


def test_three_equals_share_k_by_their_pairs() -> None:
    # Both pairs won: K/2 * (1/2 + 1/2); one won, one lost: 0; both lost: the same down.
    assert rated([1500, 1500, 1500], [1, 2, 3]) == [1516.0, 1500.0, 1484.0]


def test_four_equals_with_a_shared_first_place() -> None:
    # Shared first: 1/2 + 1 + 1 of 3 pairs against 3/2 expected, so 32/3 * 1 = 10.67.
    # The third 1 against 3/2: -5.33; the last 0: -16.
    expected = [1500 + 32 / 3, 1500 - 16, 1500 + 32 / 3, 1500 - 16 / 3]
    assert expected == pytest.approx(rated([1500] * 4, [1, 4, 1, 3]))


def test_three_unequals() -> None:
    # Pairs: 1600-1500 expects 0.640065, 1600-1400 0.759747, 1500-1400 0.640065; K/2 = 16.
    # First 1400: 16 * (1 - 0.240253 + 1 - 0.359935) = 22.3970; 1600 second: 16 * (1 - 0.640065
    # + 0 - 0.759747) = -6.3970; 1500 last: 16 * (0 - 0.359935 + 0 - 0.640065) = -16.
    expected = [1593.6030, 1484.0, 1422.3970]
    assert expected == pytest.approx(rated([1600, 1500, 1400], [2, 3, 1]), abs=0.001)


def test_each_seat_has_its_own_k() -> None:
    assert rate([1500, 1500], [1, 2], [40, 10]) == [1520.0, 1495.0]


@given(st.lists(st.tuples(RATINGS, st.integers(1, 4)), min_size=2, max_size=4))
def test_points_are_won_from_each_other_where_k_is_the_same(seats: list[tuple[float, int]]) -> None:
    ratings, ranking = [rating for rating, _ in seats], [rank for _, rank in seats]
    assert sum(ratings) == pytest.approx(sum(rated(ratings, ranking)))


@given(st.lists(st.tuples(RATINGS, st.integers(1, 4)), min_size=2, max_size=4))
def test_no_match_changes_a_rating_by_more_than_k(seats: list[tuple[float, int]]) -> None:
    ratings, ranking = [rating for rating, _ in seats], [rank for _, rank in seats]
    after = rated(ratings, ranking)
    assert all(abs(new - old) <= 32 + 1e-9 for old, new in zip(ratings, after, strict=True))


def test_k_falls_with_games_until_it_is_that_of_a_settled_bot() -> None:
    # 1 / K from 1/128 to 1/16 in 40 steps: half-way 1 / ((1/128 + 1/16) / 2) = 28.44.
    factors = [k_factor(games, 128, 16, 40) for games in (0, 20, 40, 1000)]
    assert factors == pytest.approx([128, 28.4444, 16, 16], abs=1e-4)


@given(st.integers(0, 100), st.floats(1, 200), st.floats(1, 200), st.integers(0, 60))
def test_k_never_rises(games: int, first: float, settled: float, provisional: int) -> None:
    now, then = (k_factor(n, first, settled, provisional) for n in (games, games + 1))
    assert settled - 1e-9 <= then <= now + 1e-9


def test_the_figures_of_glickmans_example() -> None:
    # Glickman, "The Glicko system" (glicko.net/glicko/glicko.pdf), section 3: a player of 1500
    # with deviation 200 meets 1400, 1550 and 1700 with deviations 30, 100 and 300. The figures are
    # g = 0.9955, 0.9531, 0.7242; d = 231.7; and the new deviation 151.4.
    others = [(1400.0, 30.0), (1550.0, 100.0), (1700.0, 300.0)]
    assert [glicko_g(deviation) for _, deviation in others] == pytest.approx(
        [0.9955, 0.9531, 0.7242], abs=5e-5
    )
    told = sum(information(1500, rating, deviation) for rating, deviation in others)
    assert told**-0.5 == pytest.approx(231.7, abs=0.05)
    assert (200**-2 + told) ** -0.5 == pytest.approx(151.4, abs=0.05)


def test_a_match_of_two_is_one_comparison() -> None:
    told = information(1500, 1600, 80)
    after = deviations([1500, 1600], [200, 80], 0)
    assert after[0] == pytest.approx((200**-2 + told) ** -0.5)


def test_match_of_four_counts_one_and_a_half_comparisons_each() -> None:
    told = 1.5 * information(1500, 1500, 200)
    assert deviations([1500] * 4, [200] * 4, 0) == pytest.approx([(200**-2 + told) ** -0.5] * 4)


@given(st.lists(st.tuples(RATINGS, st.floats(40, 350)), min_size=2, max_size=4), st.floats(1, 40))
def test_every_match_makes_ratings_more_certain_down_to_the_least(
    seats: list[tuple[float, float]], least: float
) -> None:
    before = [deviation for _, deviation in seats]
    after = deviations([rating for rating, _ in seats], before, least)
    assert all(least <= new <= old for old, new in zip(before, after, strict=True))


def test_certain_rating_stays_certain() -> None:
    assert deviations([1500, 1500], [0, 350], 30)[0] == 0


def test_a_settled_rating_wavers_by_what_a_simulation_of_it_does() -> None:
    # The stationary variance of r' = r + K (s - p(r)) by iterating the distribution's variance:
    # v' = (1 - K Q / 4)² v + K² / 4 at equal strengths.
    slope = 16 * math.log(10) / 400 / 4
    variance = 0.0
    for _ in range(20_000):
        variance = (1 - slope) ** 2 * variance + 16**2 / 4
    assert math.sqrt(variance) == pytest.approx(stationary_deviation(16), rel=0.01)
