"""OpenSkill's ratings: the model of Plackett and Luce with its uncertainty, by the library.

Weng and Lin, "A Bayesian Approximation Method for Online Ranking", 2011. A rating is the mean mu of
the belief about a bot's skill, its deviation the standard deviation sigma; a bot of which
nothing is known has 25 and 25/3. A ranking of any number of players is one observation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from openskill.models import PlackettLuce

START = 25.0
LARGEST_DEVIATION = START / 3
LEAST_DEVIATION = LARGEST_DEVIATION / 100
"""Minimum deviation: the library adds this much with each match (its tau)."""

LOGIT = 1 / (math.sqrt(2) * LARGEST_DEVIATION / 2)
"""A point of rating on the logistic scale: the model's beta is half of the largest deviation, and
two bots' difference is divided by the root of twice its square, where both are known well."""


@cache
def _model() -> PlackettLuce:
    from openskill.models import PlackettLuce  # only where bots are rated by it

    return PlackettLuce(mu=START, sigma=LARGEST_DEVIATION)


def rate(
    ratings: Sequence[float], deviations: Sequence[float], ranking: Sequence[int]
) -> list[tuple[float, float]]:
    """The ratings with their deviations after a match.

    Args:
        ratings: before it, by seat.
        deviations: their standard deviations.
        ranking: its ranks by seat, 1 the best, ties equal.
    """
    model = _model()
    teams = [
        [model.rating(mu=rating, sigma=deviation)]
        for rating, deviation in zip(ratings, deviations, strict=True)
    ]
    return [(team[0].mu, team[0].sigma) for team in model.rate(teams, ranks=list(ranking))]


def ordinal(rating: Any, deviation: Any) -> Any:
    """The value that orders bots: a bound that the skill almost certainly exceeds.

    Works on floats and on SQL columns.
    """
    return rating - 3 * deviation
