"""The ladder's pairing: what tells most, with a minimum for all, nobody starved, and reasons."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polynya_contest.ratings.elo import Q
from polynya_contest.ratings.model import RatingSettings, Strength
from polynya_tournaments.ladder.matchmaking import MOST_COMPARED, Choice, Matchmaker, information
from polynya_tournaments.ladder.pairing_history import PairingHistory

EQUAL = "abcdefghijklmnopqrst"
NOBODY: Mapping[str, Strength] = {}
SETTLED = Strength(1500, 40, 500)


class Field:
    """Bots that are free, but for those that play; each match is over when the next one begins."""

    def __init__(self, players: int = 2, seat_games: int = 0, seed: int = 1) -> None:
        self.history = PairingHistory()
        self.maker = Matchmaker(players, seat_games, RatingSettings(), seed, self.history)
        self.free = self.maker.free_bots()

    def are_free(self, names: Iterable[str]) -> None:
        """These are free, and no others."""
        for name in set(self.free.by_wait.first()) - set(names):
            self.free.remove(name)
        for name in sorted(set(names) - set(self.free.by_wait.first())):
            self.free.add(name)

    def plays(self, players: Sequence[str]) -> None:
        """A match begins; its players are free again at once if they were before."""
        free = [name for name in players if name in self.free]
        for name in free:
            self.free.remove(name)
        self.history.add(players)
        for name in free:
            self.free.add(name)

    def next_match(
        self, free: Iterable[str], others: int = 0, strengths: Mapping[str, Strength] = NOBODY
    ) -> Choice | None:
        """The next match, if these are free."""
        self.are_free(free)
        return self.maker.next_match(self.free, others, strengths)

    def choice(self, free: Iterable[str], strengths: Mapping[str, Strength] = NOBODY) -> Choice:
        """The same, where there is to be one."""
        found = self.next_match(free, 0, strengths)
        assert found is not None
        return found


def played(
    names: str,
    players: int,
    matches: int,
    seed: int = 1,
    seat_games: int = 3,
    strengths: Mapping[str, Strength] = NOBODY,
) -> list[Choice]:
    """What is played when one match is played after the other."""
    field, begun = Field(players, seat_games, seed), []
    for _ in range(matches):
        begun.append(field.choice(names, strengths))
        field.plays(begun[-1].players)
    return begun


def test_information_gain_of_a_match() -> None:
    # Equals of deviation 200: p = 1/2, v = 2 * (200 ln 10 / 400)² = 2.651, so
    # log2(1 + 2.651 / 4) / 2 = 0.3668 bits.
    equals = Strength(1500, 200, 9)
    assert information(equals, equals, Q) == pytest.approx(0.3668, abs=5e-5)


@given(st.floats(40, 350), st.floats(40, 350), st.floats(0, 2000), st.floats(1, 2000))
def test_close_and_uncertain_pairs_give_more_information(
    one: float, other: float, apart: float, further: float
) -> None:
    near = information(Strength(0, one, 0), Strength(apart, other, 0), Q)
    far = information(Strength(0, one, 0), Strength(apart + further, other, 0), Q)
    assert far <= near
    known = information(Strength(0, one / 2, 0), Strength(0, other / 2, 0), Q)
    assert known < information(Strength(0, one, 0), Strength(0, other, 0), Q)


def test_too_few_free_bots_make_no_match() -> None:
    assert Field(3).next_match("ab", others=5) is None


def test_the_only_ones_play_and_the_sentence_says_so() -> None:
    assert str(Field().choice("ab").why) == "a and b were the only free bots"


def test_two_that_have_just_met_wait_for_a_third_that_is_busy() -> None:
    field = Field()
    field.plays("ab")
    assert field.next_match("ab", others=1) is None


def test_two_that_are_alone_play_on_with_their_seats_swapped() -> None:
    field = Field()
    field.plays("ab")
    assert field.choice("ab").players == ("b", "a")


def test_the_uncertain_and_close_are_paired_once_all_have_played() -> None:
    strengths = {
        "a": SETTLED,
        "b": SETTLED,
        "c": Strength(1500, 120, 20),
        "d": Strength(2300, 120, 20),
        "e": Strength(1510, 110, 20),
    }
    choice = Field().choice("abcde", strengths)
    assert set(choice.players) == {"c", "e"}
    assert str(choice.why) == (
        "a match of c and e tells most: 0.14 bits are expected, "
        "with ratings of 1500 ± 235 and 1510 ± 216"
    )


def test_group_of_three_is_completed_by_the_most_informative_bot() -> None:
    strengths = dict.fromkeys("abcd", SETTLED) | {
        "a": Strength(1500, 200, 9),
        "d": Strength(1600, 90, 9),
    }
    assert {"a", "d"} <= set(Field(3).choice("abcd", strengths).players)


def test_bots_with_few_matches_come_before_information_gain() -> None:
    field = Field(seat_games=3)
    for pair in ["ab", "bc", "ca", "ba", "cb", "ac"] * 3:
        field.plays(pair)
    uncertain = {"a": Strength(1500, 300, 5), "b": Strength(1500, 300, 5)}
    choice = field.choice("abcd", uncertain)
    assert "d" in choice.players
    assert str(choice.why).startswith(
        "d is to play at each seat 3 times first, and was only 0 times at one of them; "
    )


def test_bot_passed_over_for_long_comes_first_with_that_reason() -> None:
    field = Field()
    field.are_free("abcd")
    for pair in ("ab", "ba", "ab", "ba"):
        field.plays(pair)
    strengths = dict.fromkeys("ab", Strength(1500, 300, 5)) | dict.fromkeys("cd", SETTLED)
    choice = field.choice("abcd", strengths)
    [waiting] = set("cd") & set(choice.players)
    assert str(choice.why).startswith(f"{waiting} was free while 4 matches began without it; ")


def test_a_bot_goes_on_waiting_where_it_stopped_when_it_is_free_again() -> None:
    field = Field()
    field.are_free("abcd")
    for pair in ("ab", "ba", "ab"):
        field.plays(pair)
    field.are_free("abc")
    field.plays("ab")
    field.are_free("abcd")
    field.plays("ab")
    assert [field.history.waited(name) for name in "abcd"] == [0, 0, 5, 4]


FREE = st.lists(st.frozensets(st.sampled_from("abcdefg"), min_size=2), min_size=60, max_size=60)
STRENGTH = st.builds(Strength, st.floats(500, 2500), st.floats(37, 350), st.just(9))


@settings(max_examples=60)
@given(
    players=st.integers(2, 4),
    seat_games=st.integers(0, 2),
    sets=FREE,
    strengths=st.fixed_dictionaries(dict.fromkeys("abcdefg", STRENGTH)),
)
def test_waiting_is_bounded_for_bots_that_come_and_go(
    players: int, seat_games: int, sets: list[frozenset[str]], strengths: dict[str, Strength]
) -> None:
    passed_over = Counter[str]()
    field = Field(players, seat_games)
    for free in sets * 3:
        choice = field.next_match(free, 1, strengths)
        if choice is None:
            continue
        field.plays(choice.players)
        passed_over.update(free)
        for name in choice.players:
            passed_over[name] = 0
        assert passed_over == Counter({n: field.history.waited(n) for n in passed_over})
        assert max(passed_over.values()) < 2 * 7


@settings(max_examples=10, deadline=None)
@given(players=st.integers(2, 4), seed=st.integers(0, 9))
def test_waiting_is_bounded_among_more_bots_than_are_compared(players: int, seed: int) -> None:
    bots = 3 * MOST_COMPARED
    names = [f"bot-{number}" for number in range(bots)]
    # By information alone only the first four would play.
    strengths = dict.fromkeys(names, SETTLED) | dict.fromkeys(names[:4], Strength(1500, 350, 0))
    field, longest = Field(players, 0, seed), 0
    for _ in range(6 * bots):
        field.plays(field.choice(names, strengths).players)
        longest = max(longest, field.free.longest_wait)
    assert longest < 2 * bots


def test_bots_get_equally_many_matches_though_they_tell_differently_much() -> None:
    ratings = {name: Strength(900 + 60 * number, 40, 99) for number, name in enumerate(EQUAL)}
    strengths = ratings | {EQUAL[0]: Strength(1500, 300, 9), EQUAL[1]: Strength(1500, 200, 9)}
    begun = played(EQUAL, 2, 1_000, seat_games=0, strengths=strengths)
    counts = Counter(name for choice in begun for name in choice.players)
    assert all(90 <= counts[name] <= 110 for name in EQUAL), counts


def test_bot_that_comes_late_catches_up_no_matches_at_the_cost_of_others() -> None:
    field = Field()
    for _ in range(200):
        field.plays(field.choice("abcdef").players)
    begun = []
    for _ in range(70):
        begun.append(field.choice("abcdefg").players)
        field.plays(begun[-1])
    assert sum("g" in players for players in begun) <= 22


def test_hopeless_bot_still_plays() -> None:
    hopeless = dict.fromkeys("abcde", SETTLED) | {"f": Strength(0, 40, 500)}
    matches = played("abcdef", 2, 120, seat_games=0, strengths=hopeless)
    games = Counter(name for choice in matches for name in choice.players)
    assert games["f"] >= 120 // 12


@given(bots=st.integers(3, 8), seed=st.integers(0, 9))
def test_same_pair_is_not_drawn_twice_in_a_row(bots: int, seed: int) -> None:
    matches = played("abcdefgh"[:bots], 2, 40, seed)
    for before, after in itertools.pairwise(matches):
        assert set(before.players) != set(after.players)


@given(players=st.integers(2, 4), bots=st.integers(5, 8), seed=st.integers(0, 9))
def test_all_have_been_at_each_seat_before_information_decides(
    players: int, bots: int, seed: int
) -> None:
    names = "abcdefgh"[:bots]
    # The ratings say that only a and b are worth watching.
    strengths = dict.fromkeys(names, SETTLED) | dict.fromkeys("ab", Strength(1500, 350, 0))
    matches = played(names, players, 3 * bots + 40, seed, 2, strengths)
    decided = next(n for n, choice in enumerate(matches) if "tells most" in str(choice.why))
    seats = Counter((n, seat) for c in matches[:decided] for seat, n in enumerate(c.players))
    assert min(seats[name, seat] for name in names for seat in range(players)) >= 2


@given(players=st.integers(2, 5), bots=st.integers(5, 8), seed=st.integers(0, 9))
def test_seats_are_shared_out_evenly(players: int, bots: int, seed: int) -> None:
    matches = played("abcdefgh"[:bots], players, 100, seed)
    seats = Counter((name, seat) for choice in matches for seat, name in enumerate(choice.players))
    for name in "abcdefgh"[:bots]:
        counts = [seats[name, seat] for seat in range(players)]
        assert max(counts) - min(counts) <= 3


def test_a_bot_of_a_large_match_has_each_seat_in_turn() -> None:
    matches = played("abcdefghijklmnop", 16, 32)
    seats = Counter((name, seat) for choice in matches for seat, name in enumerate(choice.players))
    assert Counter(dict.fromkeys(itertools.product("abcdefghijklmnop", range(16)), 2)) == seats


@given(bots=st.integers(4, 8), seed=st.integers(0, 9))
def test_all_bots_meet_each_other(bots: int, seed: int) -> None:
    met = {frozenset(choice.players) for choice in played("abcdefgh"[:bots], 2, 80, seed)}
    assert len(met) == bots * (bots - 1) // 2


def test_the_same_seed_gives_the_same_matches_and_another_one_others() -> None:
    assert played("abcdef", 3, 30, seed=4) == played("abcdef", 3, 30, seed=4)
    assert played("abcdef", 3, 30, seed=4) != played("abcdef", 3, 30, seed=5)


def test_of_very_many_free_bots_some_are_compared() -> None:
    names = [f"bot-{number}" for number in range(500)]
    assert len(set(Field().choice(names).players)) == 2


def test_ratings_as_far_apart_as_can_be_do_no_harm() -> None:
    told = information(Strength(-1e6, 40, 9), Strength(1e6, 40, 9), Q)
    assert 0 <= told < 1e-6
    assert math.isfinite(told)
