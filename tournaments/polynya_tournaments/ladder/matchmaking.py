"""Matchmaking: picks the match expected to yield most information, with bounded waiting.

What a match between two bots tells is the information that its result is expected to give on their
difference, in bits: much if the ratings are uncertain, and if they are close. The same pair again
tells of that pair rather than of the field, so what it tells counts in full only after the two have
played others for a while.

When all bots have been at each seat often enough, the bot with the fewest matches plays the one of
the half with fewest that tells most. A bot that was free while as many matches were begun as there
are free bots comes first of all. So of M bots none waits for 2 M matches. For a bot to get from
M + j - 1 to M + j, the bot that has waited longest, at least as long, must be chosen before it and
begin anew: it is the first in the order of the waiting, to which a match adds no place before
others. So at most M - j bots ever reach M + j.

A choice costs the same however many bots are free: the first of an order that is kept (see
``present_bots.py``), and the best opponent of a sample.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from polynya_common.reasons import Cause, Reason
from polynya_common.text import join_words
from polynya_contest.pairing.designs import rotations
from polynya_contest.pairing.pasts import REMEMBERED_OPPONENTS, BotPast
from polynya_contest.ratings.model import NORMAL_95, RatingSettings, Strength
from polynya_tournaments.ladder.pairing_history import PairingHistory, games_since
from polynya_tournaments.ladder.present_bots import FreeBots, NameOrder

MOST_COMPARED = 24
"""Maximum number of compared bots, to bound the time of a choice."""

_MOST_PERMUTED = 6
_ATTENUATION = 3 / math.pi**2


@dataclass(frozen=True, slots=True)
class Choice:
    """The next match: its bots by seat, and the reason in a sentence."""

    players: tuple[str, ...]
    why: Cause


def information(one: Strength, other: Strength, logit: float) -> float:
    """Expected information of a match on the difference of two bots, in bits.

    By the normal approximation, whose variance v the Fisher information p (1 - p) of the result
    makes 1 / (1 / v + p (1 - p)); p is the expected score as in Glicko, which takes v into account.

    Args:
        one: the strength of the one.
        other: that of the other.
        logit: how much their rating counts on the logistic scale: ln 10 / 400 with Elo.
    """
    variance = (one.deviation**2 + other.deviation**2) * logit**2
    return _bits(variance, (one.rating - other.rating) * logit)


def _bits(variance: float, apart: float) -> float:
    """The same on the logistic scale: of the sum of the variances, and the difference."""
    odds = math.exp(-abs(apart) / math.sqrt(1 + _ATTENUATION * variance))
    return math.log2(1 + variance * odds / (1 + odds) ** 2) / 2


class _Candidate(NamedTuple):
    """A bot that is compared: its rating and variance on the logistic scale, and its matches."""

    name: str
    rating: float
    variance: float
    past: BotPast


class Matchmaker:
    """Chooses matches; the same ones from the same history, ratings and seed.

    Args:
        players: the number of players of a match.
        seat_games: matches a bot plays in each seat before information decides.
        rating: how the ratings are made.
        seed: decides what is equal otherwise.
        history: what has been played.
    """

    def __init__(
        self,
        players: int,
        seat_games: int,
        rating: RatingSettings,
        seed: int,
        history: PairingHistory,
    ) -> None:
        self.history = history
        self._players = players
        self._seat_games = seat_games
        self._rating = rating
        self._seed = seed

    def free_bots(self) -> FreeBots:
        """A group of bots to choose from, empty at first."""
        return FreeBots(self.history, self._players, self._seat_games, self._seed)

    def next_match(
        self, free: FreeBots, others: int, strengths: Mapping[str, Strength]
    ) -> Choice | None:
        """The next match, None if there is to be none yet.

        Bots that have just played each other wait for another one to become free, if there is one.

        Args:
            free: the bots that could play now.
            others: how many more bots will be free, but are not now.
            strengths: the bots' present ratings; those left out have none yet.
        """
        if len(free) < self._players:
            return None
        group, why = self._choose(free, strengths)
        if others and self.history.has_just_met(group):
            return None
        return Choice(_seated(group, self.history), why)

    def _choose(
        self, free: FreeBots, strengths: Mapping[str, Strength]
    ) -> tuple[list[str], Reason]:
        """Choose the bots of the next match, in any order, with the reason."""
        if len(free) == self._players:
            names = sorted(free.by_wait.first())
            return names, Reason.of("only_free_bots", bots=names)
        if free.longest_wait >= len(free):
            return self._with_patient(free, strengths)
        if free.new:
            return self._with_new(free)
        return self._most_informative(free, strengths)

    def _with_new(self, free: FreeBots) -> tuple[list[str], Reason]:
        first = free.new.at(0)
        group = [first]
        number = max(MOST_COMPARED, self._players) + 1
        likely = [name for name in free.by_games.first(number) if name != first]

        def fit(name: str) -> tuple[bool, int, float]:
            together = [*group, name]
            again = len(together) == self._players and self.history.has_just_met(together)
            past = self.history.bot(name)
            since = [games_since(past, self.history.bot(other)) for other in group]
            return again, past.games, max(0 if n is None else 1 / (1 + n) for n in since)

        while len(group) < self._players:
            best = min(likely, key=fit)
            likely.remove(best)
            group.append(best)
        fewest = self.history.fewest_at_a_seat(first, self._players)
        return group, (
            Reason.of(
                "fewest_at_a_seat",
                bot=first,
                games=self._seat_games,
                fewest=fewest,
                others=group[1:],
            )
        )

    def _with_patient(
        self, free: FreeBots, strengths: Mapping[str, Strength]
    ) -> tuple[list[str], Reason]:
        first = free.by_wait.at(0)
        compared = self._compared(free.by_wait, len(free), strengths, [first])
        group = self._completed(compared[:1], compared, len(free))
        return group, (
            Reason.of(
                "waited_longest",
                bot=first,
                matches=free.longest_wait,
                others=group[1:],
                why=self._figures(group, strengths),
            )
        )

    def _most_informative(
        self, free: FreeBots, strengths: Mapping[str, Strength]
    ) -> tuple[list[str], Reason]:
        order = free.by_turns
        last = self._compared(order, order.through(0), strengths, ())
        first = max(last, key=lambda one: one.variance).name
        behind = order.through(max(self._players, math.ceil(len(free) / 2)) - 1)
        compared = self._compared(order, behind, strengths, [first])
        group = self._completed(compared[:1], compared, len(free))
        why = Reason.of("most_informative", bots=group, why=self._figures(group, strengths))
        return group, why

    def _compared(
        self, order: NameOrder, count: int, strengths: Mapping[str, Strength], with_: Sequence[str]
    ) -> list[_Candidate]:
        """Bots that are compared: the given ones, then the first of an order, drawn if many."""
        logit = self._rating.logit
        number = max(MOST_COMPARED, self._players)
        if count <= number:
            names = order.first(count)
        else:
            lots = random.Random(f"{self._seed}\n{self.history.matches}")  # noqa: S311 -- no secret
            names = [order.at(index) for index in lots.sample(range(count), number)]
        found = []
        for name in [*with_, *(name for name in names if name not in with_)]:
            strength = self._strength(name, strengths)
            rating, variance = strength.rating * logit, (strength.deviation * logit) ** 2
            found.append(_Candidate(name, rating, variance, self.history.bot(name)))
        return found

    def _completed(
        self, group: Sequence[_Candidate], compared: Sequence[_Candidate], field: int
    ) -> list[str]:
        """Complete a group with the bots that yield most information."""
        chosen = list(group)
        rest = [one for one in compared if one not in chosen]
        told = [0.0] * len(rest)
        added = chosen
        while len(chosen) < self._players:
            for one in added:
                told = list(map(sum, zip(told, _worths(one, rest, field), strict=True)))
            place = told.index(max(told))
            del told[place]
            added = [rest.pop(place)]
            chosen = [*chosen, *added]
        return [one.name for one in chosen]

    def _strength(self, name: str, strengths: Mapping[str, Strength]) -> Strength:
        """A bot's rating, or its initial one."""
        return strengths.get(name) or self._rating.before_games(name)

    def _figures(self, group: Sequence[str], strengths: Mapping[str, Strength]) -> Reason:
        found = [self._strength(name, strengths) for name in group]
        bits = sum(
            2 / len(group) * information(one, other, self._rating.logit)
            for one, other in itertools.combinations(found, 2)
        )
        ratings = join_words([_rating_words(strength) for strength in found])
        return Reason.of("expected_information", bits=bits, ratings=ratings)


def _rating_words(strength: Strength) -> str:
    digits = 0 if strength.rating > 100 else 1
    return f"{strength.rating:.{digits}f} ± {NORMAL_95 * strength.deviation:.{digits}f}"


def _worths(one: _Candidate, others: Sequence[_Candidate], field: int) -> list[float]:
    """Information in a match with each other bot, less after a recent meeting.

    Args:
        one: the one.
        others: the others.
        field: how many bots are free.
    """
    name, rating, variance, past = one
    found = []
    for other, other_rating, other_variance, other_past in others:
        bits = _bits(variance + other_variance, rating - other_rating)
        if other in past.met or name in other_past.met:
            since = games_since(past, other_past) or 0
            bits *= since / (since + min(field, REMEMBERED_OPPONENTS))
        found.append(bits)
    return found


def _seated(group: Sequence[str], history: PairingHistory) -> tuple[str, ...]:
    """Seat the bots so that each has its rarest seat.

    Of many bots, which have too many orders, only those in which they sit round in turn.
    """
    few = len(group) <= _MOST_PERMUTED
    return min(
        itertools.permutations(group) if few else rotations(group),
        key=lambda order: sum(
            history.bot(name).at_seat(seat) ** 2 for seat, name in enumerate(order)
        ),
    )
