"""Whether the intervals of the online ratings hold, on a small scale; the table is in the docs."""

from __future__ import annotations

from itertools import islice
from statistics import mean

import pytest
from benchmarks.online_ratings import MATCHES, ladder


@pytest.mark.parametrize("order", ["any", "ladder"])
def test_about_so_many_intervals_hold_as_they_say(order: str) -> None:
    # Seeded, so always the same: 3 fields of 20 bots whose strengths are spread over 100 Elo.
    counts = MATCHES[:3]
    runs = [dict(islice(ladder(100, order, seed), len(counts))) for seed in range(3)]
    for matches in counts:
        assert 0.85 < mean(held for run in runs for held in run[matches]) <= 1
