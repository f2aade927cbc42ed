"""Student's t distribution agrees with an independent implementation."""

import math

import pytest
from scipy import stats

from polynya_contest.ratings.score_interval import t_probability, t_quantile

DEGREES = pytest.mark.parametrize("degrees", [1, 2, 3, 11, 101, 10_001, 5_000_001])


@DEGREES
@pytest.mark.parametrize("t", [-1000.0, -5.0, -1.96, -1e-9, 0.0, 0.3, 1.0, 2.5, 40.0])
def test_probability_is_that_of_scipy(t: float, degrees: int) -> None:
    assert t_probability(t, degrees) == pytest.approx(stats.t.cdf(t, degrees), rel=1e-6, abs=1e-12)


@DEGREES
@pytest.mark.parametrize("probability", [0.001, 0.025, 0.4, 0.5, 0.9, 0.975, 0.9999])
def test_quantile_is_that_of_scipy(probability: float, degrees: int) -> None:
    expected = stats.t.ppf(probability, degrees)
    assert t_quantile(probability, degrees) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_infinite_deviation_leaves_nothing_beyond() -> None:
    assert (t_probability(1e200, 3), t_probability(-1e200, 3)) == (1.0, 0.0)
    assert math.isfinite(t_quantile(0.975, 1e12))
