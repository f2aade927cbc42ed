"""Estimates against published ones: seven baseball teams.

The American League's Eastern Division in 1987, each pair 13 games; Agresti, "Categorical Data
Analysis", 2nd edition, 2002, tables 10.10 and 10.11. BradleyTerry2 for R checks itself by the same.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from polynya_contest.pairing.standings import MatchResult
from polynya_evidence.analysis import fit as fitting
from polynya_evidence.analysis.comparisons import compare

TEAMS = ("Milwaukee", "Detroit", "Toronto", "New York", "Boston", "Cleveland", "Baltimore")
WINS = (
    (0, 7, 9, 7, 7, 9, 11),
    (6, 0, 7, 5, 11, 9, 9),
    (4, 6, 0, 7, 7, 8, 12),
    (6, 8, 6, 0, 6, 7, 10),
    (6, 2, 6, 7, 0, 7, 12),
    (4, 4, 5, 6, 6, 0, 6),
    (2, 4, 1, 3, 1, 7, 0),
)
"""By team those against each of the others."""
PUBLISHED = (1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0)
"""Natural logarithms of the strengths, that of Baltimore being 0; standard errors are about 0.3."""


def games(winner: int, loser: int) -> list[list[MatchResult]]:
    """Each game once at each seat, so that the seats have no say."""
    won = MatchResult((TEAMS[winner], TEAMS[loser]), (1, 2), (False, False))
    same = MatchResult((TEAMS[loser], TEAMS[winner]), (2, 1), (False, False))
    return [[won, same]] * WINS[winner][loser]


@pytest.fixture
def fitted(monkeypatch: pytest.MonkeyPatch) -> fitting.Fit:
    """By likelihood alone, as published."""
    monkeypatch.setattr(fitting, "PRIOR_ELO", 1e6)
    teams = range(len(TEAMS))
    blocks = [block for one in teams for other in teams for block in games(one, other)]
    return fitting.fit(compare(TEAMS, 2, blocks))


def test_every_two_teams_played_thirteen_games() -> None:
    wins = np.array(WINS)
    assert (wins + wins.T == 13 - 13 * np.eye(7)).all()


def test_strengths_are_the_published_ones(fitted: fitting.Fit) -> None:
    strengths = fitted.parameters[:7] - fitted.parameters[6]
    assert tuple(np.round(strengths, 2)) == PUBLISHED


def test_standard_errors_are_the_published_ones(fitted: fitting.Fit) -> None:
    """Those of the model: each game was counted twice."""
    covariance = 2 * fitted.naive_covariance
    errors = [
        math.sqrt(covariance[team, team] + covariance[6, 6] - 2 * covariance[team, 6])
        for team in range(6)
    ]
    assert [round(error, 1) for error in errors] == [0.3] * 6
