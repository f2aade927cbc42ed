"""Brackets of all kinds, whatever happens: bots withdraw and are absent at any moment."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hypothesis import event, given
from hypothesis import strategies as st
from tests.contest.pairing.brackets.bracket_play import Contest, named, played

from polynya_contest.pairing.formats.brackets.knockout import DoubleElimination, Knockout
from polynya_contest.pairing.formats.brackets.series import Series
from polynya_contest.pairing.formats.interface import Entrant, Format, PlayedBlock
from polynya_contest.pairing.standings import ABSENT, NOT_READY, WITHDRAWN, Meeting

BEST_OF, TIE_BREAKS = 3, 1


@st.composite
def contests(draw: st.DrawFn) -> tuple[Contest, int]:
    """A contest of up to 20 bots in a random order of seeding, and the players of a match."""
    players = draw(st.sampled_from([2, 2, 2, 3, 4]))
    double = players == 2 and draw(st.booleans())
    third = players == 2 and draw(st.booleans())
    bots = draw(st.permutations(named(draw(st.integers(players, 20)))))

    def make(entrants: Sequence[Entrant]) -> Format:
        if double:
            return DoubleElimination(entrants, 2, Series("double", BEST_OF, TIE_BREAKS))
        series = Series("knockout", BEST_OF, TIE_BREAKS)
        return Knockout(entrants, players, series, third_place=third)

    return Contest(make, bots), players


class Mischief:
    """Random results, withdrawals and absences; plays a contest with them to its end."""

    def __init__(self, contest: Contest, chance: random.Random) -> None:
        self.contest = contest
        self.chance = chance
        self.often = chance.choice([0.0, 0.05, 0.3])
        self.withdrawn: set[str] = set()

    def play(self) -> None:
        """Play on to the end; whatever was decided before a withdrawal stays decided."""
        self._withdraw()
        while drawn := self.contest.draw():
            after = self.chance.randrange(len(drawn) + 1)
            leaving = self._some()
            for block in drawn[:after]:
                self.contest.blocks.append(played(block, self._ranks, self._missing(block.players)))
            self.contest.withdraw(leaving, during=drawn)
            self.withdrawn |= leaving
            for block in drawn[after:]:
                missing = self._missing(block.players) | dict.fromkeys(
                    self.withdrawn.intersection(block.players), WITHDRAWN
                )
                self.contest.blocks.append(played(block, self._ranks, missing))
            if self.contest.format.next_blocks(self.contest.blocks):
                self._withdraw()

    def _withdraw(self) -> None:
        leaving = self._some()
        self.contest.withdraw(leaving)
        self.withdrawn |= leaving

    def _some(self) -> set[str]:
        names = [one.name for one in self.contest.entrants if one.withdrawn is None]
        return {name for name in names if self.chance.random() < self.often}

    def _missing(self, players: Sequence[str]) -> dict[str, str]:
        absent = [name for name in players if self.chance.random() < self.often]
        return {name: self.chance.choice([ABSENT, NOT_READY]) for name in absent}

    def _ranks(self, seats: tuple[str, ...]) -> list[int]:
        drawn = [self.chance.randrange(3) for _ in seats]
        return [1 + sum(other < rank for other in drawn) for rank in drawn]


def meetings(contest: Contest) -> list[tuple[int, Meeting]]:
    return [
        (round_.number, meeting)
        for round_ in contest.format.rounds(contest.blocks)
        for meeting in round_.meetings
    ]


def by_meeting(contest: Contest) -> dict[tuple[int, frozenset[str]], list[PlayedBlock]]:
    """The blocks of each meeting, by its round and its players."""
    found: dict[tuple[int, frozenset[str]], list[PlayedBlock]] = {}
    for block in contest.blocks:
        found.setdefault((block.round, frozenset(block.players)), []).append(block)
    return found


def finished(given_contest: tuple[Contest, int], seed: int) -> Contest:
    contest, _ = given_contest
    mischief = Mischief(contest, random.Random(seed))
    mischief.play()
    event(f"{len(mischief.withdrawn)} withdrew")
    return contest


def whatever_happens(test: Any) -> Any:
    """A random contest, and the seed of all that happens in it."""
    return given(contests(), st.integers(0, 2**32))(test)


@whatever_happens
def test_bracket_ends_after_a_bounded_number_of_blocks(
    given_contest: tuple[Contest, int], seed: int
) -> None:
    contest = finished(given_contest, seed)
    assert len(contest.blocks) <= 2 * len(contest.entrants) * (BEST_OF + TIE_BREAKS)


@whatever_happens
def test_a_bot_that_goes_on_was_there(given_contest: tuple[Contest, int], seed: int) -> None:
    contest = finished(given_contest, seed)
    met = by_meeting(contest)
    missed = {
        (number, name)
        for (number, players), blocks in met.items()
        for name in players
        if not any(block.results for block in blocks)
        and all(name in walkover.missing for block in blocks for walkover in block.walkovers)
    }
    went_on = {
        (number, name)
        for number, meeting in meetings(contest)
        for name in meeting.advancing
        if meeting.note != "bye"
    }
    assert went_on & missed == set()


@whatever_happens
def test_a_bot_that_has_withdrawn_meets_no_other_bot(
    given_contest: tuple[Contest, int], seed: int
) -> None:
    contest = finished(given_contest, seed)
    since = {one.name: one.withdrawn for one in contest.entrants if one.withdrawn is not None}
    late = [
        block.key
        for block in contest.blocks
        for name in block.players
        if name in since and block.round > since[name]
    ]
    assert late == []


@whatever_happens
def test_bracket_has_one_winner_or_a_verdict_without(
    given_contest: tuple[Contest, int], seed: int
) -> None:
    contest = finished(given_contest, seed)
    verdict = contest.format.verdict(contest.blocks)
    assert (contest.winner() is None) == str(verdict).endswith("there is no winner")
    if contest.winner() is not None:
        assert contest.places()[0] == [contest.winner()]


@whatever_happens
def test_bracket_is_drawn_again_from_its_record(
    given_contest: tuple[Contest, int], seed: int
) -> None:
    contest = finished(given_contest, seed)
    before, matches = 0, 0
    while drawn := contest.make(there(contest, matches)).next_blocks(contest.blocks[:before]):
        after = before + len(drawn)
        assert [block.key for block in contest.blocks[before:after]] == [b.key for b in drawn]
        before, matches = after, matches + sum(len(block.players) for block in drawn)
    assert before == len(contest.blocks)


def there(contest: Contest, matches: int) -> list[Entrant]:
    """The entrants as they were when so many matches had been drawn."""
    return [
        one
        if one.withdrawn_after is None or one.withdrawn_after <= matches
        else Entrant(one.name, one.rating)
        for one in contest.entrants
    ]
