"""The table: points, places and ties."""

from __future__ import annotations

from polynya_contest.pairing.standings import MatchResult, Standing, Walkover
from polynya_contest.pairing.tabulation import tabulate


def result(ranks: dict[str, int], forfeited: tuple[str, ...] = ()) -> MatchResult:
    names = tuple(ranks)
    return MatchResult(names, tuple(ranks.values()), tuple(name in forfeited for name in names))


def table(*results: MatchResult) -> dict[str, Standing]:
    names = sorted({name for one in results for name in one.names})
    players = len(results[0].names)
    rows = tabulate(names, results, dict.fromkeys(names, 1500.0), players=players)
    return {row.name: row for row in rows}


def test_two_players_win_one_point_or_share_it() -> None:
    rows = table(result({"a": 1, "b": 2}), result({"b": 1, "a": 1}))
    assert {name: row.points for name, row in rows.items()} == {"a": 1.5, "b": 0.5}
    assert (rows["a"].wins, rows["a"].draws, rows["a"].losses) == (1, 1, 0)
    assert (rows["b"].wins, rows["b"].draws, rows["b"].losses) == (0, 1, 1)


def test_four_players_get_a_point_for_each_one_left_behind() -> None:
    rows = table(result({"a": 1, "b": 2, "c": 2, "d": 4}))
    assert {n: row.points for n, row in rows.items()} == {"a": 3.0, "b": 1.5, "c": 1.5, "d": 0.0}


def test_four_players_have_places_and_level_bots_share_the_best_of_theirs() -> None:
    rows = table(
        result({"a": 1, "b": 1, "c": 3, "d": 4}),
        result({"a": 1, "b": 2, "c": 2, "d": 2}),
    )
    assert {name: row.places for name, row in rows.items()} == {
        "a": (2, 0, 0, 0),
        "b": (1, 1, 0, 0),
        "c": (0, 1, 1, 0),
        "d": (0, 1, 0, 1),
    }


def test_four_players_have_no_wins_draws_and_losses() -> None:
    row = table(result({"a": 1, "b": 2, "c": 3, "d": 4}))["a"]
    assert (row.wins, row.draws, row.losses) == (None, None, None)


def test_two_players_have_no_places() -> None:
    assert table(result({"a": 1, "b": 2}))["a"].places is None


def test_forfeits_are_counted_among_the_losses() -> None:
    row = table(result({"a": 1, "b": 2}, forfeited=("b",)))["b"]
    assert (row.losses, row.forfeits) == (1, 1)


def test_equal_bots_share_a_place_and_the_next_is_skipped() -> None:
    rows = tabulate(
        ["a", "b", "c"],
        [result({"b": 1, "a": 2}), result({"c": 1, "a": 2})],
        {"a": 1.0, "b": 2.0, "c": 3.0},
    )
    assert [(row.place, row.name) for row in rows] == [(1, "b"), (1, "c"), (3, "a")]


def test_of_equal_points_fewer_forfeits_are_better() -> None:
    rows = table(
        result({"a": 1, "c": 2}, forfeited=("c",)),
        result({"c": 1, "a": 2}),
        result({"b": 1, "d": 2}),
        result({"d": 1, "b": 2}),
    )
    assert {name: row.place for name, row in rows.items()} == {"a": 1, "b": 1, "c": 4, "d": 1}


def test_points_decide_and_not_points_per_game() -> None:
    rows = table(
        result({"a": 1, "b": 2}),
        result({"b": 1, "c": 2}),
        result({"b": 1, "c": 2}),
    )
    assert (rows["b"].place, rows["a"].place) == (1, 2)


def test_a_walkover_is_a_point_for_the_bot_that_was_there() -> None:
    walkover = Walkover(("a", "b"), {"b": "not_ready"})
    a, b = tabulate(["a", "b"], [], dict.fromkeys("ab", 1500.0), walkovers=[walkover])
    assert (a.points, a.walkovers, a.missed, a.forfeits) == (1.0, 1, 0, 0)
    assert (b.points, b.walkovers, b.missed, b.forfeits) == (0.0, 0, 1, 1)


def test_a_match_that_both_missed_is_a_point_for_neither() -> None:
    walkover = Walkover(("a", "b"), {"a": "absent", "b": "withdrawn"})
    rows = tabulate(["a", "b"], [], dict.fromkeys("ab", 1500.0), walkovers=[walkover])
    assert [row.points for row in rows] == [0.0, 0.0]


def test_two_bots_that_were_there_get_a_point_each_for_the_third_one() -> None:
    assert Walkover(("a", "b", "c"), {"c": "absent"}).points() == {"a": 1.0, "b": 1.0, "c": 0.0}


def test_withdrawn_bot_stands_behind_at_equal_points() -> None:
    results = [result({"a": 1, "b": 1}), result({"b": 1, "c": 1}), result({"c": 1, "a": 1})]
    rows = tabulate(["a", "b", "c"], results, dict.fromkeys("abc", 1500.0), gone={"a"})
    assert [(row.place, row.name) for row in rows] == [(1, "b"), (1, "c"), (3, "a")]


def test_at_equal_points_a_bot_that_never_played_stands_behind() -> None:
    walkovers = [Walkover(("a", "c"), {"c": "absent"})]
    results = [result({"b": 1, "d": 2})]
    rows = tabulate(list("abcd"), results, dict.fromkeys("abcd", 1500.0), walkovers=walkovers)
    assert [row.name for row in rows] == ["b", "a", "d", "c"]


def test_a_bot_without_games_is_listed_with_its_rating() -> None:
    (row,) = tabulate(["a"], [], {"a": 1500.0})
    assert Standing(1, "a", 0.0, 0, 0, 0, 0, 0, 1500.0) == row


def test_three_players_with_equal_points_are_ordered_by_the_first_ranks_that_are_shown() -> None:
    rows = table(
        result({"a": 1, "b": 1, "c": 3}),
        result({"a": 1, "b": 1, "c": 3}),
        result({"d": 1, "c": 2, "b": 3}),
        result({"c": 1, "d": 2, "b": 3}),
    )
    shown = {name: (row.points, row.places) for name, row in rows.items()}
    assert shown == {
        "a": (3.0, (2, 0, 0)),
        "b": (3.0, (2, 0, 2)),
        "c": (3.0, (1, 1, 2)),
        "d": (3.0, (1, 1, 0)),
    }
    assert {name: row.place for name, row in rows.items()} == {"a": 1, "b": 1, "c": 3, "d": 3}


def test_bot_that_was_never_ready_stands_behind_one_with_equal_points() -> None:
    last = MatchResult(("a", "b", "c"), (1, 2, 3), (False, False, True), ("c",))
    lost = MatchResult(("a", "b", "d"), (1, 2, 3), (False, False, True))
    rows = table(last, lost)
    assert (rows["d"].points, rows["c"].points) == (0, 0)
    assert (rows["d"].place, rows["c"].place) == (3, 4)
