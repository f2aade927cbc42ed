"""Davidson's model of draws: the most probable strengths under a weak prior, and their covariance.

The covariance is estimated by blocks.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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

_MOST_STEPS = 100
_LEAST_GAIN = 1e-12
_LEAST_SHARE = 2.0**-30
"""Steps of Newton's method: their number; where they promise less, the next would be rounding."""


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
    """The posterior density as a function of the parameters.

    Attributes:
        prior: the precision matrix of their normal prior around 0.
    """

    def __init__(self, comparisons: Comparisons) -> None:
        self.comparisons = comparisons
        self.ties = comparisons.points == 0.5
        self.has_ties = bool(self.ties.any())
        self.size = comparisons.size + self.has_ties
        self.prior = independent(PRIOR_ELO, self.size)

    def split(self, parameters: Array) -> tuple[Array, float]:
        """The differences of the comparisons, and the propensity to tie."""
        differences = self.comparisons.differences(parameters[: self.comparisons.size])
        return differences, float(parameters[-1]) if self.has_ties else -np.inf

    def loss(self, parameters: Array) -> float:
        """Minus the logarithm of the posterior density, but for a constant."""
        said = log_likelihood(self.comparisons.points, *self.split(parameters))
        prior = parameters @ self.prior @ parameters / 2
        return float(prior - self.comparisons.weight @ said)

    def surplus(self, parameters: Array) -> tuple[Array, Array]:
        """By how much each comparison exceeds the model, weighed: its points, and its being a tie.

        They are the gradient of its log-likelihood, in its difference and the propensity to tie.
        """
        model = moments(*self.split(parameters))
        weight = self.comparisons.weight
        return (
            weight * (self.comparisons.points - model.score),
            weight * (self.ties - model.tie),
        )

    def gradient(self, parameters: Array) -> Array:
        """Of the loss."""
        points, ties = self.surplus(parameters)
        found = self.comparisons.gathered(points)
        if self.has_ties:
            found = np.append(found, ties.sum())
        result: Array = self.prior @ parameters - found
        return result

    def information(self, parameters: Array, among: Array | None = None) -> Array:
        """The information matrix by the model; only of the comparisons in the mask ``among``."""
        weight = self.comparisons.weight * (1.0 if among is None else among)
        points, ties, both = moments(*self.split(parameters)).information()
        of_strengths = self.comparisons.crossed(weight * points)
        if not self.has_ties:
            return of_strengths
        mixed = self.comparisons.gathered(weight * both)
        corner = np.array([[np.sum(weight * ties)]])
        return np.block([[of_strengths, mixed[:, None]], [mixed[None, :], corner]])

    def hessian(self, parameters: Array) -> Array:
        """Of the loss."""
        result: Array = self.information(parameters) + self.prior
        return result


def independent(deviation: float, size: int) -> Array:
    """The precision matrix of parameters with this standard deviation each, in Elo."""
    return np.asarray((ELO / deviation) ** 2 * np.eye(size))


def fit(comparisons: Comparisons) -> Fit:
    """The most probable parameters, and their covariance: the sandwich, clustered by block."""
    problem = Problem(comparisons)
    found = most_probable(problem, np.zeros(problem.size))
    groups = separate_groups(comparisons, found[: comparisons.bots])
    for _ in range(_REFITS):
        prior = max(PRIOR_ELO, PRIOR_SPREADS * ELO * groups.spread(found[: comparisons.bots]))
        if prior == PRIOR_ELO:
            break
        problem.prior = independent(prior, problem.size)
        found = most_probable(problem, found)
        groups = separate_groups(comparisons, found[: comparisons.bots])
    bread = np.linalg.inv(problem.hessian(found))
    return Fit(
        parameters=found,
        covariance=bread @ _spread(problem, found) @ bread,
        naive_covariance=bread,
        expected=moments(*problem.split(found)).score,
        groups=groups,
    )


def most_probable(problem: Problem, start: Array) -> Array:
    """The parameters with the smallest loss, by Newton's method from ``start``.

    The loss is convex: the model is an exponential family, and the prior is normal. So a step of
    Newton's leads downwards, and where it leads too far, a half of it, or a quarter, does not.
    """
    found, loss = start, problem.loss(start)
    for _ in range(_MOST_STEPS):
        gradient = problem.gradient(found)
        step = np.linalg.solve(problem.hessian(found), gradient)
        gain = float(gradient @ step)
        if gain < _LEAST_GAIN:
            return np.asarray(found - step)
        share = 1.0
        while (lower := problem.loss(found - share * step)) > loss - share * gain / 4:
            share /= 2
            if share < _LEAST_SHARE:  # rounding is all that is left
                return found
        found, loss = found - share * step, lower
    return found


def _spread(problem: Problem, parameters: Array) -> Array:
    """The covariance of the gradient.

    It is taken from how much the blocks' gradients differ. Comparisons that always end the same way
    cannot show that: for them, what the model says is taken instead.
    """
    comparisons = problem.comparisons
    if not len(comparisons.points):
        return problem.prior
    varying = may_vary(comparisons)
    between = _between_blocks(problem, parameters, varying)
    between *= _few(comparisons, varying, problem.size)
    return np.asarray(between + problem.information(parameters, ~varying) + problem.prior)


def _between_blocks(problem: Problem, parameters: Array, varying: Array) -> Array:
    """The sum of the blocks' gradients, each times itself; of the comparisons in the mask."""
    comparisons, size = problem.comparisons, problem.size
    points, ties = problem.surplus(parameters)
    parts = [(index, sign * points) for index, sign in comparisons.terms()]
    if problem.has_ties:
        parts.append((np.full(len(ties), size - 1), ties))
    blocks = comparisons.block[varying] * size
    keys = np.concatenate([blocks + index[varying] for index, _ in parts])
    # The few parameters of each block stand one behind the other.
    entries, place = np.unique(keys, return_inverse=True)
    sums = np.bincount(place, np.concatenate([values[varying] for _, values in parts]))
    block, index = np.divmod(entries, size)
    total = np.zeros((size, size))
    for apart in range(len(entries)):
        here, there = slice(len(entries) - apart), slice(apart, None)
        same = block[here] == block[there]
        if not same.any():
            break
        one, other = index[here][same], index[there][same]
        product = (sums[here] * sums[there])[same]
        np.add.at(total, (one, other), product)
        if apart:
            np.add.at(total, (other, one), product)
    return total


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
    within = np.eye(size, dtype=np.float32)
    within[one[scored], other[scored]] = 1
    within[other[let_score], one[let_score]] = 1
    # Each round reaches twice as far: through one other, through three, through seven, ...
    while (further := np.minimum(within @ within, 1)).sum() > within.sum():
        within = further
    # Each takes the number of the first that it is in a class with.
    return np.asarray((within * within.T).argmax(axis=1))


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
