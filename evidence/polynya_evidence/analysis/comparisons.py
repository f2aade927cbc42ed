"""Results as comparisons of two seats each, in arrays: what the likelihood is a sum over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from polynya_contest.pairing.standings import MatchResult
from polynya_contest.ratings.elo import pair_score

Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Every two seats of every match; each array has one entry for each of these comparisons.

    Attributes:
        bots: the number of bots.
        players: of a match.
        bot, opponent: who is compared, by index.
        seat, other_seat: where they sat.
        points: of ``bot``: 1, 1/2 or 0.
        block: the number of the block, from 0.
        count: as how many comparisons it counts.
    """

    bots: int
    players: int
    bot: Array
    opponent: Array
    seat: Array
    other_seat: Array
    points: Array
    block: Array
    count: Array

    @property
    def weight(self) -> Array:
        """The weight of each in the likelihood: a ranking of n bots is n - 1 statements."""
        return self.count * (2 / self.players)

    @property
    def size(self) -> int:
        """The number of strengths: of the bots, then of the seats."""
        return self.bots + self.players

    def differences(self, strengths: Array) -> Array:
        """Of each comparison: the strength of ``bot`` with its seat, less that of its opponent."""
        of_bots, of_seats = strengths[: self.bots], strengths[self.bots :]
        result: Array = of_bots[self.bot] - of_bots[self.opponent]
        return result + of_seats[self.seat] - of_seats[self.other_seat]

    def terms(self) -> tuple[tuple[Array, float], ...]:
        """The strengths whose sum is the difference: the index of each comparison's, and a sign."""
        seat, other_seat = self.bots + self.seat, self.bots + self.other_seat
        return (self.bot, 1.0), (self.opponent, -1.0), (seat, 1.0), (other_seat, -1.0)

    def gathered(self, values: Array) -> Array:
        """For each strength the sum of the values of its comparisons, with the sign that it has."""
        return np.asarray(
            sum(sign * np.bincount(index, values, self.size) for index, sign in self.terms())
        )

    def crossed(self, values: Array) -> Array:
        """The same for every two strengths: a matrix, each with the product of the two signs."""
        cells = self.size**2
        total = np.zeros(cells)
        for one, sign in self.terms():
            for other, other_sign in self.terms():
                both = sign * other_sign * values
                total += np.bincount(one * self.size + other, both, cells)
        return total.reshape(self.size, self.size)


Row = tuple[int, int, int, int, float, int, float]


def compare(
    names: Sequence[str], players: int, blocks: Sequence[Sequence[MatchResult]]
) -> Comparisons:
    """All comparisons in the results of each block."""
    index = {name: number for number, name in enumerate(names)}
    rows = [
        (
            index[result.names[seat]],
            index[result.names[other]],
            seat,
            other,
            pair_score(result.ranking[seat], result.ranking[other]),
            number,
            1.0,
        )
        for number, results in enumerate(blocks)
        for result in results
        for seat, other in combinations(range(players), 2)
    ]
    return comparisons_of(len(names), players, rows)


def comparisons_of(bots: int, players: int, rows: Sequence[Row]) -> Comparisons:
    """The comparisons of a table.

    Args:
        bots: the number of bots.
        players: of a match.
        rows: for each comparison its bot, opponent, seat, other seat, points, block and count.
    """
    table = np.array(rows, dtype=float).reshape(-1, 7)
    bot, opponent, seat, other_seat = table[:, :4].T.astype(int)
    return Comparisons(
        bots=bots,
        players=players,
        bot=bot,
        opponent=opponent,
        seat=seat,
        other_seat=other_seat,
        points=table[:, 4],
        block=table[:, 5].astype(int),
        count=table[:, 6],
    )
