"""Davidson's model of draws: the most probable strengths under a weak prior, and their covariance.

The covariance is estimated by blocks.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize, sparse
from scipy.sparse import csgraph

from polynya_evidence.analysis.comparisons import Array, Comparisons
from polynya_evidence.analysis.separate_groups import Groups, separate_groups

ELO = 400 / np.log(10)
"""Elo points of one natural logarithm of strength."""

PRIOR_ELO = 600.0
"""Standard deviation of each parameter's normal prior around 0: it keeps a sweep finite."""

PRIOR_SPREADS = 2.0
"""The prior's deviation is at least this number of standard deviations of the ratings: in a wide
field it does not pull the bots together."""

_REFITS = 3
"""After this number of refits the prior changes by little."""


@dataclass(frozen=True, slots=True)
class Fit:
    """The estimates.

    Attributes:
        parameters: natural logarithms: of the bots' strengths, of the seats', and, if there were
            ties, of the propensity to tie.
        covariance: of the parameters, matches of a block not taken for independent.
        naive_covariance: what it were if all comparisons were independent.
        expected: of each comparison, the expected points.
        groups: of bots that are too far apart for the results to say how far.
    """

    parameters: Array
    covariance: Array
    naive_covariance: Array
    expected: Array
    groups: Groups


class Problem:
    """The posterior density as a function of the parameters."""

    def __init__(self, comparisons: Comparisons) -> None:
        self.comparisons = comparisons
        self.design = comparisons.design()
        self.ties = comparisons.points == 0.5
        self.has_ties = bool(self.ties.any())
        self.size = self.design.shape[1] + self.has_ties
        self.precision = (ELO / PRIOR_ELO) ** 2

    def split(self, parameters: Array) -> tuple[Array, float]:
        """The differences of the comparisons, and the propensity to tie."""
        if self.has_ties:
            return self.design @ parameters[:-1], float(parameters[-1])
        return self.design @ parameters, -np.inf

    def loss(self, parameters: Array) -> float:
        """Minus the logarithm of the posterior density, but for a constant."""
        said = log_likelihood(self.comparisons.points, *self.split(parameters)).sum()
        prior = self.precision * parameters @ parameters / 2
        return float(prior - self.comparisons.weight * said)

    def rows(self, points: Array, ties: Array) -> Any:
        """One row for each comparison: its numbers at the parameters that they concern."""
        spread = sparse.diags_array(points) @ self.design
        return sparse.hstack((spread, ties[:, None]), format="csr") if self.has_ties else spread

    def scores(self, parameters: Array) -> Any:
        """The gradient of each comparison's log-likelihood, a sparse row each."""
        model = moments(*self.split(parameters))
        weight = self.comparisons.weight
        return self.rows(
            weight * (self.comparisons.points - model.score), weight * (self.ties - model.tie)
        )

    def gradient(self, parameters: Array) -> Array:
        """Of the loss."""
        result: Array = self.precision * parameters - self.scores(parameters).sum(axis=0)
        return result

    def information(self, parameters: Array, among: Array | None = None) -> Array:
        """The information matrix by the model; only of the comparisons in the mask ``among``."""
        weight = self.comparisons.weight * (1.0 if among is None else among)
        points, ties, both = moments(*self.split(parameters)).information()
        of_strengths = (self.design.T @ sparse.diags_array(weight * points) @ self.design).toarray()
        if not self.has_ties:
            return np.asarray(of_strengths)
        mixed = self.design.T @ (weight * both)
        corner = np.array([[np.sum(weight * ties)]])
        return np.block([[of_strengths, mixed[:, None]], [mixed[None, :], corner]])

    def hessian(self, parameters: Array) -> Array:
        """Of the loss."""
        result: Array = self.information(parameters) + self.precision * np.eye(self.size)
        return result


def fit(comparisons: Comparisons) -> Fit:
    """The most probable parameters, and their covariance: the sandwich, clustered by block."""
    problem = Problem(comparisons)
    found = _most_probable(problem, np.zeros(problem.size))
    groups = separate_groups(comparisons, found[: comparisons.bots])
    for _ in range(_REFITS):
        prior = max(PRIOR_ELO, PRIOR_SPREADS * ELO * groups.spread(found[: comparisons.bots]))
        if prior == PRIOR_ELO:
            break
        problem.precision = (ELO / prior) ** 2
        found = _most_probable(problem, found)
        groups = separate_groups(comparisons, found[: comparisons.bots])
    bread = np.linalg.inv(problem.hessian(found))
    return Fit(
        parameters=found,
        covariance=bread @ _spread(problem, found) @ bread,
        naive_covariance=bread,
        expected=moments(*problem.split(found)).score,
        groups=groups,
    )


def _most_probable(problem: Problem, start: Array) -> Array:
    found: Array = optimize.minimize(
        problem.loss,
        start,
        jac=problem.gradient,
        hess=problem.hessian,
        method="trust-exact",
        options={"gtol": 1e-6},
    ).x
    return found


def _spread(problem: Problem, parameters: Array) -> Array:
    """The covariance of the gradient.

    It is taken from how much the blocks' gradients differ. Comparisons that always end the same way
    cannot show that: for them, what the model says is taken instead.
    """
    comparisons = problem.comparisons
    prior: Array = problem.precision * np.eye(problem.size)
    if not len(comparisons.points):
        return prior
    varying = may_vary(comparisons)
    blocks = sparse.csr_array(
        (varying.astype(float), (comparisons.block, np.arange(len(varying)))),
    )
    by_block = blocks @ problem.scores(parameters)
    between = (by_block.T @ by_block).toarray() * _few(comparisons, varying, problem.size)
    return np.asarray(between + problem.information(parameters, ~varying) + prior)


def _few(comparisons: Comparisons, varying: Array, size: int) -> float:
    """By how much few blocks differ too little, since the parameters were fitted to them.

    Blocks by degrees of freedom, as for residuals in general; bots and seats have one less each
    than parameters, since only differences show. Never more than 2, for very few blocks.
    """
    blocks: int = len(set(comparisons.block[varying].tolist()))
    return float(blocks / max(blocks - (size - 2), blocks / 2, 1))


def may_vary(comparisons: Comparisons) -> Array:
    """A mask of the comparisons whose bots, and whose seats, are within each other's reach.

    One is within another's reach if it scored against it, or against another in whose reach it is
    (Ford, "Solution of a ranking problem from binary comparisons", 1957). Where that is not mutual,
    the likelihood alone would put the two infinitely far apart.
    """
    bots = _classes(comparisons, comparisons.bot, comparisons.opponent, comparisons.bots)
    seats = _classes(comparisons, comparisons.seat, comparisons.other_seat, comparisons.players)
    return np.asarray(
        (bots[comparisons.bot] == bots[comparisons.opponent])
        & (seats[comparisons.seat] == seats[comparisons.other_seat])
    )


def _classes(comparisons: Comparisons, one: Array, other: Array, size: int) -> Array:
    """A number for each of them, the same for those within each other's reach."""
    scored, let_score = comparisons.points > 0, comparisons.points < 1
    start = np.concatenate((one[scored], other[let_score]))
    end = np.concatenate((other[scored], one[let_score]))
    graph = sparse.csr_array((np.ones(len(start)), (start, end)), shape=(size, size))
    _, labels = csgraph.connected_components(graph, directed=True, connection="strong")
    return np.asarray(labels)


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
