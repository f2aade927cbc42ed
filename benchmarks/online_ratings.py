"""How often the 95 % intervals of the online Elo ratings hold the truth: simulated ladders.

The bots' strengths are drawn from a normal distribution. Each plays a number of matches of two,
paired with any other (``any``) or by the ladder (``ladder``), without ties. An interval
holds if it contains the bot's strength, both taken relative to the mean of the field: without
anchors only differences mean anything.

``python -m benchmarks.online_ratings`` prints the table of docs/ratings.md in some minutes.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from statistics import mean

from polynya_contest.ratings.elo import expected_score
from polynya_contest.ratings.model import RatingSettings, Strength, interval, rate_match
from polynya_contest.ratings.opponent_bound import (
    BoundedMatch,
    OpponentSum,
    Pair,
    largest_sum,
)
from polynya_tournaments.ladder.matchmaking import Matchmaker
from polynya_tournaments.ladder.pairing_history import PairingHistory

BOTS = 20
MATCHES = (10, 30, 100, 300)
SETTINGS = RatingSettings(k_factor=16)
SEAT_GAMES = 3


class Field:
    """Bots of known strengths, and what is found out about them.

    Args:
        spread: standard deviation of their strengths.
        seed: of all that is random.
        bounded: whether the effect of one opponent is bounded, as on a ladder.
    """

    def __init__(self, spread: float, seed: int, *, bounded: bool = True) -> None:
        self.random = random.Random(seed)
        self.true = [self.random.gauss(1500, spread) for _ in range(BOTS)]
        self.found = [SETTINGS.unrated] * BOTS
        self._sums: dict[Pair, OpponentSum] | None = {} if bounded else None

    def play(self, one: int, other: int) -> bool:
        """One match, rated; whether the first bot won."""
        won = self.random.random() < expected_score(self.true[one], self.true[other])
        ranking = [1, 2] if won else [2, 1]
        self.found[one], self.found[other] = self._rated(one, other, ranking)
        return won

    def _rated(self, one: int, other: int, ranking: list[int]) -> list[Strength]:
        before, anchors = [self.found[one], self.found[other]], [None, None]
        if self._sums is None:
            return rate_match(SETTINGS, before, ranking, anchors)
        bots, games = (one, other), (before[0].games, before[1].games)
        bound = BoundedMatch(
            bots, bots, games, self._sums, largest_sum(SETTINGS.k_factor, BOTS - 1)
        )
        after = rate_match(SETTINGS, before, ranking, anchors, bound.bounded)
        self._sums |= bound.sums
        return after

    def pairs(self, order: str) -> Iterator[tuple[int, int]]:
        """Endless pairings: any two, each bot as often as the others, or by the ladder."""
        if order == "ladder":
            yield from self._by_ladder()
        while True:
            bots = list(range(BOTS))
            self.random.shuffle(bots)
            yield from zip(bots[::2], bots[1::2], strict=True)

    def _by_ladder(self) -> Iterator[tuple[int, int]]:
        history = PairingHistory()
        maker = Matchmaker(2, SEAT_GAMES, SETTINGS, 1, history)
        names = {f"{bot:02}": bot for bot in range(BOTS)}
        free = maker.free_bots()
        for name in names:
            free.add(name)
        while True:
            strengths = {name: self.found[bot] for name, bot in names.items()}
            choice = maker.next_match(free, 0, strengths)
            assert choice is not None
            for name in choice.players:
                free.remove(name)
            history.add(choice.players)
            for name in choice.players:
                free.add(name)
            one, other = choice.players
            yield names[one], names[other]


def ladder(spread: float, order: str, seed: int) -> Iterator[tuple[int, list[bool]]]:
    """After each number of matches of a bot on average: does each interval hold?"""
    field = Field(spread, seed)
    for number, pair in enumerate(field.pairs(order), start=1):
        field.play(*pair)
        played, rest = divmod(2 * number, BOTS)
        if not rest and played in MATCHES:
            yield played, held(field.true, field.found)
            if played == MATCHES[-1]:
                return


def held(true: Sequence[float], found: Sequence[Strength]) -> list[bool]:
    """For each bot, whether its interval holds its strength relative to the mean."""
    shift = mean(true) - mean(strength.rating for strength in found)
    return [
        low + shift <= strength <= high + shift
        for strength, (low, high) in zip(
            true, (interval(one.rating, one.deviation) for one in found), strict=True
        )
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=25)
    runs = parser.parse_args().runs
    columns = " | ".join(f"{count} matches" for count in MATCHES)
    print(f"| strengths | paired with | {columns} |\n|---|---|{'---|' * len(MATCHES)}")
    for spread in (100, 200, 300):
        for order in ("any", "ladder"):
            results = [dict(ladder(spread, order, seed)) for seed in range(runs)]
            shares = (mean(x for run in results for x in run[count]) for count in MATCHES)
            print(f"| ± {spread} | {order} | {' | '.join(f'{s:.1%}' for s in shares)} |")


if __name__ == "__main__":
    main()
