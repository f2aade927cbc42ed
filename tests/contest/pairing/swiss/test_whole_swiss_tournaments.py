"""Whole Swiss tournaments with bots that leave, enter late and miss meetings, against a checker.

The checker knows no weights: it goes through all complete pairings of a round, by the set of those
who are still to be paired.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations

import pytest

from polynya_contest.pairing.formats.interface import Entrant, PlayedBlock, by_players
from polynya_contest.pairing.formats.swiss.swiss import Swiss, SwissParameters
from polynya_contest.pairing.standings import MatchResult, Round, Walkover

ROUNDS = 5
SYSTEMS = pytest.mark.parametrize("double", [False, True])


@dataclass
class Tournament:
    """A tournament as it goes on, and all that a checker must know of it."""

    dice: random.Random
    size: int
    double: bool
    entrants: list[Entrant] = field(default_factory=list)
    blocks: list[PlayedBlock] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.entrants = [Entrant(f"b{number}") for number in range(1, self.size + 1)]
        self.forbidden = frozenset(self.dice.sample([one.name for one in self.entrants], 2))

    @property
    def format(self) -> Swiss:
        """As it is with the bots that are known now."""
        byes = {"b1": [2]}
        plan = SwissParameters(ROUNDS, 1, ("buchholz",), {self.forbidden}, byes, double=self.double)
        return Swiss(self.entrants, plan)

    @property
    def met(self) -> set[frozenset[str]]:
        """The pairs that have played each other."""
        return {frozenset(block.players) for block in self.blocks if block.results}

    def scores(self) -> dict[str, float]:
        """Of all bots, before the next round."""
        merits = self.format.merits(self.blocks)
        return {name: merit.order[0] for name, merit in merits.items()}

    def here(self, number: int) -> list[str]:
        """The bots that are to be paired in a round."""
        names = [one.name for one in self.entrants if one.plays_in(number)]
        return [name for name in names if (name, number) != ("b1", 2)]

    def edit(self, number: int) -> None:
        """Let a bot leave and one enter before a round, or not."""
        if self.dice.random() < 0.3:
            place = self.dice.randrange(len(self.entrants))
            if self.entrants[place].withdrawn is None:
                self.entrants[place] = replace(self.entrants[place], withdrawn=number)
        if self.dice.random() < 0.3:
            name = f"b{len(self.entrants) + 1}"
            missed = self.dice.choice([0.0, 0.5])
            self.entrants.append(Entrant(name, entered=number, missed=missed))

    def play(self, number: int) -> list[tuple[str, ...]]:
        """Draw a round and play it; a bot now and then is absent. The pairs."""
        drawn = self.format.next_blocks(self.blocks)
        for block in drawn:
            one, other = seats = block.players
            if self.dice.random() < 0.1:
                missing = {self.dice.choice(seats): "absent"}
                walkovers = (Walkover(seats, missing), Walkover((other, one), missing))
                self.blocks.append(PlayedBlock(block.key, seats, (), walkovers))
                continue
            results = tuple(
                MatchResult(order, self.dice.choice([(1, 2), (2, 1), (1, 1)]), (False, False))
                for order in ((one, other), (other, one))
            )
            self.blocks.append(PlayedBlock(block.key, seats, results))
        assert {number} >= {block.round for block in drawn}
        return [block.players for block in drawn]


def rounds_of(
    seed: int, size: int, *, double: bool
) -> Iterator[tuple[Tournament, int, Sequence[tuple[str, ...]]]]:
    """Before each round the tournament, and the pairs that it draws then."""
    tournament = Tournament(random.Random(seed), size, double)
    for number in range(1, ROUNDS + 1):
        tournament.edit(number)
        before = replace_blocks(tournament)
        pairs = tournament.play(number)
        if not pairs:
            return
        yield before, number, pairs


def replace_blocks(tournament: Tournament) -> Tournament:
    before = Tournament(random.Random(0), tournament.size, tournament.double)
    before.forbidden = tournament.forbidden
    before.entrants, before.blocks = list(tournament.entrants), list(tournament.blocks)
    return before


@SYSTEMS
@pytest.mark.parametrize("size", [10, 17, 24, 40])
def test_only_bots_that_are_there_meet_and_no_two_twice(size: int, double: bool) -> None:
    for seed in range(4):
        for before, number, pairs in rounds_of(seed, size, double=double):
            seated = Counter(name for pair in pairs for name in pair)
            here = before.here(number)
            assert set(seated.values()) == {1}
            assert set(here) >= set(seated)
            assert len(pairs) == len(here) // 2
            drawn = {frozenset(pair) for pair in pairs}
            assert drawn.isdisjoint(before.met | {before.forbidden})


@SYSTEMS
@pytest.mark.parametrize("size", [10, 17, 24, 40])
def test_no_bot_has_two_byes_or_one_after_a_walkover(size: int, double: bool) -> None:
    for seed in range(4):
        tournament = Tournament(random.Random(seed), size, double)
        for number in range(1, ROUNDS + 1):
            tournament.edit(number)
            tournament.play(number)
        given: Counter[str] = Counter()
        for played in tournament.format.rounds(tournament.blocks):
            byes = byes_of(played)
            assert not [name for name in byes if given[name]]
            given.update(byes)
            given.update(walkovers_won(tournament, played.number))


def byes_of(played: Round) -> list[str]:
    return [meeting.players[0] for meeting in played.meetings if meeting.note == "bye"]


def walkovers_won(tournament: Tournament, number: int) -> Iterator[str]:
    blocks = [block for block in tournament.blocks if block.round == number and block.walkovers]
    for (one, other), (block, *_) in by_players(blocks).items():
        yield other if one in block.walkovers[0].missing else one


@pytest.mark.parametrize("size", [8, 9, 10, 11])
def test_as_many_as_possible_of_the_top_score_group_meet_each_other(size: int) -> None:
    # C.04.3: the bye goes to the least score that allows a complete pairing; then the first
    # bracket has the most pairs that leave the rest a complete pairing.
    for seed in range(6):
        for before, number, pairs in rounds_of(seed, size, double=False):
            here = before.here(number)
            if len(here) % 2:
                continue
            scores = before.scores()
            top = max(scores[name] for name in here)
            inner = sum({scores[one], scores[other]} == {top} for one, other in pairs)
            assert most_inner_pairs(before, here, scores, top) == inner


@pytest.mark.parametrize("size", [31, 40, 64])
def test_no_two_bots_float_down_that_could_have_met_instead(size: int) -> None:
    # C.04.3, [C6]: as few as possible float down from each bracket. Two that both float below it
    # and may meet, while their opponents may meet too, would be one pair more in it.
    floated = 0
    for seed in range(4):
        for before, _, pairs in rounds_of(seed, size, double=False):
            scores, barred = before.scores(), before.met | {before.forbidden}
            down = [
                (one, other) if scores[one] > scores[other] else (other, one)
                for one, other in pairs
                if scores[one] != scores[other]
            ]
            floated += len(down)
            assert [
                (one, other)
                for one, other in combinations(down, 2)
                if min(scores[one[0]], scores[other[0]]) > max(scores[one[1]], scores[other[1]])
                and frozenset({one[0], other[0]}) not in barred
                and frozenset({one[1], other[1]}) not in barred
            ] == []
    assert floated > 0


def most_inner_pairs(
    before: Tournament, here: Sequence[str], scores: dict[str, float], top: float
) -> int | None:
    """The most pairs within the top score group in any complete pairing of the round."""
    barred = before.met | {before.forbidden}

    @cache
    def most(left: frozenset[str]) -> int | None:
        if not left:
            return 0
        first = min(left)
        found = [
            (scores[first] == scores[other] == top) + rest
            for other in left - {first}
            if frozenset({first, other}) not in barred
            and (rest := most(left - {first, other})) is not None
        ]
        return max(found, default=None)

    return most(frozenset(here))
