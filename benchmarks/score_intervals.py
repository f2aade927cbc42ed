"""How often the 95 % interval of a score holds the truth: matches of two bots by simulated blocks.

A block has two matches, and the true score is known. It is reached in three ways:

- ``set-up``: a block is won or lost as a whole;
- ``seat``: four blocks of five are level, as each match is won by the same seat, the others are
  won or lost as a whole;
- ``independent``: matches are independent, with some draws.

``python -m benchmarks.score_intervals`` prints the table of docs/ratings.md.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from polynya_contest.ratings.score_interval import block_sample

Array = np.ndarray[Any, np.dtype[Any]]

LEVEL_BLOCKS = 0.8
"""The share of level blocks where the seat decides."""

BLOCKS = (3, 5, 10, 20, 50, 200)
"""Of the columns of the table."""


@dataclass(frozen=True, slots=True)
class Truth:
    """A simulated match-up.

    Attributes:
        decides: ``set-up``, ``seat`` or ``independent``.
        score: the true one.
        draws: the share of draws where matches are independent.
    """

    decides: str
    score: float
    draws: float = 0.0

    def halves(self, runs: int, blocks: int, random: np.random.Generator) -> Array:
        """Twice the points in each block (0 to 4), an array (runs, blocks)."""
        shape = (runs, blocks)
        if self.decides == "set-up":
            return 4 * (random.random(shape) < self.score)
        if self.decides == "seat":
            winning = 0.5 + (self.score - 0.5) / (1 - LEVEL_BLOCKS)
            whole = 4 * (random.random(shape) < winning)
            return np.where(random.random(shape) < LEVEL_BLOCKS, 2, whole)
        chance = random.random((*shape, 2))
        winning = self.score - self.draws / 2
        by_match = (chance < winning) * 1 + (chance < winning + self.draws)
        return np.asarray(by_match.sum(axis=2))


def truths() -> Iterator[Truth]:
    """The cases that docs/ratings.md has a line for."""
    yield Truth("set-up", 0.5)
    yield Truth("set-up", 0.7)
    yield Truth("seat", 0.5)
    yield Truth("seat", 0.55)
    for draws in (0.0, 0.3, 0.6):
        yield Truth("independent", 0.5, draws)
        yield Truth("independent", 0.65, draws)


def coverage(truth: Truth, blocks: int, runs: int, seed: int) -> float:
    """The share of the intervals that held the true score; the same seed gives the same number."""
    random = np.random.default_rng(seed)
    rows = truth.halves(runs, blocks, random)
    counts = np.stack([(rows == halves).sum(axis=1) for halves in range(5)], axis=1)
    intervals = (_interval(tuple(row)) for row in counts.tolist())
    return sum(low <= truth.score <= high for low, high in intervals) / runs


@cache
def _interval(counts: tuple[int, ...]) -> tuple[float, float]:
    """After these numbers of blocks with 0 to 4 half points."""
    return block_sample(Counter({n / 4: count for n, count in enumerate(counts)})).interval()


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--runs", type=int, default=10_000, help="matches for each cell")
    runs = arguments.parse_args().runs
    print("| decides | draws | score |", *(f"{blocks} blocks |" for blocks in BLOCKS))
    print("|---|---|---|" + "---|" * len(BLOCKS))
    for truth in truths():
        draws = f"{100 * truth.draws:.0f} %" if truth.decides == "independent" else ""
        cells = [f"{100 * coverage(truth, blocks, runs, seed=1):.1f} %" for blocks in BLOCKS]
        print(
            "|",
            " | ".join([truth.decides, draws, f"{100 * truth.score:.0f} %", *cells]),
            "|",
            flush=True,
        )


if __name__ == "__main__":
    main()
