"""The ladder's rotation: fair in games, opponents and seats, and the same for the same seed."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from polynya_tournaments.rotation import History, next_match


def played(names: str, players: int, matches: int, seed: int = 1) -> list[tuple[str, ...]]:
    """What is played when one match is played after the other."""
    history, begun = History(), []
    for _ in range(matches):
        match = next_match(names, 0, players, history, seed)
        assert match is not None
        history.add(match)
        begun.append(match)
    return begun


def test_too_few_free_bots_make_no_match() -> None:
    assert next_match("ab", 5, 3, History(), 1) is None


def test_who_has_played_least_comes_first() -> None:
    history = History()
    history.add(("a", "b"))
    match = next_match("abc", 0, 2, history, 1)
    assert match is not None
    assert "c" in match


def test_who_has_waited_longest_comes_before_who_has_just_played() -> None:
    history = History()
    for match in (("a", "b"), ("c", "d")):
        history.add(match)
    found = next_match("abcd", 0, 2, history, 1)
    assert found is not None
    assert set(found) & {"a", "b"}


def test_two_that_have_just_met_wait_for_a_third_that_is_busy() -> None:
    history = History()
    history.add(("a", "b"))
    assert next_match("ab", 1, 2, history, 1) is None


def test_two_that_are_alone_play_on_with_their_seats_swapped() -> None:
    history = History()
    history.add(("a", "b"))
    assert next_match("ab", 0, 2, history, 1) == ("b", "a")


@given(bots=st.integers(3, 8), seed=st.integers(0, 9))
def test_nobody_meets_the_same_bot_twice_in_a_row_where_there_are_others(
    bots: int, seed: int
) -> None:
    matches = played("abcdefgh"[:bots], 2, 40, seed)
    for before, after in itertools.pairwise(matches):
        assert set(before) != set(after)


@given(players=st.integers(2, 4), bots=st.integers(4, 8), seed=st.integers(0, 9))
def test_all_have_played_equally_often_but_for_one(players: int, bots: int, seed: int) -> None:
    names = "abcdefgh"[:bots]
    games = Counter(name for match in played(names, players, 50, seed) for name in match)
    assert max(games.values()) - min(games[name] for name in names) <= 1


@given(players=st.integers(2, 4), bots=st.integers(4, 8), seed=st.integers(0, 9))
def test_seats_are_shared_out_evenly(players: int, bots: int, seed: int) -> None:
    matches = played("abcdefgh"[:bots], players, 100, seed)
    seats = Counter((name, seat) for match in matches for seat, name in enumerate(match))
    for name in "abcdefgh"[:bots]:
        counts = [seats[name, seat] for seat in range(players)]
        assert max(counts) - min(counts) <= 3


@given(bots=st.integers(4, 8), seed=st.integers(0, 9))
def test_everybody_meets_everybody(bots: int, seed: int) -> None:
    met = {frozenset(match) for match in played("abcdefgh"[:bots], 2, 60, seed)}
    assert len(met) == bots * (bots - 1) // 2


def test_the_same_seed_gives_the_same_rotation_and_another_one_another() -> None:
    assert played("abcdef", 3, 20, seed=4) == played("abcdef", 3, 20, seed=4)
    assert played("abcdef", 3, 20, seed=4) != played("abcdef", 3, 20, seed=5)
