"""Matchmaking: the next match is the one that tells most, and no bot waits too long.

What a match between two bots tells is the information that its result is expected to give on their
difference, in bits: much if the ratings are uncertain, and if they are close. The same pair again
tells of that pair rather than of the field, so what it tells counts in full only after the two have
played others for a while.

Information decides when all bots have been at each seat often enough; and a bot that was free
while as many matches were begun as there are free bots comes first, whatever it tells. So of M bots
none waits for 2 M matches: for a bot to get from M + j - 1 to M + j, one that has waited at least
as long must be chosen before it and begin anew; so at most M - j bots ever reach M + j.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from polynya_tournaments.ladder.pairing_history import PairingHistory
from polynya_tournaments.pairing.designs import rotations
from polynya_tournaments.ratings.model import NORMAL_95, RatingSettings, Strength
from polynya_tournaments.text import join_words

MOST_COMPARED = 32
"""If more bots are free, this many are drawn by lot: it bounds the time of a choice."""

_MOST_PERMUTED = 6


@dataclass(frozen=True, slots=True)
class Choice:
    """The next match: its bots by seat, and in a sentence why they were chosen."""

    players: tuple[str, ...]
    why: str


def information(one: Strength, other: Strength, logit: float) -> float:
    """What a match of two is expected to tell about their difference, in bits.

    By the normal approximation, whose variance v the Fisher information p (1 - p) of the result
    makes 1 / (1 / v + p (1 - p)); p is the expected score as in Glicko, which takes v into account.

    Args:
        one: the strength of the one.
        other: that of the other.
        logit: how much their rating counts on the logistic scale: ln 10 / 400 with Elo.
    """
    variance = (one.deviation**2 + other.deviation**2) * logit**2
    attenuated = (one.rating - other.rating) * logit / math.sqrt(1 + 3 * variance / math.pi**2)
    score = 1 / (1 + math.exp(-max(-700.0, min(700.0, attenuated))))
    return math.log2(1 + variance * score * (1 - score)) / 2


class Matchmaker:
    """Chooses matches; the same ones from the same history, ratings and seed.

    Args:
        players: the number of players of a match.
        seat_games: matches a bot plays in each seat before information decides.
        rating: how the ratings are made.
        seed: decides what is equal otherwise.
    """

    def __init__(self, players: int, seat_games: int, rating: RatingSettings, seed: int) -> None:
        self._players = players
        self._seat_games = seat_games
        self._rating = rating
        self._seed = seed

    def next_match(
        self,
        free: Collection[str],
        others: int,
        history: PairingHistory,
        strengths: Mapping[str, Strength],
    ) -> Choice | None:
        """The next match, None if there is to be none yet.

        Bots that have just played each other wait for another one to become free, if there is one.

        Args:
            free: the names of the bots that could play now.
            others: how many more bots will be free, but are not now.
            history: what has been played.
            strengths: the bots' present ratings; those left out have none yet.
        """
        if len(free) < self._players:
            return None
        group, why = _Round(self, sorted(free), history, strengths).choose()
        if others and history.has_just_met(group):
            return None
        return Choice(_seated(group, history), why)

    @property
    def players(self) -> int:
        """Of a match."""
        return self._players

    @property
    def seat_games(self) -> int:
        """The fewest matches at a seat before information decides."""
        return self._seat_games

    def strength(self, name: str, strengths: Mapping[str, Strength]) -> Strength:
        """A bot's rating, or what it begins with."""
        return strengths.get(name) or self._rating.before_games(name)

    def bits(self, one: Strength, other: Strength) -> float:
        """What a match of the two is expected to tell."""
        return information(one, other, self._rating.logit)

    def lot(self, name: str, number: int) -> bytes:
        """What is drawn for a bot before the match of this number."""
        return hashlib.sha256(f"{self._seed}\n{number}\n{name}".encode()).digest()


class _Round:
    """One choice among the bots that are free."""

    def __init__(
        self,
        maker: Matchmaker,
        free: list[str],
        history: PairingHistory,
        strengths: Mapping[str, Strength],
    ) -> None:
        self._maker = maker
        self._free = free
        self._history = history
        self._strengths = {name: maker.strength(name, strengths) for name in free}
        self._lots = {name: maker.lot(name, history.matches) for name in free}
        self._compared = sorted(sorted(free, key=self._lots.__getitem__)[:MOST_COMPARED])

    def choose(self) -> tuple[list[str], str]:
        """The bots of the next match, in any order, and why."""
        if len(self._free) == self._maker.players:
            return self._free, f"{join_words(self._free)} were the only ones that were free"
        history = self._history
        patient = max(self._free, key=lambda name: (history.waited[name], self._lots[name]))
        if history.waited[patient] >= len(self._free):
            return self._around(patient)
        seats, least = self._maker.players, self._maker.seat_games
        new = [name for name in self._free if history.fewest_at_a_seat(name, seats) < least]
        if new:
            return self._with_new(min(new, key=self._turn))
        return self._most_informative()

    def _turn(self, name: str) -> tuple[int, int, bytes]:
        """The order of new bots: fewest matches first, then the longest wait."""
        history = self._history
        return history.games[name], history.last_match.get(name, 0), self._lots[name]

    def _with_new(self, first: str) -> tuple[list[str], str]:
        history, group = self._history, [first]

        def fit(name: str) -> tuple[bool, int, int, tuple[int, int, bytes]]:
            met = sum(history.meetings[frozenset((name, other))] for other in group)
            return history.has_just_met([*group, name]), history.games[name], met, self._turn(name)

        while len(group) < self._maker.players:
            group.append(min((name for name in self._free if name not in group), key=fit))
        fewest = history.fewest_at_a_seat(first, self._maker.players)
        return group, (
            f"{first} is to play at each seat {self._maker.seat_games} times first, and was only "
            f"{fewest} times at one of them; of the others {join_words(group[1:])} had played least"
        )

    def _around(self, first: str) -> tuple[list[str], str]:
        group = self._completed([first])
        return group, (
            f"{first} was free while {self._history.waited[first]} matches began without it; with "
            f"{join_words(group[1:])} its match tells most: {self._figures(group)}"
        )

    def _most_informative(self) -> tuple[list[str], str]:
        pair = max(itertools.combinations(self._compared, 2), key=self._pair_rank)
        group = self._completed(list(pair))
        return group, f"a match of {join_words(group)} tells most: {self._figures(group)}"

    def _pair_rank(self, pair: tuple[str, str]) -> tuple[float, bytes]:
        return self._worth(*pair), min(self._lots[name] for name in pair)

    def _completed(self, group: list[str]) -> list[str]:
        def told(name: str) -> tuple[float, bytes]:
            return sum(self._worth(name, other) for other in group), self._lots[name]

        while len(group) < self._maker.players:
            group = [*group, max((n for n in self._compared if n not in group), key=told)]
        return group

    def _worth(self, one: str, other: str) -> float:
        """What a match of the two tells, less if they have met a short while ago."""
        bits = self._maker.bits(self._strengths[one], self._strengths[other])
        since = self._history.games_since(one, other)
        return bits if since is None else bits * since / (since + len(self._free))

    def _figures(self, group: Sequence[str]) -> str:
        found = [self._strengths[name] for name in group]
        bits = sum(
            2 / len(group) * self._maker.bits(one, other)
            for one, other in itertools.combinations(found, 2)
        )
        ratings = join_words([_rating_words(strength) for strength in found])
        return f"{bits:.2g} bits are expected, with ratings of {ratings}"


def _rating_words(strength: Strength) -> str:
    digits = 0 if strength.rating > 100 else 1
    return f"{strength.rating:.{digits}f} ± {NORMAL_95 * strength.deviation:.{digits}f}"


def _seated(group: Sequence[str], history: PairingHistory) -> tuple[str, ...]:
    """The order of the bots in which each has been at its seat least often.

    Of many bots, which have too many orders, only those in which they sit round in turn.
    """
    few = len(group) <= _MOST_PERMUTED
    return min(
        itertools.permutations(group) if few else rotations(group),
        key=lambda order: sum(history.seats[name, seat] ** 2 for seat, name in enumerate(order)),
    )
