"""Among whom a ladder pairs: what an entrant that does not play costs those who do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polynya_contest.conduct import Conduct, ConductEntry
from polynya_contest.ratings.model import RatingSettings
from polynya_tournaments.ladder.matchmaking import Choice, Matchmaker
from polynya_tournaments.ladder.pairing_history import PairingHistory
from polynya_tournaments.ladder.present_bots import FairShare, PresentBots, Standing
from polynya_tournaments.ladder.trust import FIRST_PAUSE_S, Trust


def outcome(bot: str, *, fault: bool, result: bool = True) -> ConductEntry:
    return ConductEntry(
        bot=bot, fault=fault, result=result, finished=result and not fault, ended_ms=0, match=""
    )


class Field:
    """Some bots, of whom the capital ones have proven themselves; and a clock."""

    def __init__(self, names: str, players: int = 2, seat_games: int = 3, seed: int = 1) -> None:
        self.now_s = 0.0
        self.history = PairingHistory()
        self.maker = Matchmaker(players, seat_games, RatingSettings(), seed, self.history)
        self.bots = PresentBots(self.history, FairShare(64, players), self.maker.free_bots)
        self.conduct = {name: Conduct() for name in names}
        for name in filter(str.isupper, names):
            self.conduct[name].note(outcome(name, fault=False))
        self.trust = Trust(players, 64, self.conduct.__getitem__, lambda: self.now_s)

    def are_free(self, free: Iterable[str]) -> None:
        """These bots are there and free, and no others."""
        for name, conduct in self.conduct.items():
            at_fault = conduct.in_a_row > 0
            standing = Standing(1, True, 0, conduct.proven, at_fault)
            self.bots.update(name, standing if name in free else None)

    def groups(self, free: str) -> list[list[str]]:
        """Among whom to pair, the first group first."""
        self.are_free(free)
        groups = self.trust.groups(self.bots)
        return [sorted([*group.free.by_wait.first(), *group.joining]) for group in groups]

    def plays(self, players: str) -> None:
        """A match of bots that are free begins."""
        self.bots.begin(tuple(players))

    def choice(self, free: Iterable[str]) -> Choice | None:
        """The next match, which begins."""
        self.are_free(free)
        for group in self.trust.groups(self.bots):
            with group.free.joined_by(group.joining):
                choice = self.maker.next_match(group.free, group.others, {})
            if choice is not None:
                self.bots.begin(choice.players)
                return choice
        return None


def share_of(places: Mapping[str, int], slots: int) -> int:
    """The share of each of some bots in matches of two."""
    share = FairShare(slots, 2)
    for own in [7, *places.values()]:
        share.add(own)
    share.remove(7)
    return share.matches


@pytest.mark.parametrize(
    ("places", "slots", "share"),
    [
        ({"a": 1, "b": 1}, 64, 1),
        ({"a": 64, "b": 64}, 64, 64),
        ({"a": 64, "b": 64, "c": 64, "d": 64}, 4, 2),
        # What one has more places than all others have is of no use to them.
        ({"hog": 64} | dict.fromkeys("abcdefgh", 1), 64, 1),
        ({"hog": 64} | dict.fromkeys("abcd", 4), 64, 6),
        ({}, 64, 1),
    ],
)
def test_a_fair_share_in_numbers(places: dict[str, int], slots: int, share: int) -> None:
    assert share_of(places, slots) == share


@given(
    st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 64), min_size=1),
    st.integers(1, 100),
)
def test_the_share_counts_the_places_that_are_of_use(places: dict[str, int], slots: int) -> None:
    total = sum(places.values())
    of_use = sum(min(own, total - own) for own in places.values())
    assert share_of(places, slots) == max(1, min(2 * slots, of_use) // len(places))


def test_the_proven_and_the_others_are_paired_apart() -> None:
    found = Field("ABCxyz").groups("ABCxyz")
    assert found == [["A", "B", "C"], ["x", "y", "z"]]


def test_one_alone_among_few_has_a_trial_at_once() -> None:
    found = Field("ABx").groups("ABx")
    assert found[0] == ["A", "B", "x"]


def test_one_alone_among_many_waits_a_little_for_its_like() -> None:
    field = Field("ABCDEFGHx")
    assert "x" not in field.groups("ABCDEFGHx")[0]
    for _ in range(2):
        field.plays("AB")
        field.are_free("ABCDEFGHx")
    assert "x" in field.groups("ABCDEFGHx")[0]


def test_trials_follow_one_another() -> None:
    field = Field("ABxy")
    assert field.trust.begins(("A", "x"))
    assert "y" not in field.groups("ABy")[0]
    field.trust.trial_over(spoiled=False)
    assert "y" in field.groups("ABy")[0]


def test_unproven_bots_take_a_quarter_of_the_places() -> None:
    field = Field("ABxy")
    for _ in range(16):
        assert len(field.groups("ABxy")) == 2
        field.trust.begins(("x", "y"))
    assert field.groups("ABxy") == [["A", "B"]]
    field.trust.ends(2, 2, trial=False, spoiled=True)
    assert len(field.groups("ABxy")) == 2


def test_after_a_trial_that_was_spoiled_the_next_one_waits_for_longer_each_time() -> None:
    field = Field("ABx")
    for pause_s in (FIRST_PAUSE_S, 2 * FIRST_PAUSE_S):
        field.trust.begins(("A", "x"))
        field.trust.trial_over(spoiled=True)
        field.now_s += pause_s - 1
        assert "x" not in field.groups("ABx")[0]
        field.now_s += 1
        assert "x" in field.groups("ABx")[0]


def test_bot_that_only_met_absent_bots_has_a_trial_first() -> None:
    field = Field("ABCxyz")
    field.are_free("xy")
    field.plays("xy")
    field.conduct["y"].note(outcome("y", fault=True))
    assert field.groups("ABCxyz")[0] == ["A", "B", "C", "x"]


def test_proven_bots_play_any_bot_without_a_choice() -> None:
    field = Field("Ax")
    field.trust.begins(("A", "x"))
    field.trust.trial_over(spoiled=True)
    assert field.groups("Ax")[0] == ["A", "x"]


def test_a_fault_takes_a_bot_out_of_the_proven_until_it_has_played_again() -> None:
    conduct = Conduct()
    seen = []
    for fault in (False, True, False):
        conduct.note(outcome("a", fault=fault))
        seen.append(conduct.proven)
    assert seen == [True, False, True]


@settings(max_examples=60)
@given(st.data())
def test_no_bot_waits_for_two_rounds(data: st.DataObject) -> None:
    """Of M bots that are there, those who play are never passed over 2 M times in a row."""
    players = data.draw(st.integers(2, 4), "players")
    honest, hostile = "abcdefg", "tuvwxyz"[: data.draw(st.integers(0, 7), "hostile")]
    field = Field(honest + hostile, players, 1, data.draw(st.integers(0, 9), "seed"))
    passed_over: Counter[str] = Counter()
    names = honest + hostile
    for _ in range(150):
        field.now_s += 1
        resting = {n for n in hostile if field.conduct[n].in_a_row and data.draw(st.booleans())}
        free = set(names) - resting
        choice = field.choice(free)
        if choice is None:
            continue
        apart = not any(field.conduct[name].proven for name in choice.players)
        trial = field.trust.begins(choice.players)
        bad = [name for name in choice.players if name in hostile]
        for name in choice.players:
            field.conduct[name].note(outcome(name, fault=name in bad, result=not bad))
        newcomers = 0 if trial or not apart else players
        field.trust.ends(newcomers, players, trial=trial, spoiled=bool(bad))
        passed_over.update(set(honest) & free)
        for name in choice.players:
            passed_over[name] = 0
        assert max(passed_over.values()) < 2 * len(names)


@settings(max_examples=60)
@given(st.integers(2, 4), st.integers(0, 9), st.integers(1, 8))
def test_an_honest_newcomer_is_soon_proven_among_any_number_that_spoil(
    players: int, seed: int, hostile: int
) -> None:
    names = "ABCDEFn" + "stuvwxyz"[:hostile]
    field = Field(names, players, 1, seed)
    for _ in range(200):
        field.now_s += 1
        choice = field.choice(names)
        assert choice is not None, "nobody plays"
        apart = not any(field.conduct[name].proven for name in choice.players)
        trial = field.trust.begins(choice.players)
        bad = [name for name in choice.players if name in "stuvwxyz"]
        for name in choice.players:
            field.conduct[name].note(outcome(name, fault=name in bad, result=not bad))
        newcomers = 0 if trial or not apart else players
        field.trust.ends(newcomers, players, trial=trial, spoiled=bool(bad))
        if field.conduct["n"].proven:
            return
    raise AssertionError("it never was")
