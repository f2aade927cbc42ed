"""How a bot does beside another is told in figures, which accuse no bot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks.statistics import Truth, tournament

from polynya_evidence.analysis import Analysis, Companion, analyse
from polynya_evidence.analysis.estimates import BY_CHANCE, conspicuous

SIX = tuple(np.linspace(-150, 150, 6))
THREE = Truth(3, SIX, (20.0, 0.0, -20.0), 0.0, 5, "bot")
FOUR = Truth(4, SIX, (20.0, 0.0, 0.0, -20.0), 0.0, 5, "bot")
PLAYERS = pytest.mark.parametrize("truth", [THREE, FOUR], ids=["three players", "four players"])


def analysed(truth: Truth) -> Analysis:
    blocks = tournament(truth, np.random.default_rng(3))
    return analyse(truth.names, truth.players, blocks)


def pair(found: Analysis, bot: str, companion: str) -> Companion:
    return next(one for one in found.companions if (one.bot, one.companion) == (bot, companion))


def test_surplus_is_that_against_third_parties() -> None:
    found = pair(analysed(replace(THREE, help=(0, 1, 400.0), cycles=20)), "1", "0")
    assert found.blocks == 80
    assert 0.3 < found.surplus < 0.7
    assert found.surplus > 5 * found.error


@PLAYERS
def test_surplus_without_help_is_within_its_error(truth: Truth) -> None:
    found = analysed(replace(truth, cycles=20)).companions
    beyond = sum(abs(one.surplus) > 2 * one.error for one in found)
    assert beyond <= len(found) / 5


@PLAYERS
def test_honest_fields_have_as_many_conspicuous_rows_as_the_report_says(truth: Truth) -> None:
    chance = np.random.default_rng(5)
    fields = [tournament(replace(truth, cycles=6), chance) for _ in range(20)]
    found = [analyse(truth.names, truth.players, blocks).companions for blocks in fields]
    share = sum(map(conspicuous, found)) / sum(map(len, found))
    assert abs(share - BY_CHANCE) < 0.03


@PLAYERS
def test_every_pair_is_listed_in_the_order_of_the_ratings(truth: Truth) -> None:
    found = analysed(truth)
    names = [bot.name for bot in found.bots]
    expected = [(bot, other) for bot in names for other in names if bot != other]
    assert expected == [(one.bot, one.companion) for one in found.companions]


def test_pairs_with_few_blocks_are_left_out() -> None:
    assert analysed(replace(THREE, cycles=1)).companions == ()


def test_two_players_have_no_third_party() -> None:
    assert analysed(Truth(2, (0.0, 100.0), (0.0, 0.0), 0.0, 20, "nothing")).companions == ()
