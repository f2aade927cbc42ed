"""How much duplicate deals narrow intervals: the design effect of blocks, from their results."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest

from polynya_contest.pairing.duplicate_gain import narrowing, narrowing_words
from polynya_contest.pairing.formats import PlayedBlock
from polynya_contest.pairing.standings import MatchResult

WON, LOST = (1, 2), (2, 1)


def blocks(
    *ends: Sequence[tuple[int, int]], names: tuple[str, str] = ("ann", "bob")
) -> list[PlayedBlock]:
    """Blocks of two matches, with the ranks of the first of two bots and of the other."""
    other = names[::-1]
    return [
        PlayedBlock(
            f"1.{number}",
            names,
            results=(
                MatchResult(names, first, (False, False)),
                MatchResult(other, second[::-1], (False, False)),
            ),
        )
        for number, (first, second) in enumerate(ends, start=1)
    ]


def test_all_luck_is_gone_if_each_deal_is_won_by_the_same_seat() -> None:
    assert narrowing(blocks((WON, LOST), (LOST, WON), (WON, LOST))) == 1


def test_independent_matches_gain_nothing() -> None:
    every = [(WON, WON), (WON, LOST), (LOST, WON), (LOST, LOST)]
    assert narrowing(blocks(*every * 200)) == pytest.approx(0, abs=0.001)


def test_blocks_that_are_won_as_a_whole_widen_intervals_by_the_root_of_two() -> None:
    assert narrowing(blocks(*[(WON, WON), (LOST, LOST)] * 500)) == pytest.approx(
        1 - math.sqrt(2), abs=0.001
    )


def test_differences_in_strength_between_opponents_do_not_count() -> None:
    strong = blocks(*[(WON, WON)] * 500)
    level = blocks(*[(WON, LOST), (LOST, WON)] * 500, names=("bob", "cid"))
    assert narrowing([*strong, *level]) == 1


@pytest.mark.parametrize(
    "few", [[], blocks((WON, LOST)), blocks((WON, WON), (WON, WON))], ids=["none", "one", "alike"]
)
def test_nothing_is_known_without_two_blocks_or_with_results_that_are_all_alike(
    few: list[PlayedBlock],
) -> None:
    assert narrowing(few) is None


def test_block_without_all_its_results_is_left_out() -> None:
    first, second = blocks((WON, LOST), (LOST, WON))
    cut = PlayedBlock("1.3", first.players, results=first.results[:1])
    assert narrowing([first, second, cut]) == narrowing([first, second])


@pytest.mark.parametrize(
    ("found", "words"), [(0.37, "37% narrower than"), (-0.1, "10% wider than"), (None, "")]
)
def test_it_is_said_in_a_sentence(found: float | None, words: str) -> None:
    assert words in narrowing_words(found)
