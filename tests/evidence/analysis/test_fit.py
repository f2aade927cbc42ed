"""The fit by Newton's method against scipy, which a host need not have."""

from __future__ import annotations

import random

import numpy as np
import pytest
from scipy import optimize, sparse
from scipy.sparse import csgraph

from polynya_contest.pairing.standings import MatchResult
from polynya_evidence.analysis import fit as fitting
from polynya_evidence.analysis.comparisons import Comparisons, compare

NAMES = tuple("abcdefgh")


def played(players: int, ties: float, gap: float) -> Comparisons:
    """Random blocks of two matches; ``gap`` is the distance of neighbours in natural logarithms."""
    chance = random.Random(5)
    blocks = []
    for _ in range(60):
        bots = chance.sample(range(len(NAMES)), players)
        blocks.append([one_match(bots, chance, ties, gap) for _ in range(2)])
    return compare(NAMES, players, blocks)


def one_match(bots: list[int], chance: random.Random, ties: float, gap: float) -> MatchResult:
    luck = {bot: chance.gauss(-gap * bot, 1) for bot in bots}
    ranking = tuple(1 + sum(luck[other] > luck[bot] for other in bots) for bot in bots)
    if chance.random() < ties:
        ranking = (1,) * len(bots)
    return MatchResult(tuple(NAMES[bot] for bot in bots), ranking, (False,) * len(bots))


FIELDS = pytest.mark.parametrize(
    "comparisons",
    [played(2, 0, 0.3), played(2, 0.3, 0.3), played(3, 0.2, 0.3), played(2, 0, 5), played(4, 0, 2)],
    ids=["two", "ties", "three", "swept", "four, swept"],
)


@FIELDS
def test_most_probable_parameters_are_those_that_scipy_finds(comparisons: Comparisons) -> None:
    problem = fitting.Problem(comparisons)
    start = np.zeros(problem.size)
    theirs = optimize.minimize(
        problem.loss,
        start,
        jac=problem.gradient,
        hess=problem.hessian,
        method="trust-exact",
        options={"gtol": 1e-10},
    ).x
    assert fitting.most_probable(problem, start) == pytest.approx(theirs, abs=1e-6)


@FIELDS
def test_gradient_and_hessian_are_derivatives(comparisons: Comparisons) -> None:
    problem = fitting.Problem(comparisons)
    point = np.random.default_rng(1).normal(size=problem.size)
    slope = optimize.approx_fprime(point, problem.loss)
    assert problem.gradient(point) == pytest.approx(slope, abs=1e-3)
    curvature = optimize.approx_fprime(point, problem.gradient)
    assert problem.hessian(point) == pytest.approx(curvature, abs=1e-3)


@FIELDS
def test_bots_and_seats_may_vary_if_scipy_finds_a_strong_component(
    comparisons: Comparisons,
) -> None:
    scored, let_score = comparisons.points > 0, comparisons.points < 1
    mutual = np.ones(len(comparisons.points), dtype=bool)
    for one, other, size in (
        (comparisons.bot, comparisons.opponent, comparisons.bots),
        (comparisons.seat, comparisons.other_seat, comparisons.players),
    ):
        start = np.concatenate((one[scored], other[let_score]))
        end = np.concatenate((other[scored], one[let_score]))
        graph = sparse.csr_array((np.ones(len(start)), (start, end)), shape=(size, size))
        _, labels = csgraph.connected_components(graph, directed=True, connection="strong")
        mutual &= labels[one] == labels[other]
    assert fitting.may_vary(comparisons).tolist() == mutual.tolist()


def test_start_far_away_leads_to_the_same_parameters() -> None:
    problem = fitting.Problem(played(3, 0.2, 0.3))
    found = fitting.most_probable(problem, np.zeros(problem.size))
    far = np.linspace(-40, 40, problem.size)
    assert fitting.most_probable(problem, far) == pytest.approx(found, abs=1e-6)
