"""Bounds the effect of one opponent on an Elo rating.

For each bot and opponent there is a sum: of the changes of the bot's rating by its matches against
that opponent. The sum stays within a bound; of a change that would lead out of it only the part
within counts. So an opponent that loses on purpose lifts a rating once, by as much as the bound.

The sum fades while the bot plays others, since their results correct the rating meanwhile. So the
luck of honest opponents, who meet for years, does not add up to the bound.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MATCHES = 4
"""The bound is at least this number of a settled bot's K: eight wins against an equal opponent."""

ALL_OPPONENTS = 1_000.0
"""Elo: the opponents of a ladder can move a rating by this much together, however few they are."""

HALF_LIFE = 500
"""Matches against others until a sum has faded to its half."""

Pair = tuple[int, int]
"""The id of a bot, and that of an opponent as it counts."""


@dataclass(frozen=True, slots=True)
class OpponentSum:
    """The changes of a bot's rating by its matches against one opponent.

    Attributes:
        total: in Elo, after the last of these matches.
        games: the bot's matches up to it, those against others too.
    """

    total: float
    games: int

    def faded(self, games: int) -> float:
        """The sum before the bot's next match, when it has played ``games``."""
        return float(self.total * 0.5 ** ((games - self.games) / HALF_LIFE))


def largest_sum(k_factor: float, opponents: int) -> float:
    """The bound, in Elo.

    Args:
        k_factor: of a bot that has settled.
        opponents: how many other bots have a rating in the pool.
    """
    return max(MATCHES * k_factor, ALL_OPPONENTS / max(1, opponents))


class BoundedMatch:
    """Bounds the changes of one match.

    Args:
        bots: by seat.
        opponents: as which opponent each of them counts for the others.
        games: the bots' matches before it.
        known: the sums before it.
        largest: the bound.

    Attributes:
        sums: those that the match has changed.
    """

    def __init__(
        self,
        bots: tuple[int, ...],
        opponents: tuple[int, ...],
        games: tuple[int, ...],
        known: Mapping[Pair, OpponentSum],
        largest: float,
    ) -> None:
        self.sums: dict[Pair, OpponentSum] = {}
        self._bots = bots
        self._opponents = opponents
        self._games = games
        self._known = known
        self._largest = largest

    def bounded(self, seat: int, other: int, change: float) -> float:
        """The part of a seat's change by its result against another seat that counts."""
        pair, games = (self._bots[seat], self._opponents[other]), self._games[seat]
        known = self.sums.get(pair) or self._known.get(pair)
        before = 0.0
        if known is not None:
            before = known.total if pair in self.sums else known.faded(games)
        # A sum beyond a bound that has become smaller may only come back.
        end = max(self._largest, abs(before))
        after = min(end, max(-end, before + change))
        self.sums[pair] = OpponentSum(after, games + 1)
        return after - before
