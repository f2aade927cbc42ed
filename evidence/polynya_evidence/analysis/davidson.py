"""Davidson's model of a comparison that may end level, with its derivatives.

With strengths whose natural logarithms differ by d, and a propensity to tie of logarithm h, the
probabilities of win, tie and loss are as exp(d / 2) : exp(h) : exp(-d / 2) (Davidson, "On extending
the Bradley-Terry model to accommodate ties", 1970). Without ties it is the model of Bradley and
Terry. It is an exponential family in (d, h): the derivatives are moments.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from polynya_evidence.analysis.comparisons import Array


@dataclass(frozen=True, slots=True)
class Moments:
    """Of each comparison under the model; all arrays have its shape.

    Attributes:
        log_total: the logarithm of the sum of the three terms.
        score: the expected points, 0 to 1.
        tie: the probability of a tie.
    """

    log_total: Array
    score: Array
    tie: Array

    def information(self) -> tuple[Array, Array, Array]:
        """Variance of the points, variance of the tie, and the covariance of the two."""
        surplus = self.score - 0.5
        decisive = 1 - self.tie
        return decisive / 4 - surplus**2, self.tie * decisive, -surplus * self.tie


def moments(difference: Array, tie_log: float) -> Moments:
    """The model at differences in strength (natural logarithms); ``tie_log`` -inf: no ties."""
    terms = np.stack((difference / 2, np.full_like(difference, tie_log), -difference / 2))
    log_total = np.logaddexp.reduce(terms, axis=0)
    win, tie, _ = np.exp(terms - log_total)
    return Moments(log_total, win + tie / 2, tie)


def log_likelihood(points: Array, difference: Array, tie_log: float) -> Array:
    """The logarithm of the probability of each comparison's result."""
    decisive = (points - 0.5) * difference
    said = np.where(points == 0.5, tie_log, decisive) if np.isfinite(tie_log) else decisive
    result: Array = said - moments(difference, tie_log).log_total
    return result
