"""The strengths by which a ladder is ordered: most probable ones from all its recent results.

The model is that of reports, with two additions. A bot's version and its earlier ones have a
strength each, which are close to each other: a new version begins where the last one stood, and its
own results soon move it. And the results of either against either of
an opponent count as ``MOST_AGAINST_ONE`` matches at the most, so that no opponent decides where a
bot stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import fmean

import numpy as np

from polynya_contest.ratings.pair_tallies import LadderEstimate, PairTally
from polynya_evidence.analysis.analysis import contrasts
from polynya_evidence.analysis.comparisons import Array, Comparisons, comparisons_of
from polynya_evidence.analysis.fit import Problem, independent, most_probable

MOST_AGAINST_ONE = 20
"""Matches: the weight of the results against one opponent."""

VERSION_ELO = 150.0
"""Standard deviation of the difference between a version and the earlier ones, in Elo."""

_DIGITS = 6
"""Digits of an estimate: rounding errors, which differ from machine to machine, decide no place."""

Player = tuple[str, bool]
"""A bot, and whether its earlier versions are meant."""


def ladder_estimates(
    tallies: Sequence[PairTally], players: int, ratings: Mapping[str, float]
) -> dict[str, LadderEstimate]:
    """The strength of each bot with results, as its last version plays.

    Args:
        tallies: the results, in any order.
        players: of a match.
        ratings: of the bots that fix the scale: the mean of their estimates is that of these.
            Without any the mean of all is 1500.
    """
    names = sorted({name for one in tallies for name in (one.bot, one.opponent)})
    if not names:
        return {}
    earlier = sorted(_with_earlier(tallies))
    index = {player: number for number, player in enumerate([(name, False) for name in names])}
    index |= {(name, True): len(names) + number for number, name in enumerate(earlier)}
    problem = Problem(_comparisons(tallies, players, index))
    for name in earlier:
        _link(problem.prior, index[name, False], index[name, True])
    found = most_probable(problem, np.zeros(problem.size))
    covariance = np.linalg.inv(problem.hessian(found))
    fixed = [name for name in names if name in ratings]
    measured = contrasts(
        found[: len(names)],
        covariance[: len(names), : len(names)],
        np.array([name in ratings or not fixed for name in names]),
        fmean(ratings[name] for name in fixed) if fixed else 1500.0,
    )
    return {
        name: LadderEstimate(*(round(each, _DIGITS) for each in ends))
        for name, ends in zip(names, measured, strict=True)
    }


def _with_earlier(tallies: Sequence[PairTally]) -> set[str]:
    of_bots = {one.bot for one in tallies if one.earlier}
    return of_bots | {one.opponent for one in tallies if one.opponent_earlier}


def _link(prior: Array, one: int, other: int) -> None:
    """Add to the prior that two strengths differ by about ``VERSION_ELO``."""
    pair = np.array([one, other])
    [[precision]] = independent(VERSION_ELO, 1)
    prior[np.ix_(pair, pair)] += precision * np.array([[1, -1], [-1, 1]])


def _pair(one: PairTally, index: Mapping[Player, int]) -> frozenset[int]:
    return frozenset((index[one.bot, one.earlier], index[one.opponent, one.opponent_earlier]))


def _comparisons(
    tallies: Sequence[PairTally], players: int, index: Mapping[Player, int]
) -> Comparisons:
    """A comparison for each kind of result of a tally, counted as often as it happened."""
    met = Counter[frozenset[int]]()
    for one in tallies:
        met[_pair(one, index)] += one.wins + one.ties + one.losses
    rows = [
        (
            index[one.bot, one.earlier],
            index[one.opponent, one.opponent_earlier],
            one.seat,
            one.other_seat,
            points,
            0,  # no matches depend on each other
            count * min(1, MOST_AGAINST_ONE / met[_pair(one, index)]),
        )
        for one in tallies
        for points, count in ((1.0, one.wins), (0.5, one.ties), (0.0, one.losses))
        if count
    ]
    # In this order sums are the same to the last digit, in any order of the results.
    return comparisons_of(len(index), players, sorted(rows))
