"""Whether results differ between the workers that played them by more than chance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PERMUTATIONS = 2_000


class WorkedBlock(NamedTuple):
    """The result of a block: its worker, its bots in any fixed order, the first one's mean score.

    A score is 1 for a win over an opponent, ½ for a tie, 0 for a loss.
    """

    worker: str
    bots: tuple[str, ...]
    score: float


def chance(blocks: Sequence[WorkedBlock], seed: int = 0) -> float | None:
    """How probable such differences would be if it did not matter which worker plays a block.

    A permutation test: within the blocks of the same bots, workers are exchanged at random. The
    statistic is the sum over workers and bots of n (mean of the worker - mean of all)². Nothing is
    supposed of how scores are distributed, and it does not matter which bots a worker has played.

    Returns:
        the probability, at least 1 / (PERMUTATIONS + 1); None if no two workers have played the
        same bots.
    """
    by_bots: defaultdict[tuple[str, ...], list[WorkedBlock]] = defaultdict(list)
    for block in blocks:
        by_bots[block.bots].append(block)
    compared = [group for group in by_bots.values() if len({one.worker for one in group}) > 1]
    if not compared:
        return None
    random = np.random.default_rng(seed)
    found = np.zeros(PERMUTATIONS + 1)
    for group in compared:
        scores = np.array([one.score for one in group])
        names = sorted({one.worker for one in group})
        workers = np.array([names.index(one.worker) for one in group])
        centred = scores - scores.mean()
        found[0] += _between(centred, workers, len(names))
        for number in range(1, PERMUTATIONS + 1):
            found[number] += _between(random.permutation(centred), workers, len(names))
    as_large = np.count_nonzero(found[1:] >= found[0] - 1e-9)
    return float((as_large + 1) / (PERMUTATIONS + 1))


def _between(centred: NDArray[np.float64], workers: NDArray[np.int64], count: int) -> float:
    sums = np.bincount(workers, weights=centred, minlength=count)
    return float((sums**2 / np.bincount(workers, minlength=count)).sum())
