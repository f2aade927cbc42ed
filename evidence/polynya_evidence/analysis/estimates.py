"""Results of an analysis: frozen values; ``dataclasses.asdict`` gives their JSON form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

METHOD = 2
"""The number of the method by which estimates are computed; each report records it."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with the ends of its 95 % interval, all in the same unit.

    An end is None where results set no bound: the value is "at least" or "at most" the other end.
    """

    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class BotEstimate:
    """How strong a bot is.

    Attributes:
        name: the bot.
        rating: on the Elo scale; 1500 is the mean of the field, or, where results part it into
            groups, of the largest group.
        points: what it scored in all comparisons with an opponent, a win 1 and a tie 1/2.
        expected: what the model expects of it in the same comparisons.
        comparisons: their number: opponents, summed over its matches.
    """

    name: str
    rating: Interval
    points: float
    expected: float
    comparisons: int


@dataclass(frozen=True, slots=True)
class SeatEstimate:
    """The worth of a seat.

    Attributes:
        seat: from 0.
        advantage: in Elo, over the mean of all seats.
        score: the share of the points that it won, 0 to 1; None without results.
    """

    seat: int
    advantage: Interval
    score: float | None


@dataclass(frozen=True, slots=True)
class PairScore:
    """The score of one bot against another, and the model's expectation for the same matches."""

    bot: str
    opponent: str
    points: float
    expected: float
    comparisons: int


@dataclass(frozen=True, slots=True)
class Companion:
    """How much better a bot does against third parties when a companion sits in the match.

    Attributes:
        bot, companion: the two.
        surplus: points in each comparison with a third party, over what the model expects, in
            blocks with the companion minus those in blocks without.
        error: its standard error.
        blocks: those with the companion.
    """

    bot: str
    companion: str
    surplus: float
    error: float
    blocks: int


@dataclass(frozen=True, slots=True)
class Analysis:
    """All that the results say.

    Attributes:
        bots: the strongest first.
        superiority: for each bot, in this order, the probability that it is stronger than each of
            the others, 1/2 for itself.
        seats: by seat.
        draw_rate: the share of comparisons that ended level, 0 to 1; None without results.
        pairs: every two bots that met, in both directions, in the order of ``bots``.
        companions: how each bot does beside each other one, in the order of ``bots``; empty for
            two players, and where there are too few blocks.
        method: see :data:`METHOD`.
    """

    bots: tuple[BotEstimate, ...]
    superiority: tuple[tuple[float, ...], ...]
    seats: tuple[SeatEstimate, ...]
    draw_rate: float | None
    pairs: tuple[PairScore, ...]
    companions: tuple[Companion, ...] = ()
    method: int = METHOD


BY_CHANCE = 0.07
"""The share of rows that differ by two standard errors or more though no bot helps another.

Measured in simulated fields of 6 to 10 bots: 0.06 to 0.075. By the normal distribution it would be
0.046, but the blocks of a row are few, and the expectations are estimates from the same results.
"""


def conspicuous(found: Sequence[Companion]) -> int:
    """How many rows differ by two standard errors or more."""
    return sum(abs(one.surplus) >= 2 * one.error for one in found)
