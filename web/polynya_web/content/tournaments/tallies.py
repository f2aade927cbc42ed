"""Results counted by pairs of bots and by seats: pure functions of the matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from polynya_contest.pairing.standings import MatchResult
from polynya_contest.ratings.elo import pair_score


@dataclass(slots=True)
class PairTally:
    """A bot's score against an opponent: 1 for each match in which it is ahead, 1/2 for a tie."""

    matches: int = 0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    @property
    def points(self) -> float:
        """Of the possible ``matches``."""
        return self.wins + self.draws / 2

    @property
    def tenths(self) -> int:
        """The share of the possible points in tenths, 0 to 10."""
        return round(10 * self.points / self.matches) if self.matches else 0

    def add(self, score: float) -> None:
        """Count one match."""
        self.matches += 1
        self.wins += score == 1
        self.draws += score == 1 / 2
        self.losses += score == 0


@dataclass(slots=True)
class SeatTally:
    """The score at a seat, against all other seats of each match.

    Attributes:
        seat: from 0.
        matches: how many were played.
        firsts: in how many the seat came first, alone or not.
        forfeits: in how many it forfeited.
        points, possible: opponents left behind, a tie counting 1/2, and all opponents.
    """

    seat: int
    matches: int = 0
    firsts: int = 0
    forfeits: int = 0
    points: float = 0.0
    possible: int = 0

    @property
    def score(self) -> float | None:
        """The share of the possible points, 0 to 1; None without matches."""
        return self.points / self.possible if self.possible else None


def tally_pairs(results: Iterable[MatchResult]) -> dict[tuple[str, str], PairTally]:
    """For each bot and each opponent that it met; both directions are there."""
    tallies: dict[tuple[str, str], PairTally] = defaultdict(PairTally)
    for result in results:
        for seat, name in enumerate(result.names):
            for other, opponent in enumerate(result.names):
                if other != seat:
                    score = pair_score(result.ranking[seat], result.ranking[other])
                    tallies[name, opponent].add(score)
    return dict(tallies)


def totals_of(pairs: Mapping[tuple[str, str], PairTally]) -> dict[str, PairTally]:
    """For each bot its score against all opponents together."""
    totals: dict[str, PairTally] = defaultdict(PairTally)
    for (name, _), pair in pairs.items():
        total = totals[name]
        total.matches += pair.matches
        total.wins += pair.wins
        total.draws += pair.draws
        total.losses += pair.losses
    return dict(totals)


def tally_seats(results: Iterable[MatchResult], players: int) -> tuple[SeatTally, ...]:
    """For each seat of the matches."""
    tallies = tuple(SeatTally(seat) for seat in range(players))
    for result in results:
        for tally in tallies:
            _add(tally, result)
    return tallies


def _add(tally: SeatTally, result: MatchResult) -> None:
    rank = result.ranking[tally.seat]
    others = (*result.ranking[: tally.seat], *result.ranking[tally.seat + 1 :])
    tally.matches += 1
    tally.firsts += rank == 1
    tally.forfeits += result.forfeited[tally.seat]
    tally.points += sum(pair_score(rank, other) for other in others)
    tally.possible += len(others)
