"""How often the 95 % intervals of a report hold the truth: tournaments of simulated bots.

The bots' strengths, what the seats are worth and how often a comparison ends level are known. The
matches of a block share a set-up, so they are drawn together in three ways, all of which leave the
probabilities of each match as they are:

- ``nothing``: the matches of a block are independent;
- ``bot``: the set-up suits some bots: half of the blocks are drawn with one luck for each bot;
- ``seat``: the set-up favours some seats: half of the blocks are drawn with one luck for each seat.

``python -m benchmarks.statistics`` prints the tables of docs/ratings.md in some minutes: the
intervals, the same with few blocks, and the same in wide fields. With ``--online`` it prints the
error of the estimates next to that of online Elo on the same matches of simulated ladders.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np

from benchmarks.online_ratings import Field
from polynya_contest.pairing.standings import MatchResult
from polynya_evidence.analysis.analysis import MEAN_RATING, contrasts, ratings_of
from polynya_evidence.analysis.comparisons import Array, compare
from polynya_evidence.analysis.estimates import Interval
from polynya_evidence.analysis.fit import ELO, fit

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
        help: a bot that makes another stronger by this Elo when both sit in a match; None
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
        open: the share of the bots' intervals that have one end, or none.
    """

    ratings: float
    seats: float
    naive: float
    open: float


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
    return Coverage(*map(float, held.mean(axis=0)))


def _held(truth: Truth, random: np.random.Generator) -> Iterator[float]:
    """The shares of one tournament's intervals that hold the truth, in the order of Coverage."""
    fitted = fit(compare(truth.names, truth.players, tournament(truth, random)))
    ratings, reference = ratings_of(fitted), fitted.groups.reference
    bots, seats = slice(len(truth.names)), np.ones(truth.players, dtype=bool)
    of_seats = slice(len(truth.names), len(truth.names) + truth.players)
    advantages = contrasts(
        fitted.parameters[of_seats], fitted.covariance[of_seats, of_seats], seats
    )
    naive = contrasts(fitted.parameters[bots], fitted.naive_covariance[bots, bots], reference)
    yield _share(ratings, truth.strengths, reference, MEAN_RATING)
    yield _share([Interval(*ends) for ends in advantages], truth.seats, seats)
    yield _share([Interval(*ends) for ends in naive], truth.strengths, reference)
    yield float(np.mean([None in (each.low, each.high) for each in ratings]))


def _share(
    intervals: list[Interval], true: tuple[float, ...], reference: Array, mean: float = 0.0
) -> float:
    """Of the intervals that hold; an end that is open holds everything."""
    measured = mean + np.array(true) - np.mean(np.array(true)[reference])
    return float(
        np.mean(
            [
                (each.low is None or each.low <= value)
                and (each.high is None or value <= each.high)
                for each, value in zip(intervals, measured, strict=True)
            ]
        )
    )


def scenarios() -> Iterator[Truth]:
    """The cases that docs/ratings.md has a line for."""
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


def wide() -> Iterator[tuple[int, Truth]]:
    """Fields with a fixed number of Elo between neighbours."""
    for gap in (100, 300, 500, 700, 1000, 1500):
        for bots, cycles, tie in ((10, 5, 0.5), (6, 10, 0.0)):
            strengths = tuple(gap * (np.arange(bots) - (bots - 1) / 2))
            yield gap, Truth(2, strengths, (20.0, -20.0), tie, cycles, "nothing")


def errors(spread: float, order: str, matches: int, seed: int) -> tuple[float, float]:
    """Of one simulated ladder: the errors of the estimates and of online Elo, in Elo.

    Args:
        spread: the standard deviation of the strengths.
        order: who meets, see ``online_ratings``.
        matches: of each bot, on average.
        seed: of the strengths, the pairings and the results.
    """
    field = Field(spread, seed)
    blocks = []
    for one, other in islice(field.pairs(order), matches * len(field.true) // 2):
        ranking = (1, 2) if field.play(one, other) else (2, 1)
        blocks.append([MatchResult((str(one), str(other)), ranking, (False, False))])
    names = [str(bot) for bot in range(len(field.true))]
    estimates = [each.value for each in ratings_of(fit(compare(names, 2, blocks)))]
    online = [strength.rating for strength in field.found]
    return _root_mean_square(field.true, estimates), _root_mean_square(field.true, online)


def _root_mean_square(true: Sequence[float], found: Sequence[float]) -> float:
    """Of the differences, all measured from the mean of the field."""
    differences = np.array(true) - np.array(found)
    return float(np.std(differences))


def print_errors(fields: int = 40) -> None:
    """A table of the errors of the estimates and of online Elo on the same matches."""
    print("| strengths | paired with | matches of a bot | estimates | online Elo |")
    print("|---|---|---|---|---|")
    for spread in (200, 400):
        for order in ("any", "ladder"):
            for matches in (30, 100, 300):
                both = [errors(spread, order, matches, seed) for seed in range(fields)]
                cells = (
                    f"{np.sqrt(np.mean(np.square(one))):.0f} ({min(one):.0f} to {max(one):.0f})"
                    for one in zip(*both, strict=True)
                )
                print(f"| ± {spread} | {order} | {matches} | {' | '.join(cells)} |", flush=True)


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=2000, help="tournaments of each kind")
    arguments.add_argument("--online", action="store_true", help="the errors beside online Elo")
    given = arguments.parse_args()
    if given.online:
        print_errors()
        return
    runs = given.runs
    print_coverage(scenarios(), runs)
    print_coverage(few(), runs)
    print_wide(runs)


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


def print_wide(runs: int) -> None:
    """The same for wide fields, with the share of the intervals that have one end, or none."""
    print("\n| neighbours apart | bots | cycles | ratings | of these open |\n|---|---|---|---|---|")
    for gap, truth in wide():
        found = coverage(truth, runs, seed=1)
        held = (f"{100 * each:.1f} %" for each in (found.ratings, found.open))
        print(
            "|", " | ".join(map(str, (gap, len(truth.names), truth.cycles, *held))), "|", flush=True
        )


if __name__ == "__main__":
    main()
