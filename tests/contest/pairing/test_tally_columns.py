"""The columns of the table that count matches."""

from __future__ import annotations

from dataclasses import replace

from polynya_contest.pairing.standings import MatchResult, Standing, Walkover
from polynya_contest.pairing.tabulation import (
    figures_after_points,
    ratings_contradict,
    tabulate,
    tally,
    tally_note,
)


def rows(*ranking: int, walkovers: tuple[Walkover, ...] = ()) -> tuple[Standing, ...]:
    names = tuple("abcd"[: len(ranking)])
    match = MatchResult(names, ranking, (False,) * len(ranking))
    ratings = dict.fromkeys(names, 1500.0)
    return tabulate(names, [match], ratings, walkovers=walkovers, players=len(ranking))


def test_two_players_have_wins_draws_and_losses() -> None:
    assert list(tally(rows(1, 2))[0]) == ["wins", "draws", "losses", "forfeits"]


def test_three_players_have_a_column_for_each_rank() -> None:
    assert [dict(line) for line in tally(rows(1, 2, 2))] == [
        {"1st": 1, "2nd": 0, "3rd": 0, "forfeits": 0},
        {"1st": 0, "2nd": 1, "3rd": 0, "forfeits": 0},
        {"1st": 0, "2nd": 1, "3rd": 0, "forfeits": 0},
    ]


def test_missed_matches_have_columns_and_a_note_where_there_are_some() -> None:
    with_one = rows(1, 2, walkovers=(Walkover(("a", "b"), {"b": "not_ready"}),))
    loser = dict(tally(with_one)[1])
    assert (loser["walkovers"], loser["missed"], loser["forfeits"]) == (0, 1, 1)
    assert tally(with_one)[0]["walkovers"] == 1
    assert "walkovers: matches that opponents missed" in tally_note(with_one)


def test_without_missed_matches_the_table_says_nothing_of_them() -> None:
    assert tally_note(rows(1, 2)) == ""
    assert "missed" not in tally(rows(1, 2))[0]


def test_tie_breaks_of_points_stand_behind_the_points() -> None:
    [first, *_] = rows(1, 2)
    assert figures_after_points([replace(first, figures={"sonneborn_berger": 1.0})])
    assert not figures_after_points([replace(first, figures={"score": 1.0, "buchholz": 2.0})])
    assert not figures_after_points([replace(first, figures={"out": "winner"})])


def test_ratings_contradict_the_places_where_the_later_one_is_shown_as_higher() -> None:
    table = rows(1, 2, 3)
    assert not ratings_contradict(table, {"a": 1600.0, "b": 1500.4, "c": 1499.6})
    assert ratings_contradict(table, {"a": 1600.0, "b": 1499.0, "c": 1501.0})
    assert not ratings_contradict(table, {"a": 25.001, "b": 25.004, "c": 25.0}, 2)
    assert not ratings_contradict(rows(1, 1), {"a": 1400.0, "b": 1600.0})
