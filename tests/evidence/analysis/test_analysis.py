"""What a report says of results: against closed forms, symmetry, and simulated bots."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
from benchmarks.statistics import Truth, coverage, tournament

from polynya_common.errors import TournamentError
from polynya_contest.pairing.standings import MatchResult
from polynya_evidence.analysis import Analysis, Interval, analyse


def result(*names: str, ranking: tuple[int, ...]) -> MatchResult:
    return MatchResult(names, ranking, (False,) * len(names))


WON = result("a", "b", ranking=(1, 2))
LOST = result("a", "b", ranking=(2, 1))
LEVEL = result("a", "b", ranking=(1, 1))


def swapped(played: MatchResult) -> MatchResult:
    return MatchResult(played.names[::-1], played.ranking[::-1], played.forfeited[::-1])


def of_two(*results: MatchResult, times: int = 200) -> Analysis:
    """Every match is a block of its own, and was also played with the seats exchanged."""
    each = [one for played in results for one in (played, swapped(played))]
    return analyse(["a", "b"], 2, [[played] for played in each] * times)


def gap(found: Analysis, better: str = "a", worse: str = "b") -> float:
    ratings = {bot.name: bot.rating.value for bot in found.bots}
    return ratings[better] - ratings[worse]


def ends(rating: Interval) -> tuple[float, float]:
    assert rating.low is not None
    assert rating.high is not None
    return rating.low, rating.high


def width(rating: Interval) -> float:
    low, high = ends(rating)
    return high - low


def test_two_bots_without_ties_differ_by_the_logarithm_of_wins_to_losses() -> None:
    assert gap(of_two(WON, WON, WON, LOST)) == pytest.approx(400 * math.log10(3), rel=0.001)


def test_two_bots_with_ties_differ_by_the_logarithm_of_wins_to_losses_too() -> None:
    assert gap(of_two(WON, WON, LEVEL, LEVEL, LOST)) == pytest.approx(
        400 * math.log10(2), rel=0.001
    )


def test_the_interval_of_two_bots_is_that_of_the_logarithm_of_the_odds() -> None:
    found = of_two(WON, WON, WON, LOST)
    wins, losses = 1200, 400
    half = 1.96 * 400 / math.log(10) * math.sqrt(1 / wins + 1 / losses) / 2
    rating = found.bots[0].rating
    expected = (rating.value - half, rating.value + half)
    assert expected == pytest.approx(ends(rating), abs=0.005 * half)


def test_matches_of_a_block_that_always_end_alike_say_no_more_than_one_of_them() -> None:
    blocks = [[WON, swapped(WON)]] * 300 + [[LOST, swapped(LOST)]] * 100
    alike = analyse(["a", "b"], 2, blocks).bots[0].rating
    apart = of_two(WON, WON, WON, LOST, times=100).bots[0].rating
    assert alike.value == pytest.approx(apart.value)
    ratio = width(alike) / width(apart)
    assert ratio == pytest.approx(math.sqrt(2), rel=0.01)


def test_the_order_of_the_blocks_does_not_matter() -> None:
    blocks = tournament(Truth(2, (0.0, 100.0, 200.0), (0.0, 0.0), 0.5, 9, "bot"), rng())
    forwards, backwards = (analyse(list("012"), 2, each) for each in (blocks, blocks[::-1]))
    assert [bot.name for bot in forwards.bots] == [bot.name for bot in backwards.bots]
    for one, other in zip(forwards.bots, backwards.bots, strict=True):
        assert ends(one.rating) == pytest.approx(ends(other.rating))


def test_equal_results_are_equal_ratings_in_the_middle() -> None:
    cyclic = [("a", "b"), ("b", "c"), ("c", "a")]
    blocks = [
        [result(*pair, ranking=(1, 2)), result(*pair[::-1], ranking=(2, 1))] for pair in cyclic
    ]
    found = analyse(["a", "b", "c"], 2, blocks)
    assert [bot.rating.value for bot in found.bots] == pytest.approx([1500.0] * 3)
    assert list(np.array(found.superiority).ravel()) == pytest.approx([0.5] * 9)


def test_sweep_bounds_the_winner_from_below_and_the_loser_from_above() -> None:
    found = of_two(WON, times=5)
    winner, loser = (bot.rating for bot in found.bots)
    assert found.bots[0].name == "a"
    assert (winner.high, loser.low) == (None, None)
    assert winner.low is not None
    assert winner.low > 1400
    assert gap(found) > 200
    assert found.superiority[0][1] > 0.95


def pair_blocks(one: str, other: str, *, level: bool) -> list[MatchResult]:
    """Two matches, won by the first, or one by each."""
    again = (1, 2) if level else (2, 1)
    return [result(one, other, ranking=(1, 2)), result(other, one, ranking=again)]


def test_groups_between_which_nothing_was_scored_are_any_distance_apart() -> None:
    top, rest = ("a", "b"), ("c", "d", "e")
    sweeps = [pair_blocks(one, other, level=False) for one in top for other in rest]
    pairs = [top, ("c", "d"), ("d", "e"), ("c", "e")]
    even = [
        pair_blocks(*names, level=False)
        for one, other in pairs
        for names in ((one, other), (other, one))
    ]
    ratings = {bot.name: bot.rating for bot in analyse(list("abcde"), 2, (sweeps + even) * 3).bots}
    assert [ratings[name].high for name in top] == [None, None]
    assert all(ratings[name].low is not None for name in top)
    assert np.mean([ratings[name].value for name in rest]) == pytest.approx(1500)
    assert all(width(ratings[name]) < 800 for name in rest)


def test_few_blocks_of_very_many_leave_the_distance_open() -> None:
    sweeps = [pair_blocks("a", "b", level=False)] * 40
    upsets = [pair_blocks("a", "b", level=True)]
    once, often = (analyse(["a", "b"], 2, sweeps + upsets * n).bots[0].rating for n in (1, 3))
    assert (once.high, often.high is None) == (None, False)


def test_bot_without_a_match_parts_no_field() -> None:
    blocks = [pair_blocks("a", "b", level=True)] * 5
    ratings = {bot.name: bot.rating for bot in analyse(["a", "b", "new"], 2, blocks).bots}
    assert width(ratings["new"]) > 1000
    assert all(width(rating) > 0 for rating in ratings.values())


@pytest.mark.parametrize("apart", [300, 700, 1500])
def test_intervals_of_wide_fields_hold_or_are_open(apart: int) -> None:
    truth = Truth(2, tuple(apart * np.arange(-2.5, 3)), (20.0, -20.0), 0.0, 10, "nothing")
    found = coverage(truth, 60, seed=5)
    assert found.ratings > 0.91
    assert (apart > 1000) <= (found.open > 0.9)


def test_a_seat_that_wins_three_of_four_is_worth_half_the_logarithm_above_the_mean() -> None:
    found = of_two_by_seat(300, 100)
    first, second = found.seats
    assert first.score == 0.75
    assert first.advantage.value == pytest.approx(200 * math.log10(3), rel=0.002)
    assert second.advantage.value == pytest.approx(-first.advantage.value)
    assert ends(first.advantage)[0] > 0
    assert gap(found) == pytest.approx(0, abs=1e-6)


def of_two_by_seat(first_wins: int, second_wins: int) -> Analysis:
    blocks = [[WON], [swapped(LOST)]] * first_wins + [[LOST], [swapped(WON)]] * second_wins
    return analyse(["a", "b"], 2, blocks)


def test_three_bots_in_every_order_but_one_are_compared_pair_by_pair() -> None:
    orders = [(1, 2, 3), (1, 3, 2), (2, 1, 3)]
    seats = [("a", "b", "c"), ("b", "c", "a"), ("c", "a", "b")]
    blocks = [
        [result(*names, ranking=tuple(ranks["abc".index(name)] for name in names))]
        for names in seats
        for ranks in orders
    ] * 200
    found = analyse(["a", "b", "c"], 3, blocks)
    assert [bot.name for bot in found.bots] == ["a", "b", "c"]
    scores = {(pair.bot, pair.opponent): pair.points / pair.comparisons for pair in found.pairs}
    assert scores["a", "b"] == pytest.approx(2 / 3)
    assert scores["a", "c"] == pytest.approx(1)
    assert found.draw_rate == 0


def test_the_model_expects_what_was_scored_in_all() -> None:
    found = of_two(WON, WON, LEVEL, LOST)
    for bot in found.bots:
        assert bot.expected == pytest.approx(bot.points, rel=0.001)
    assert found.draw_rate == 0.25


def test_without_results_there_is_the_prior() -> None:
    found = analyse(["a", "b"], 2, [])
    assert [bot.rating.value for bot in found.bots] == [1500.0, 1500.0]
    assert found.draw_rate is None
    assert found.pairs == ()


def test_level_results_give_equal_strengths() -> None:
    found = of_two(LEVEL, times=10)
    assert found.draw_rate == 1
    assert gap(found) == pytest.approx(0, abs=1e-6)


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


TIES = Truth(2, (-150.0, -50.0, 50.0, 150.0), (20.0, -20.0), 0.5, 15, "bot")
FOUR = Truth(4, (-150.0, -50.0, 0.0, 50.0, 150.0), (30.0, 0.0, 0.0, -30.0), 0.0, 10, "bot")


@pytest.mark.parametrize("truth", [TIES, FOUR], ids=["two players with ties", "four players"])
def test_most_intervals_hold_the_truth_of_simulated_bots(truth: Truth) -> None:
    runs = 150
    found = coverage(truth, runs, seed=11)
    independent = runs * (len(truth.strengths) - 1) / 2
    margin = 3 * math.sqrt(0.95 * 0.05 / independent)
    assert abs(found.ratings - 0.95) < margin
    assert found.naive < found.ratings


def test_without_the_extra_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(TournamentError, match=r"numpy.*pip install --editable '\.\[report\]'"):
        analyse(["a"], 2, [])


def test_nothing_else_needs_the_extra() -> None:
    without = "import sys; sys.modules['numpy'] = None"
    works = "import polynya_evidence.analysis, polynya_app.commands.play.tournament"
    program = [sys.executable, "-c", f"{without}; {works}"]
    assert subprocess.run(program, timeout=300).returncode == 0
