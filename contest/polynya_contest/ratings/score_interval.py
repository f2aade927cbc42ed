"""A score, and the Elo difference that it stands for, with their margins of error by blocks.

The matches of a block share a set-up and may well end alike, or each for the same seat. So a block
is one observation: the share of its points that the bot got.

Student's t distribution is computed here, as scipy is an extra: it is an incomplete beta integral
(Abramowitz and Stegun, 26.7.1), and that a continued fraction (26.5.8), evaluated by the method of
Lentz and Thompson.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

_TINY = 1e-300
_MAX_TERMS = 100_000
"""Of the continued fraction; 10 million degrees of freedom need some thousands."""


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
    """Evaluate until a term no longer changes the value."""
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


@dataclass(frozen=True, slots=True)
class BlockSample:
    """A sample of a bot's complete blocks, as evidence of its true score.

    Attributes:
        blocks: how many there are.
        mean: of the bot's shares of their points, 0 to 1.
        dispersion: the variance of a share, as a part of the largest one with this mean (that of
            blocks which are won or lost as a whole). One more block, of the dispersion 1, is
            counted, so that a few blocks that are alike do not say that all are.
    """

    blocks: int
    mean: float
    dispersion: float

    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the true score; 0 to 1 without a block.

        Wilson's ("Probable inference", 1927), which unlike the standard error says something after
        ten wins in ten matches, too; for as many trials as the dispersion makes of the blocks, and
        with Student's quantile in place of the normal one, as the dispersion is estimated.
        """
        if not self.blocks:
            return 0.0, 1.0
        mean = self.mean
        square = t_quantile(0.975, self.blocks + 1) ** 2 * self.dispersion / self.blocks
        middle = (mean + square / 2) / (1 + square)
        half = math.sqrt(mean * (1 - mean) * square + square * square / 4) / (1 + square)
        # At the ends it is exact, which rounding would hide.
        return middle - half if mean > 0 else 0.0, middle + half if mean < 1 else 1.0

    def superiority(self) -> float | None:
        """How probable blocks so bad are for a bot that is not better; None without a block.

        That is the likelihood of superiority: near 1 the bot is better than its opponent, near 0
        worse.
        """
        if not self.blocks:
            return None
        deviation = math.sqrt(self.dispersion / (4 * self.blocks))
        return t_probability((self.mean - 0.5) / deviation, self.blocks + 1)


def block_sample(shares: Mapping[float, int]) -> BlockSample:
    """From each share of a block's points (0 to 1) that a bot got, with the number of such blocks.

    Only complete blocks may be among them: in others seats are not shared out evenly.
    """
    blocks = sum(shares.values())
    if not blocks:
        return BlockSample(0, 0.5, 1.0)
    mean = math.fsum(share * number for share, number in shares.items()) / blocks
    squares = math.fsum(number * (share - mean) ** 2 for share, number in shares.items())
    largest = mean * (1 - mean)
    if largest <= 0:
        return BlockSample(blocks, mean, 1.0)
    return BlockSample(blocks, mean, min(1.0, (squares + largest) / ((blocks + 1) * largest)))


def elo(score: float) -> float:
    """The logistic Elo difference that an average score (0 to 1) stands for; infinite at the ends.

    It is 400 log10(s / (1 - s)), as rating lists and testers of engines give it.
    """
    if score in (0, 1):
        return math.copysign(math.inf, score - 0.5)
    return 400 * math.log10(score / (1 - score))
