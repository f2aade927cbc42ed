"""Tie-breaks: worked values of C.07, and a second implementation over random tournaments."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations

import pytest
from tests.contest.pairing import tie_breaks_by_the_letter as letter
from tests.selection import most

from polynya_contest.pairing.formats.drawn_once import round_robin
from polynya_contest.pairing.formats.interface import Entrant, PlayedBlock
from polynya_contest.pairing.standings import MatchResult, Walkover
from polynya_contest.pairing.tabulation import tabulate
from polynya_contest.pairing.tie_breaks.opponents import (
    Entry,
    average_rating,
    perfect_performance,
    performance,
)
from polynya_contest.pairing.tie_breaks.tie_breaks import Field, TieBreak, direct_encounter, merits

Histories = Mapping[str, Sequence[Entry]]


def won(opponent: str) -> Entry:
    return Entry("played", opponent, 1.0)


def lost(opponent: str) -> Entry:
    return Entry("played", opponent, 0.0)


def drawn(opponent: str) -> Entry:
    return Entry("played", opponent, 0.5)


BYE = Entry("bye", None, 1.0)
HALF = Entry("half_point_bye", None, 0.5)
GONE = Entry("unpaired", None, 0.0)


def figures(histories: Histories, tie_break: TieBreak) -> dict[str, float | str | None]:
    found = merits(Field(histories, {}), [tie_break])
    return {name: merit.figures[tie_break] for name, merit in found.items()}


HISTORIES = {
    "ann": [won("cid"), lost("bob"), drawn("dot")],
    "bob": [drawn("dot"), won("ann"), lost("cid")],
    "cid": [lost("ann"), won("dot"), won("bob")],
    "dot": [drawn("bob"), lost("cid"), drawn("ann")],
}
"""Scores: ann 1.5, bob 1.5, cid 2, dot 1."""


@pytest.mark.parametrize(
    ("tie_break", "values"),
    [
        ("buchholz", {"ann": 4.5, "bob": 4.5, "cid": 4.0, "dot": 5.0}),
        ("buchholz_cut_1", {"ann": 3.5, "bob": 3.5, "cid": 3.0, "dot": 3.5}),
        ("buchholz_cut_2", {"ann": 2.0, "bob": 2.0, "cid": 1.5, "dot": 2.0}),
        ("buchholz_median", {"ann": 1.5, "bob": 1.5, "cid": 1.5, "dot": 1.5}),
        ("sonneborn_berger", {"ann": 2.5, "bob": 2.0, "cid": 2.5, "dot": 1.5}),
        ("direct_encounter", {"ann": 0.0, "bob": 1.0, "cid": None, "dot": None}),
        ("wins", {"ann": 1.0, "bob": 1.0, "cid": 2.0, "dot": 0.0}),
        ("progressive", {"ann": 3.5, "bob": 3.5, "cid": 3.0, "dot": 2.0}),
        ("koya", {"ann": 1.0, "bob": 1.0, "cid": 1.0, "dot": 1.0}),
    ],
)
def test_tie_breaks_are_what_the_handbook_says(
    tie_break: TieBreak, values: dict[str, float | None]
) -> None:
    assert values == figures(HISTORIES, tie_break)


def test_the_tie_break_declared_first_decides_first() -> None:
    found = merits(Field(HISTORIES, {}), ("direct_encounter", "sonneborn_berger"))
    assert found["bob"].order > found["ann"].order
    found = merits(Field(HISTORIES, {}), ("sonneborn_berger", "direct_encounter"))
    assert found["ann"].order > found["bob"].order


def test_dummy_of_a_bye_has_no_more_than_half_of_the_rounds() -> None:
    histories = {
        "ann": [BYE, won("bob")],
        "bob": [won("cid"), lost("ann")],
        "cid": [lost("bob"), BYE],
    }
    # Of ann's 2 points the dummy has 1 (16.4.2), and bob, whom it played, 1.
    assert figures(histories, "buchholz") == {"ann": 2.0, "bob": 3.0, "cid": 2.0}


def test_dummy_of_a_walkover_has_no_more_than_the_scheduled_opponent() -> None:
    histories = {
        "ann": [Entry("walkover", "bob", 1.0), won("cid")],
        "bob": [Entry("missed", "ann", 0.0), drawn("dot")],
        "cid": [won("dot"), lost("ann")],
        "dot": [lost("cid"), drawn("bob")],
    }
    # Of ann's 2 points the dummy has bob's 0.5 (16.4.1), and cid 1.
    assert figures(histories, "buchholz")["ann"] == 1.5


def test_rounds_after_an_opponent_left_count_as_draws() -> None:
    histories = {
        "ann": [won("bob"), won("cid"), won("dot")],
        "bob": [lost("ann"), GONE, GONE],
        "cid": [won("dot"), lost("ann"), BYE],
        "dot": [lost("cid"), BYE, lost("ann")],
    }
    # bob: 0, then two draws (16.3).
    assert figures(histories, "buchholz")["ann"] == 1.0 + 2.0 + 1.0


def test_absence_that_was_followed_by_a_match_counts_as_it_is() -> None:
    histories = {
        "ann": [won("bob"), lost("cid")],
        "bob": [lost("ann"), GONE, won("cid")],
        "cid": [BYE, won("ann"), lost("bob")],
    }
    assert figures(histories, "buchholz")["ann"] == 1.0 + 2.0


def test_cut_takes_an_absence_of_the_bot_itself_first() -> None:
    histories = {
        "ann": [won("bob"), won("cid"), HALF],
        "bob": [lost("ann"), lost("cid"), lost("dot")],
        "cid": [won("dot"), won("bob"), BYE],
        "dot": [lost("cid"), BYE, won("bob")],
    }
    # The dummy gives 1.5, more than bob's 0, and is cut instead of it (16.5).
    assert figures(histories, "buchholz_cut_1")["ann"] == 0.0 + 3.0


def test_direct_encounter_finds_an_unreachable_first() -> None:
    # a has beaten b and c; b and c have not met: neither can have more than one point of two.
    histories = {
        "a": [won("b"), won("c"), lost("d")],
        "b": [lost("a"), won("d"), won("e")],
        "c": [won("e"), lost("a"), won("d")],
        "d": [won("f"), lost("b"), won("a")],
        "e": [lost("c"), won("f"), lost("b")],
        "f": [lost("d"), lost("e"), BYE],
    }
    found = merits(Field(histories, {}), ["direct_encounter"])
    tied = sorted("abcd", key=lambda name: found[name].order, reverse=True)
    assert {found[name].order[0] for name in "abcd"} == {2.0}
    assert tied[0] != "d"


def test_direct_encounter_says_nothing_of_bots_that_have_not_met() -> None:
    histories = {
        "ann": [won("bob")],
        "bob": [lost("ann")],
        "cid": [won("dot")],
        "dot": [lost("cid")],
    }
    assert {None} == set(figures(histories, "direct_encounter").values())


def test_direct_encounter_is_applied_again_to_those_still_tied() -> None:
    # Four bots, all met. a and b have 2 points of 3 each, a has beaten b.
    histories = {
        "a": [won("b"), won("c"), lost("d")],
        "b": [lost("a"), won("d"), won("c")],
        "c": [won("d"), lost("a"), lost("b")],
        "d": [lost("c"), lost("b"), won("a")],
    }
    outside = {name: [*entries, BYE] for name, entries in histories.items()}
    for name in "cd":  # so that all four have three points
        outside[name] = [*outside[name], BYE]
    for name in "ab":
        outside[name] = [*outside[name], GONE]
    found = merits(Field(outside, {}), ["direct_encounter"])
    assert {3.0} == {merit.order[0] for merit in found.values()}
    order = sorted("abcd", key=lambda name: found[name].order, reverse=True)
    assert order == ["a", "b", "c", "d"]


def test_performance_follows_the_tables_of_the_federation() -> None:
    ratings = [1600.0, 1700.0, 1800.0, 1900.0]
    assert average_rating(ratings) == 1750
    assert performance(3.0, ratings) == 1750 + 193
    assert performance(1.0, ratings) == 1750 - 193
    assert performance(4.0, ratings) == 1750 + 800
    assert perfect_performance(0.0, ratings) == 1600 - 800
    assert perfect_performance(4.0, ratings) == 1900 + 736
    assert (
        perfect_performance(2.0, ratings) == 1747
    )  # expects 70 + 57 + 42 + 31 percent: two points


def test_performance_of_no_matches_is_not_applicable() -> None:
    assert (average_rating([]), performance(0, []), perfect_performance(0, [])) == (
        None,
        None,
        None,
    )


@pytest.mark.parametrize("seed", range(most(4, 20)))
def test_second_implementation_agrees_on_random_tournaments(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(100):
        win = dice.choice([1.0, 2.0])
        scheduled = dice.random() < 0.3
        histories = letter.random_histories(dice, win, scheduled=scheduled)
        ratings = {name: float(dice.randint(800, 2400)) for name in histories}
        expected = letter.values(histories, ratings, win, scheduled=scheduled)
        for tie_break, values in expected.items():
            found = merits(Field(histories, ratings, win, scheduled), [tie_break])
            assert values == pytest.approx(
                {name: merit.figures[tie_break] for name, merit in found.items()}
            ), (tie_break, histories)


@pytest.mark.parametrize("seed", range(10))
def test_second_implementation_orders_by_direct_encounter_alike(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(100):
        win = dice.choice([1.0, 2.0])
        scheduled = dice.random() < 0.3
        histories = letter.random_histories(dice, win, scheduled=scheduled)
        groups: dict[float, list[str]] = defaultdict(list)
        for name, entries in histories.items():
            groups[sum(entry.score for entry in entries)].append(name)
        ranks = direct_encounter(histories, list(groups.values()), win, scheduled=scheduled)
        for group in groups.values():
            found: dict[int, set[str]] = defaultdict(set)
            for name in group:
                found[ranks[name][0]].add(name)
            expected = letter.direct_order(group, histories, win, scheduled=scheduled)
            assert [set(part) for part in expected] == [found[rank] for rank in sorted(found)]


@pytest.mark.parametrize("seed", range(5))
def test_direct_encounter_finds_a_first_for_all_missing_results(
    seed: int,
) -> None:
    dice = random.Random(seed)
    for _ in range(200):
        names = "abcd"[: dice.randint(2, 4)]
        pairs = list(combinations(names, 2))
        met = {pair: dice.choice([0.0, 0.5, 1.0]) for pair in pairs if dice.random() < 0.6}
        histories: dict[str, list[Entry]] = {name: [] for name in names}
        for (one, other), score in met.items():
            histories[one].append(Entry("played", other, score))
            histories[other].append(Entry("played", one, 1 - score))
        ranks = direct_encounter(histories, [list(names)], 1.0, scheduled=False)
        alone = [n for n, (rank, _) in ranks.items() if rank == 0]
        first = letter.certain_first(names, met)
        if len(met) < len(pairs):
            assert (alone == [first]) == (first is not None)


def random_round_robin(
    dice: random.Random, names: Sequence[str], cycles: int
) -> tuple[list[PlayedBlock], list[letter.Match]]:
    """Some blocks of a round robin, with walkovers: as the format sees them, and as matches."""
    played: list[PlayedBlock] = []
    matches: list[letter.Match] = []
    contest = round_robin([Entrant(name) for name in names], 2, cycles)
    for block in contest.next_blocks([]):
        if dice.random() < 0.1:
            continue  # not played yet
        results, walkovers = [], []
        for pair in (block.players, block.players[::-1]):
            winner = dice.choice([*pair, ""])
            if dice.random() < 0.1:
                absent = dice.choice(pair)
                walkovers.append(Walkover(pair, {absent: "absent"}))
                matches.append((pair[0], pair[1], f"-{absent}"))
            else:
                ranking = tuple(1 if winner in ("", name) else 2 for name in pair)
                results.append(MatchResult(pair, ranking, (False, False)))
                matches.append((pair[0], pair[1], winner))
        played.append(PlayedBlock(block.key, block.players, tuple(results), tuple(walkovers)))
    return played, matches


OF_ROUND_ROBINS: tuple[TieBreak, ...] = (
    "buchholz",
    "sonneborn_berger",
    "sonneborn_berger_cut_1",
    "wins",
    "second_seat_wins",
    "koya",
)


@pytest.mark.parametrize("seed", range(10))
def test_second_implementation_agrees_on_random_round_robins(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(30):
        names = [f"b{number}" for number in range(dice.randint(2, 7))]
        cycles = dice.randint(1, 2)
        played, matches = random_round_robin(dice, names, cycles)
        histories = letter.round_robin_histories(names, matches)
        ratings = dict.fromkeys(names, 1500.0)
        expected = letter.values(histories, ratings, 1.0, scheduled=True)
        entrants = [Entrant(name) for name in names]
        for tie_break in OF_ROUND_ROBINS:
            found = round_robin(entrants, 2, cycles, (tie_break,)).merits(played)
            figures = {name: merit.figures[tie_break] for name, merit in found.items()}
            assert expected[tie_break] == pytest.approx(figures), (tie_break, matches)


@pytest.mark.parametrize("seed", range(10))
def test_second_implementation_orders_round_robins_by_direct_encounter_alike(seed: int) -> None:
    dice = random.Random(seed)
    for _ in range(30):
        names = [f"b{number}" for number in range(dice.randint(2, 7))]
        cycles = dice.randint(1, 2)
        played, matches = random_round_robin(dice, names, cycles)
        histories = letter.round_robin_histories(names, matches)
        contest = round_robin([Entrant(name) for name in names], 2, cycles, ("direct_encounter",))
        found = contest.merits(played)
        tied: dict[tuple[float, ...], list[str]] = defaultdict(list)
        for name in names:
            tied[found[name].order[:-1]].append(name)
        for group in tied.values():
            expected = letter.direct_order(group, histories, 1.0, scheduled=True)
            best_first = sorted({found[name].order[-1] for name in group}, reverse=True)
            assert [set(part) for part in expected] == [
                {name for name in group if found[name].order[-1] == order} for order in best_first
            ], matches


def test_round_robin_is_ordered_by_the_tie_breaks_declared() -> None:
    entrants = [Entrant(name) for name in ("ann", "bob", "cid", "dot")]
    contest = round_robin(entrants, 2, 1, ("sonneborn_berger",))
    winners = {
        frozenset(pair): winner
        for *pair, winner in (
            ("ann", "bob", "ann"),
            ("ann", "cid", "cid"),
            ("ann", "dot", "ann"),
            ("bob", "cid", "bob"),
            ("bob", "dot", "bob"),
            ("cid", "dot", "dot"),
        )
    }
    played = []
    for block in contest.next_blocks([]):
        winner = winners[frozenset(block.players)]
        results = tuple(
            MatchResult(names, tuple(1 if name == winner else 2 for name in names), (False, False))
            for names in (block.players, block.players[::-1])
        )
        played.append(PlayedBlock(block.key, block.players, results))
    rows = tabulate(
        [one.name for one in entrants],
        [result for block in played for result in block.results],
        {one.name: 1500.0 for one in entrants},
        contest.merits(played),
    )
    # ann and bob have 4 points each; ann has beaten bob (4) and dot (2), bob cid (2) and dot (2).
    assert [(row.name, row.points, row.figures) for row in rows[:2]] == [
        ("ann", 4.0, {"sonneborn_berger": 12.0}),
        ("bob", 4.0, {"sonneborn_berger": 8.0}),
    ]


def test_walkovers_of_a_round_robin_count_as_matches_for_sonneborn_berger() -> None:
    entrants = [Entrant("ann"), Entrant("bob"), Entrant("cid")]
    contest = round_robin(entrants, 2, 1, ("sonneborn_berger", "second_seat_wins"))
    played = []
    for block in contest.next_blocks([]):
        orders = (block.players, block.players[::-1])
        if "cid" in block.players:
            walkovers = tuple(Walkover(names, {"cid": "absent"}) for names in orders)
            played.append(PlayedBlock(block.key, block.players, (), walkovers))
        else:
            results = tuple(MatchResult(names, (2, 1), (False, False)) for names in orders)
            played.append(PlayedBlock(block.key, block.players, results))
    figures = {name: merit.figures for name, merit in contest.merits(played).items()}
    assert figures == {
        "ann": {"sonneborn_berger": 3.0, "second_seat_wins": 1.0},
        "bob": {"sonneborn_berger": 3.0, "second_seat_wins": 1.0},
        "cid": {"sonneborn_berger": 0.0, "second_seat_wins": 0.0},
    }
