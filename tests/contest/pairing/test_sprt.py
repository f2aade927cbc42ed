"""The sequential test: its ratio, its bounds, and how often it errs in simulation."""

from __future__ import annotations

import math
import random

import pytest
from tests.selection import most

from polynya_contest.pairing.formats.interface import Block, PlayedBlock
from polynya_contest.pairing.formats.sprt import (
    MATCH_SCORES,
    SCORES,
    Model,
    Sprt,
    bounds,
    expected,
    log_likelihood_ratio,
)
from polynya_contest.pairing.standings import MatchResult

RUNS = most(100, 400)
ELO = 80.0


def test_the_bounds_are_walds() -> None:
    assert bounds(0.05, 0.05) == pytest.approx((-2.944, 2.944), abs=5e-4)


def test_elo_is_logistic() -> None:
    assert expected(0) == 0.5
    assert expected(400) == pytest.approx(10 / 11)


def test_the_ratio_is_near_its_normal_approximation() -> None:
    # Van den Bergh: N (s1 - s0) (2 s - s0 - s1) / (2 variance), for small differences.
    counts = [100, 900, 2000, 1100, 150]
    total = sum(counts)
    mean = sum(c * s for c, s in zip(counts, SCORES, strict=True)) / total
    variance = sum(c * (s - mean) ** 2 for c, s in zip(counts, SCORES, strict=True)) / total
    low, high = expected(0), expected(5)
    approximation = total * (high - low) * (2 * mean - low - high) / (2 * variance)
    assert log_likelihood_ratio("logistic", counts, 0, 5) == pytest.approx(approximation, rel=0.02)


def test_the_ratio_of_swapped_hypotheses_is_the_opposite() -> None:
    counts = [3, 20, 50, 30, 9]
    assert log_likelihood_ratio("logistic", counts, 0, 10) == pytest.approx(
        -log_likelihood_ratio("logistic", counts, 10, 0)
    )


def test_test_without_matches_has_no_verdict() -> None:
    assert log_likelihood_ratio("logistic", [0] * 5, 0, 10) == 0.0


def test_a_sweep_stays_finite_and_speaks_for_the_winner() -> None:
    assert 0 < log_likelihood_ratio("logistic", [0, 0, 0, 0, 50], 0, 10) < 100


def test_only_results_that_have_not_occurred_are_replaced() -> None:
    # With both results of a match seen, the ratio is that of the plain binomial.
    wins, losses = 60, 40
    low, high = expected(0), expected(30)
    plain = wins * math.log(high / low) + losses * math.log((1 - high) / (1 - low))
    found = log_likelihood_ratio("trinomial", [losses, 0, wins], 0, 30)
    assert found == pytest.approx(plain, abs=2e-3)


@pytest.mark.parametrize("scores", [SCORES, MATCH_SCORES])
def test_normalized_elo_is_measured_in_standard_deviations(scores: tuple[float, ...]) -> None:
    # For small differences: N (t1 - t0) (2 t - t0 - t1) / 2, with t in standard deviations.
    counts = [100, 900, 2000, 1100, 150] if scores == SCORES else [900, 2000, 1000]
    total = sum(counts)
    mean = sum(c * s for c, s in zip(counts, scores, strict=True)) / total
    variance = sum(c * (s - mean) ** 2 for c, s in zip(counts, scores, strict=True)) / total
    matches = 2 if scores == SCORES else 1
    high = 5 / (800 / math.log(10)) * math.sqrt(matches)
    approximation = total * high * (2 * (mean - 0.5) / math.sqrt(variance) - high) / 2
    found = log_likelihood_ratio("normalized", counts, 0, 5)
    assert found == pytest.approx(approximation, rel=0.03)


def decides_for_the_better(model: Model, elo: float, chance: random.Random) -> bool:
    """Whether a test between bots of this difference ends with elo1; matches of a block differ."""
    low, high = bounds(0.05, 0.05)
    counts = [0] * len(SCORES)
    ratio = 0.0
    # Of matches with 30 % draws: the mean over the standard deviation.
    mean = expected(ELO)
    deviation = math.sqrt(0.7 * 0.25 - (mean - 0.5) ** 2)
    normalized = (mean - 0.5) / deviation * 800 / math.log(10)
    hypothesis = normalized if model == "normalized" else ELO
    while low < ratio < high:
        points = sum(
            0.5 if chance.random() < 0.3 else float(chance.random() < decisive)
            for decisive in [(expected(elo) - 0.15) / 0.7] * 2
        )
        counts[round(2 * points)] += 1
        ratio = log_likelihood_ratio(model, counts, 0, hypothesis)
    return ratio >= high


@pytest.mark.parametrize("model", ["logistic", "normalized"])
@pytest.mark.parametrize(("elo", "better"), [(0.0, 0.05), (ELO, 0.95)])
def test_error_rates_are_those_promised(model: Model, elo: float, better: float) -> None:
    chance = random.Random(20261121)
    share = sum(decides_for_the_better(model, elo, chance) for _ in range(RUNS)) / RUNS
    # Three standard errors of the share, and what blocks overshoot the bounds by.
    assert abs(share - better) < 3 * (0.05 * 0.95 / RUNS) ** 0.5


def played(block: Block, first_wins: bool) -> PlayedBlock:
    one, other = block.players
    ranks = (1, 2) if first_wins else (2, 1)
    return PlayedBlock(
        block.key,
        block.players,
        (
            MatchResult((one, other), ranks, (False, False)),
            MatchResult((other, one), ranks[::-1], (False, False)),
        ),
    )


@pytest.mark.parametrize(("first_wins", "decision"), [(True, "H1"), (False, "H0")])
def test_a_match_ends_with_the_decision(first_wins: bool, decision: str) -> None:
    sprt = Sprt(["ann", "bob"], (0, 100), (0.05, 0.05), 1_000)
    blocks: list[PlayedBlock] = []
    while drawn := sprt.next_blocks(blocks):
        blocks += [played(block, first_wins) for block in drawn]
    assert len(blocks) < 100
    assert sprt.figures(blocks)["decision"] == decision
    assert str(sprt.verdict(blocks)).startswith(f"the test accepts {decision} after block ")


def test_test_ends_undecided_after_the_most_blocks() -> None:
    sprt = Sprt(["ann", "bob"], (0, 1), (0.05, 0.05), 2)
    blocks = [
        PlayedBlock(
            f"sprt/{number}/1/ann,bob",
            ("ann", "bob"),
            played(Block("", ("ann", "bob")), won).results,
        )
        for number, won in ((1, True), (2, False))
    ]
    assert sprt.next_blocks(blocks) == []
    assert sprt.figures(blocks)["decision"] == "undecided"
