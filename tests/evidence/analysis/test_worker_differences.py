"""Differences between workers are told from chance, whichever bots each has played."""

from __future__ import annotations

import random

from polynya_evidence.analysis.worker_differences import WorkedBlock, chance


def blocks(slow: float, seed: int) -> list[WorkedBlock]:
    """300 blocks of three pairs on three workers; on the last, the first bot wins less often."""
    dice = random.Random(seed)
    found = []
    for number in range(300):
        worker, pair = f"w{dice.randrange(3)}", number % 3
        wins = 0.2 + 0.25 * pair - (slow if worker == "w2" else 0)
        score = sum(dice.random() < wins for _ in range(2)) / 2
        found.append(WorkedBlock(worker, ("ann", f"bob{pair}"), score))
    return found


def test_worker_on_which_a_bot_does_worse_is_beyond_chance() -> None:
    assert chance(blocks(0.2, seed=1)) == 1 / 2001


def test_workers_alike_are_within_chance() -> None:
    found = [chance(blocks(0, seed=seed)) for seed in range(20)]
    assert all(one is not None and one > 0.001 for one in found)
    below_a_half = sum(one is not None and one < 0.5 for one in found)
    assert 4 <= below_a_half <= 16


def test_workers_that_played_other_bots_cannot_be_compared() -> None:
    apart = [WorkedBlock("w1", ("ann", "bob"), 1.0), WorkedBlock("w2", ("ann", "cid"), 0.0)]
    assert chance(apart) is None
