"""Results as comparisons of two seats each, in arrays: what the likelihood is a sum over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

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
    """

    bots: int
    players: int
    bot: Array
    opponent: Array
    seat: Array
    other_seat: Array
    points: Array
    block: Array

    @property
    def weight(self) -> float:
        """The weight of a comparison in the likelihood: a ranking of n bots is n - 1 statements."""
        return 2 / self.players

    def design(self) -> Any:
        """The sparse matrix (comparisons, bots + seats) that gives each one its difference."""
        count = len(self.points)
        ones, rows = np.ones(count), np.arange(count)
        columns = (self.bot, self.opponent, self.bots + self.seat, self.bots + self.other_seat)
        return sparse.csr_array(
            (
                np.concatenate((ones, -ones, ones, -ones)),
                (np.tile(rows, 4), np.concatenate(columns)),
            ),
            shape=(count, self.bots + self.players),
        )


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
        )
        for number, results in enumerate(blocks)
        for result in results
        for seat, other in combinations(range(players), 2)
    ]
    table = np.array(rows, dtype=float).reshape(-1, 6)
    bot, opponent, seat, other_seat = table[:, :4].T.astype(int)
    return Comparisons(
        bots=len(names),
        players=players,
        bot=bot,
        opponent=opponent,
        seat=seat,
        other_seat=other_seat,
        points=table[:, 4],
        block=table[:, 5].astype(int),
    )
