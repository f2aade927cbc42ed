"""The interval of a score takes a block for one observation, and holds whatever blocks share."""

import math

import numpy as np
import pytest
from benchmarks.score_intervals import Truth, coverage, truths
from scipy import stats
from tests.selection import most

from polynya_contest.ratings.score_interval import block_sample, elo

RUNS = most(1_000, 4_000)
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / RUNS)


@pytest.mark.parametrize("blocks", [5, 10, 20])
@pytest.mark.parametrize("truth", [*truths()], ids=str)
def test_interval_holds_the_true_score(truth: Truth, blocks: int) -> None:
    assert coverage(truth, blocks, RUNS, seed=2) > LEAST


@pytest.mark.parametrize("truth", [*truths()], ids=str)
def test_interval_of_many_blocks_is_not_too_wide(truth: Truth) -> None:
    assert coverage(truth, 100, RUNS, seed=2) < 0.98


def test_matches_that_end_alike_in_a_block_count_once() -> None:
    low, high = block_sample({0.0: 50, 1.0: 50}).interval()
    by_wilson = stats.binomtest(50, 100).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((by_wilson.low, by_wilson.high), abs=2e-3)


def test_level_blocks_narrow_the_interval() -> None:
    widths = [
        np.ptp(block_sample(shares).interval())
        for shares in ({0.0: 50, 1.0: 50}, {0.0: 25, 0.5: 50, 1.0: 25}, {0.5: 100})
    ]
    assert widths == sorted(widths, reverse=True)
    assert widths[2] < widths[0] / 5


def test_swept_score_has_no_upper_end() -> None:
    low, high = block_sample({1.0: 2}).interval()
    assert (high, elo(high)) == (1.0, math.inf)
    assert 0 < low < 0.5, "two blocks say little"


def test_lost_score_has_no_lower_end() -> None:
    low, high = block_sample({0.0: 20}).interval()
    assert low == 0.0
    assert high < 0.25


def test_without_blocks_any_score_is_possible() -> None:
    assert block_sample({}).interval() == (0.0, 1.0)
    assert block_sample({}).superiority() is None


def test_superiority_is_even_for_an_even_score() -> None:
    assert block_sample({0.25: 3, 0.75: 3}).superiority() == pytest.approx(0.5)


def test_superiority_of_two_opponents_adds_up_to_certainty() -> None:
    one = block_sample({0.25: 3, 0.5: 4, 1.0: 5}).superiority()
    other = block_sample({0.75: 3, 0.5: 4, 0.0: 5}).superiority()
    assert one is not None
    assert other is not None
    assert one > 0.9
    assert one + other == pytest.approx(1)


@pytest.mark.parametrize("truth", [Truth("set-up", 0.5), Truth("seat", 0.5)], ids=str)
def test_superiority_is_rarely_near_certainty_between_equals(truth: Truth) -> None:
    rows = truth.halves(RUNS, 30, np.random.default_rng(3)) / 4
    counted = [dict(zip(*np.unique(row, return_counts=True), strict=True)) for row in rows]
    found = [block_sample({float(x): int(n) for x, n in row.items()}) for row in counted]
    sure = np.mean([(one.superiority() or 0) > 0.95 for one in found])
    assert sure < 0.05 + 3 * math.sqrt(0.05 * 0.95 / RUNS)


@pytest.mark.parametrize(
    ("score", "difference"),
    [(0.5, 0), (10 / 11, 400), (1 / 11, -400), (0.76, 200.24), (1, math.inf), (0, -math.inf)],
)
def test_score_stands_for_a_difference_in_elo(score: float, difference: float) -> None:
    assert elo(score) == pytest.approx(difference, abs=5e-3)
