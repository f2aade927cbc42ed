"""How often the 95 % intervals of a report hold the truth: tournaments of simulated bots.

The bots' strengths, what the seats are worth and how often a comparison ends level are known. The
matches of a block share a set-up, so they are drawn together in three ways, all of which leave the
probabilities of each match as they are:

- ``nothing``: the matches of a block are independent;
- ``bot``: the set-up suits some bots: half of the blocks are drawn with one luck for each bot;
- ``seat``: the set-up favours some seats: half of the blocks are drawn with one luck for each seat.

``python -m benchmarks.statistics`` prints the tables of docs/ratings.md in some minutes: the
intervals, and the same with few blocks.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from polynya_tournaments.analysis.analysis import contrasts
from polynya_tournaments.analysis.comparisons import Array, compare
from polynya_tournaments.analysis.fit import ELO, Fit, fit
from polynya_tournaments.pairing.standings import MatchResult

SHARED = 0.5
"""The share of the blocks whose matches share their luck."""


@dataclass(frozen=True, slots=True)
class Truth:
    """A tournament to be simulated.

    Attributes:
        players: of a match.
        strengths: the bots' ratings in Elo.
        seats: the seats' advantages in Elo.
        tie: how much weight a tie has beside the two other results of equal bots, 0 for no ties;
            for two players only.
        cycles: how often every group of bots meets.
        luck: what the matches of a block share: ``nothing``, ``bot`` or ``seat``.
        help: a bot that makes another stronger by so much Elo when both sit in a match; None
            without one.
    """

    players: int
    strengths: tuple[float, ...]
    seats: tuple[float, ...]
    tie: float
    cycles: int
    luck: str
    help: tuple[int, int, float] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The bots'."""
        return tuple(str(bot) for bot in range(len(self.strengths)))

    def logs(self, bots: tuple[int, ...]) -> Array:
        """Natural logarithms of the strengths by seat, the seats' part included."""
        ratings = np.array(self.strengths)[list(bots)] + np.array(self.seats)
        if self.help is not None and {*self.help[:2]} <= set(bots):
            ratings[bots.index(self.help[1])] += self.help[2]
        return np.asarray(ratings / ELO)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The share of the intervals that held the truth.

    Attributes:
        ratings: of the bots' ratings.
        seats: of the seats' advantages.
        naive: of the bots' ratings, had all matches been taken for independent.
    """

    ratings: float
    seats: float
    naive: float


def tournament(truth: Truth, random: np.random.Generator) -> list[list[MatchResult]]:
    """The results of every block, the matches of each in every rotation of the seats."""
    groups = list(combinations(range(len(truth.strengths)), truth.players))
    return [_block(truth, group, random) for _ in range(truth.cycles) for group in groups]


def _block(truth: Truth, group: tuple[int, ...], random: np.random.Generator) -> list[MatchResult]:
    together = truth.luck != "nothing" and random.random() < SHARED
    luck = random.random(len(group))
    results = []
    for shift in range(len(group)):
        seated = group[shift:] + group[:shift]
        if not together:
            luck = random.random(len(group))
        by_seat = np.roll(luck, -shift) if truth.luck == "bot" else luck
        names = tuple(str(bot) for bot in seated)
        ranking = _ranking(truth, seated, by_seat)
        results.append(MatchResult(names, ranking, (False,) * len(names)))
    return results


def _ranking(truth: Truth, seated: tuple[int, ...], luck: Array) -> tuple[int, ...]:
    """The ranks by seat: who arrives first, times being exponential with the strengths as rates.

    That is the model of Plackett and Luce; of two seats each, that of Bradley and Terry. For two
    players the one number that the two times give decides among win, tie and loss.
    """
    logs = truth.logs(seated)
    if len(seated) > 2:
        times = -np.log(luck) / np.exp(logs)
        return tuple(int(rank) for rank in 1 + times.argsort().argsort())
    first, second = -np.log(luck)
    where = first / (first + second)
    terms = np.exp((logs[0] - logs[1]) / 2), truth.tie, np.exp((logs[1] - logs[0]) / 2)
    if where < terms[0] / sum(terms):
        return 1, 2
    return (1, 1) if where < (terms[0] + terms[1]) / sum(terms) else (2, 1)


def coverage(truth: Truth, runs: int, seed: int) -> Coverage:
    """From ``runs`` tournaments; the same seed gives the same numbers."""
    random = np.random.default_rng(seed)
    held = np.array([list(_held(truth, random)) for _ in range(runs)])
    ratings, seats, naive = held.mean(axis=0)
    return Coverage(float(ratings), float(seats), float(naive))


def _held(truth: Truth, random: np.random.Generator) -> Iterator[float]:
    """The shares of one tournament's intervals that hold the truth, in the order of Coverage."""
    fitted = fit(compare(truth.names, truth.players, tournament(truth, random)))
    naive = replace(fitted, covariance=fitted.naive_covariance)
    bots = len(truth.strengths)
    yield _share(fitted, 0, truth.strengths)
    yield _share(fitted, bots, truth.seats)
    yield _share(naive, 0, truth.strengths)


def _share(fitted: Fit, start: int, true: tuple[float, ...]) -> float:
    centred = np.array(true) - np.mean(true)
    intervals = contrasts(fitted, start, len(true))
    return float(
        np.mean(
            [each.low <= value <= each.high for each, value in zip(intervals, centred, strict=True)]
        )
    )


def scenarios() -> Iterator[Truth]:
    """What docs/ratings.md has a line for."""
    for luck in ("nothing", "bot", "seat"):
        spread = tuple(np.linspace(-250, 250, 10))
        yield Truth(2, spread, (20.0, -20.0), 0.5, 5, luck)
        yield Truth(2, spread, (20.0, -20.0), 0.0, 2, luck)
        yield Truth(3, spread[::2], (30.0, 0.0, -30.0), 0.0, 4, luck)
        yield Truth(4, spread[::2], (30.0, 0.0, 0.0, -30.0), 0.0, 8, luck)


def few() -> Iterator[Truth]:
    """The same with 5 to 9 blocks for each bot."""
    for luck in ("nothing", "bot", "seat"):
        spread = tuple(np.linspace(-250, 250, 10))
        yield Truth(2, spread, (20.0, -20.0), 0.5, 1, luck)
        yield Truth(2, spread[:6], (20.0, -20.0), 0.0, 1, luck)
        yield Truth(3, spread[::2], (30.0, 0.0, -30.0), 0.0, 1, luck)
        yield Truth(4, spread[::2], (30.0, 0.0, 0.0, -30.0), 0.0, 2, luck)


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=2000, help="tournaments of each kind")
    runs = arguments.parse_args().runs
    print_coverage(scenarios(), runs)
    print_coverage(few(), runs)


def print_coverage(truths: Iterable[Truth], runs: int) -> None:
    """A table of how often intervals hold."""
    print("\n| players | bots | ties | cycles | shared luck | ratings | seats | naive ratings |")
    print("|---|---|---|---|---|---|---|---|")
    for truth in truths:
        found = coverage(truth, runs, seed=1)
        cells = (
            truth.players,
            len(truth.strengths),
            "yes" if truth.tie else "no",
            truth.cycles,
            truth.luck,
            *(f"{100 * each:.1f} %" for each in (found.ratings, found.seats, found.naive)),
        )
        print("|", " | ".join(map(str, cells)), "|", flush=True)


if __name__ == "__main__":
    main()
