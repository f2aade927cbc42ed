"""How soon a ladder is in the right order, and what opponents can do to it: simulated ladders.

Twenty bots 50 Elo apart play matches of two without ties, paired as the ladder pairs them. The
first table has the share of neighbours that stand in the right order, by online Elo and by the
estimate. The second has the rank of the weakest bot, which is 20, if some of the best lose to it on
purpose in the end, a hundred matches each; by Elo as it was before the effect of one opponent was
bounded, too.

``python -m benchmarks.ladder_order`` prints both in some minutes.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean

from benchmarks.online_ratings import BOTS, Field
from polynya_contest.ratings.pair_tallies import PairTally
from polynya_evidence.analysis import estimate_ladder

GAP = 50
MATCHES = (50, 100, 200, 400)
FEEDERS = (0, 1, 3, 6)
FEEDING = 100
"""Matches that each feeder loses on purpose."""

Results = Counter[tuple[int, int, bool]]
"""How often bots at the first and the second seat met, and whether the first won."""


def fields(runs: int, *, bounded: bool = True) -> Iterator[Field]:
    """Fields of bots 50 Elo apart, in a random order."""
    for seed in range(runs):
        field = Field(0, seed, bounded=bounded)
        field.true = [1500 + GAP * (number - (BOTS - 1) / 2) for number in range(BOTS)]
        field.random.shuffle(field.true)
        yield field


def play(field: Field, order: str) -> Iterator[Results]:
    """The results after each number of matches of a bot on average."""
    results = Results()
    for number, (one, other) in enumerate(field.pairs(order), start=1):
        won = field.play(one, other)
        results[one, other, won] += 1
        if 2 * number in [BOTS * count for count in MATCHES]:
            yield results
        if 2 * number == BOTS * MATCHES[-1]:
            return


def estimates(results: Results) -> list[float]:
    """The strength of each bot."""
    tallies = [
        PairTally(f"{one:02}", f"{other:02}", False, False, 0, 1, count * won, 0, count * (not won))
        for (one, other, won), count in results.items()
    ]
    found = estimate_ladder(tallies, 2, {})
    return [found[f"{bot:02}"].value for bot in range(BOTS)]


def in_order(true: Sequence[float], found: Sequence[float]) -> float:
    """The share of neighbours whose better one is found to be better."""
    ranked = sorted(range(BOTS), key=lambda bot: true[bot])
    return fmean(found[worse] < found[better] for worse, better in pairwise(ranked))


def settling(runs: int, order: str) -> list[tuple[float, float]]:
    """After each number of matches: the share by online Elo, and by the estimate."""
    rows = [
        [
            (
                in_order(field.true, [one.rating for one in field.found]),
                in_order(field.true, estimates(results)),
            )
            for results in play(field, order)
        ]
        for field in fields(runs)
    ]
    return [
        (fmean(elo for elo, _ in column), fmean(estimate for _, estimate in column))
        for column in zip(*rows, strict=True)
    ]


def fed(field: Field, feeders: int) -> tuple[int, int]:
    """Ranks of the weakest bot by online Elo and by the estimate, when feeders have lost to it."""
    *_, results = play(field, "ladder")
    ranked = sorted(range(BOTS), key=lambda bot: field.true[bot])
    weakest, best = ranked[0], ranked[-feeders:] if feeders else []
    true = list(field.true)
    field.true[weakest] = 1e9
    for bot in best * FEEDING:
        field.play(weakest, bot)
        results[weakest, bot, True] += 1
    field.true = true
    online = [one.rating for one in field.found]
    return rank(weakest, online), rank(weakest, estimates(results))


def rank(bot: int, found: Sequence[float]) -> int:
    """From 1, the best."""
    return 1 + sum(other > found[bot] for other in found)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=25)
    parser.add_argument("--only-feeders", action="store_true", help="leave out the first table")
    arguments = parser.parse_args()
    runs = arguments.runs
    if not arguments.only_feeders:
        print_settling(runs)
    print_fed(runs)


def print_settling(runs: int) -> None:
    """Print the first table."""
    columns = " | ".join(f"{count} matches" for count in MATCHES)
    print(f"| paired with | by | {columns} |\n|---|---|{'---|' * len(MATCHES)}")
    for order in ("any", "ladder"):
        shares = settling(runs, order)
        for number, name in enumerate(("online Elo", "estimate")):
            print(f"| {order} | {name} | {' | '.join(f'{s[number]:.1%}' for s in shares)} |")


def print_fed(runs: int) -> None:
    """Print the second table."""
    print("\n| feeders | rank by Elo without bound | by Elo | by the estimate |")
    print("|---|---|---|---|")
    for feeders in FEEDERS:
        before = fmean(fed(field, feeders)[0] for field in fields(runs, bounded=False))
        ranks = [fed(field, feeders) for field in fields(runs)]
        elo, estimate = (fmean(column) for column in zip(*ranks, strict=True))
        print(f"| {feeders} | {before:.1f} | {elo:.1f} | {estimate:.1f} |")


if __name__ == "__main__":
    main()
