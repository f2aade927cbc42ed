"""From results to estimates on the Elo scale, each with its 95 % interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from polynya_contest.pairing.standings import MatchResult
from polynya_evidence.analysis.companions import companions
from polynya_evidence.analysis.comparisons import Array, Comparisons, compare
from polynya_evidence.analysis.estimates import (
    Analysis,
    BotEstimate,
    Interval,
    PairScore,
    SeatEstimate,
)
from polynya_evidence.analysis.fit import ELO, Fit, fit

MEAN_RATING = 1500.0
_Z = NormalDist().inv_cdf(0.975)


def analyse(
    names: Sequence[str],
    players: int,
    blocks: Sequence[Sequence[MatchResult]],
    *,
    with_companions: bool = True,
) -> Analysis:
    """Do what :func:`polynya_evidence.analysis.analyse` promises, with numpy there."""
    comparisons = compare(names, players, blocks)
    fitted = fit(comparisons)
    ratings = ratings_of(fitted)
    order = sorted(range(len(names)), key=lambda bot: (-round(ratings[bot].value, 6), names[bot]))
    place = {names[bot]: number for number, bot in enumerate(order)}
    points, expected, counts = _tables(comparisons, fitted)
    found = companions(names, comparisons, fitted.expected) if with_companions else ()
    return Analysis(
        bots=tuple(
            BotEstimate(
                names[bot],
                ratings[bot],
                float(points[bot].sum()),
                float(expected[bot].sum()),
                int(counts[bot].sum()),
            )
            for bot in order
        ),
        superiority=_superiority(fitted, order),
        seats=_seats(comparisons, fitted),
        draw_rate=float((comparisons.points == 0.5).mean()) if len(comparisons.points) else None,
        pairs=tuple(
            PairScore(
                names[bot],
                names[other],
                float(points[bot, other]),
                float(expected[bot, other]),
                int(counts[bot, other]),
            )
            for bot in order
            for other in order
            if counts[bot, other]
        ),
        companions=tuple(sorted(found, key=lambda one: (place[one.bot], place[one.companion]))),
    )


def ratings_of(fitted: Fit) -> list[Interval]:
    """The bots' ratings; their intervals are open where results bound nothing."""
    reference = fitted.groups.reference
    bots = slice(len(reference))
    measured = contrasts(
        fitted.parameters[bots], fitted.covariance[bots, bots], reference, MEAN_RATING
    )
    return [
        Interval(value, low if below else None, high if above else None)
        for (value, low, high), below, above in zip(measured, *fitted.groups.bounded, strict=True)
    ]


def contrasts(
    parameters: Array, covariance: Array, reference: Array, mean: float = 0.0
) -> list[tuple[float, float, float]]:
    """Some parameters, in Elo, measured from the mean of a part of them.

    Args:
        parameters: in natural logarithms.
        covariance: of them.
        reference: of each parameter, whether it is one of that part.
        mean: what the mean is shown as.

    Returns:
        of each the value and the ends of its 95 % interval.
    """
    centred = np.eye(len(reference)) - reference / max(reference.sum(), 1)
    values = mean + ELO * centred @ parameters
    variance = np.diag(centred @ covariance @ centred.T)
    half = _Z * ELO * np.sqrt(np.maximum(variance, 0.0))
    return [
        (float(value), float(value - margin), float(value + margin))
        for value, margin in zip(values, half, strict=True)
    ]


def _superiority(fitted: Fit, order: Sequence[int]) -> tuple[tuple[float, ...], ...]:
    """The probability that the normal distribution gives to each difference being positive."""
    strengths = fitted.parameters[order]
    covariance = fitted.covariance[np.ix_(order, order)]
    variance = np.diag(covariance)
    spread = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 1e-30))
    quantiles = (strengths[:, None] - strengths) / spread
    return tuple(tuple(math.erfc(-each / math.sqrt(2)) / 2 for each in row) for row in quantiles)


def _seats(comparisons: Comparisons, fitted: Fit) -> tuple[SeatEstimate, ...]:
    size = comparisons.players
    seats = slice(comparisons.bots, comparisons.size)
    advantages = contrasts(
        fitted.parameters[seats], fitted.covariance[seats, seats], np.ones(size, dtype=bool)
    )
    won = np.bincount(comparisons.seat, comparisons.points, size)
    won += np.bincount(comparisons.other_seat, 1 - comparisons.points, size)
    counts = np.bincount(comparisons.seat, minlength=size)
    counts = counts + np.bincount(comparisons.other_seat, minlength=size)
    return tuple(
        SeatEstimate(
            seat, Interval(*advantage), float(won[seat] / counts[seat]) if counts[seat] else None
        )
        for seat, advantage in enumerate(advantages)
    )


def _tables(comparisons: Comparisons, fitted: Fit) -> tuple[Array, Array, Array]:
    """Points, expected points and comparisons of each bot (row) against each other (column)."""
    size = comparisons.bots
    of_bots = (comparisons.points, fitted.expected, np.ones(len(comparisons.points)))
    of_opponents = (1 - comparisons.points, 1 - fitted.expected, of_bots[2])
    tables = (np.zeros((size, size)), np.zeros((size, size)), np.zeros((size, size)))
    for table, of_bot, of_opponent in zip(tables, of_bots, of_opponents, strict=True):
        np.add.at(table, (comparisons.bot, comparisons.opponent), of_bot)
        np.add.at(table, (comparisons.opponent, comparisons.bot), of_opponent)
    return tables
