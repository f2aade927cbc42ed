"""The order of a ladder: finite, bounded in what one opponent does, the same on every machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest

from polynya_contest.ratings.pair_tallies import LadderEstimate, PairTally
from polynya_evidence.analysis.ladder_estimates import MOST_AGAINST_ONE, ladder_estimates

NO_RATINGS: dict[str, float] = {}


def tally(bot: str, opponent: str, wins: int, losses: int, ties: int = 0) -> PairTally:
    return PairTally(bot, opponent, False, False, 0, 1, wins, ties, losses)


def seats_exchanged(one: PairTally) -> PairTally:
    return replace(one, seat=one.other_seat, other_seat=one.seat)


def estimated(tallies: Sequence[PairTally], players: int = 2) -> dict[str, LadderEstimate]:
    """Each result once at each seat, so that the seats have no say."""
    both = [each for one in tallies for each in (one, seats_exchanged(one))]
    return ladder_estimates(both, players, NO_RATINGS)


def field(bots: int, wins: int = 5, losses: int = 5) -> list[PairTally]:
    names = [f"bot-{number}" for number in range(bots)]
    return [tally(one, other, wins, losses) for one, other in combinations(names, 2)]


def test_no_results_are_no_estimates() -> None:
    assert ladder_estimates([], 2, NO_RATINGS) == {}


def test_two_bots_differ_by_the_logarithm_of_wins_to_losses() -> None:
    found = ladder_estimates(
        [seats_exchanged(tally("a", "b", 6, 2)), tally("a", "b", 6, 2)], 2, NO_RATINGS
    )
    assert found["a"].value - found["b"].value == pytest.approx(400 * math.log10(3), rel=0.05)


def test_bot_that_won_everything_has_a_finite_estimate_and_a_wide_interval() -> None:
    found = estimated([*field(4), *(tally("new", f"bot-{n}", 1, 0) for n in range(4))])
    new, old = found["new"], found["bot-0"]
    assert old.value < new.value < 3000
    assert new.high - new.low > old.high - old.low


def test_results_against_one_opponent_count_as_a_bounded_number_of_matches() -> None:
    honest = [*field(6), *(tally("weak", f"bot-{n}", 0, 8) for n in range(6))]
    fed = [
        estimated([*honest, tally("weak", "feeder", times, 0), tally("feeder", "bot-0", 5, 5)])
        for times in (MOST_AGAINST_ONE, 10_000)
    ]
    assert fed[1]["weak"].value == pytest.approx(fed[0]["weak"].value, abs=0.001)
    assert fed[1]["weak"].value < min(fed[1][f"bot-{n}"].value for n in range(6))


def test_new_version_begins_where_the_earlier_one_stood() -> None:
    old = [replace(tally("bot", f"bot-{n}", 7, 3), earlier=True) for n in range(6)]
    before = estimated([*field(6), *(replace(one, earlier=False) for one in old)])["bot"]
    after = estimated([*field(6), *old, tally("bot", "bot-0", 1, 1)])["bot"]
    assert before.low < after.value < before.high
    assert after.high - after.low > before.high - before.low


def test_better_version_leaves_the_earlier_one_behind() -> None:
    old = [replace(tally("bot", f"bot-{n}", 2, 18), earlier=True) for n in range(6)]
    new = [tally("bot", f"bot-{n}", 9, 1) for n in range(6)]
    found = estimated([*field(6), *old, *new])
    alone = estimated([*field(6), *new])["bot"].value
    assert found["bot"].value > max(found[f"bot-{n}"].value for n in range(6))
    assert found["bot"].value > alone - 100


def test_estimates_are_the_same_whatever_order_the_results_come_in() -> None:
    tallies = [*field(5, 4, 6), tally("bot-1", "bot-2", 3, 0, ties=2)]
    found = ladder_estimates(tallies, 2, NO_RATINGS)
    assert ladder_estimates(tallies[::-1], 2, NO_RATINGS) == found


def test_bots_with_equal_results_have_equal_estimates() -> None:
    found = estimated(field(4))
    assert len({one.value for one in found.values()}) == 1


def test_mean_is_that_of_the_ratings_that_fix_the_scale() -> None:
    found = ladder_estimates(field(4, 6, 4), 2, {"bot-0": 2000.0, "bot-3": 1000.0})
    assert (found["bot-0"].value + found["bot-3"].value) / 2 == pytest.approx(1500)
    anchored = ladder_estimates(field(4, 6, 4), 2, {"bot-0": 2000.0})
    assert anchored["bot-0"] == LadderEstimate(2000.0, 2000.0, 2000.0)


def test_matches_of_four_weigh_less_than_the_sum_of_their_pairs() -> None:
    two, four = (estimated(field(4), players)["bot-0"] for players in (2, 4))
    assert four.high - four.low > two.high - two.low
