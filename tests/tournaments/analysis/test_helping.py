"""Who helps whom: planted collusion is found, and nobody is accused where there is none."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from benchmarks.statistics import HELPS, Truth, alarms, tournament

from polynya_tournaments.analysis import analyse

PLAYERS = pytest.mark.parametrize("truth", HELPS, ids=["three players", "four players"])


@PLAYERS
def test_false_accusations_of_collusion_are_rare(truth: Truth) -> None:
    runs = 60
    said = sum(bool(pairs) for pairs in alarms(truth, runs, seed=3))
    assert said / runs < 0.05 + 3 * math.sqrt(0.05 * 0.95 / runs)


@PLAYERS
def test_planted_help_is_found(truth: Truth) -> None:
    found = alarms(replace(truth, help=(0, 1, 500.0)), 10, seed=3)
    assert sum(("0", "1") in pairs for pairs in found) >= 9


def test_the_surplus_is_that_against_third_parties() -> None:
    truth = replace(HELPS[0], help=(0, 1, 400.0), cycles=20)
    found = analyse(truth.names, 3, tournament(truth, np.random.default_rng(3))).help
    assert (found[0].helper, found[0].helped, found[0].blocks) == ("0", "1", 80)
    assert 0.3 < found[0].surplus < 0.7


def test_probabilities_are_corrected_for_the_number_of_pairs() -> None:
    truth = HELPS[1]
    found = analyse(truth.names, 4, tournament(truth, np.random.default_rng(3))).help
    assert len(found) == 30
    assert found[0].corrected == pytest.approx(min(1, 30 * found[0].probability))
    assert [one.corrected for one in found] == sorted(one.corrected for one in found)


def test_few_blocks_give_no_verdict() -> None:
    truth = replace(HELPS[0], cycles=1)
    found = analyse(truth.names, 3, tournament(truth, np.random.default_rng(3))).help
    assert found == ()


def test_two_players_have_no_third_party() -> None:
    truth = Truth(2, (0.0, 100.0), (0.0, 0.0), 0.0, 20, "nothing")
    found = analyse(truth.names, 2, tournament(truth, np.random.default_rng(3))).help
    assert found == ()
