"""Student's t distribution in double precision, without scipy, which is an extra.

The distribution function is an incomplete beta integral (Abramowitz and Stegun, 26.7.1), and that a
continued fraction (26.5.8), which is evaluated by the method of Lentz and Thompson.
"""

from __future__ import annotations

import math

_TINY = 1e-300
_MAX_TERMS = 100_000
"""Of the continued fraction; 10 million degrees of freedom take some thousands."""


def t_probability(t: float, degrees: float) -> float:
    """The probability of a value up to ``t`` with these degrees of freedom (more than 0)."""
    square = t * t
    inside = square / (degrees + square)
    tail = _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square), inside) / 2
    return tail if t < 0 else 1 - tail


def t_quantile(probability: float, degrees: float) -> float:
    """The value that is not exceeded with this probability (more than 0, less than 1)."""
    if probability < 0.5:
        return -t_quantile(1 - probability, degrees)
    low, high = 0.0, 1.0
    while t_probability(high, degrees) < probability:
        low, high = high, 2 * high
    while low < (middle := (low + high) / 2) < high and high - low > 1e-12 * high:
        if t_probability(middle, degrees) < probability:
            low = middle
        else:
            high = middle
    return high


def _incomplete_beta(a: float, b: float, x: float, complement: float) -> float:
    """The regularised incomplete beta function at x; ``complement`` is 1 - x, exactly."""
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(b, a, complement, x)
    if x == 0:
        return 0.0
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(scale + a * math.log(x) + b * math.log(complement)) / a
    return front * _continued_fraction(a, b, x)


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Until a term changes nothing any more."""
    upper, lower = 1.0, 1 / _not_zero(1 - (a + b) * x / (a + 1))
    result = lower
    for number in range(1, _MAX_TERMS):
        twice = a + 2 * number
        for term in (
            number * (b - number) * x / ((twice - 1) * twice),
            -(a + number) * (a + b + number) * x / (twice * (twice + 1)),
        ):
            lower = 1 / _not_zero(1 + term * lower)
            upper = _not_zero(1 + term / upper)
            result *= lower * upper
        if abs(lower * upper - 1) < 1e-15:
            break
    return result


def _not_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
