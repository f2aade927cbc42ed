"""Ranks from results."""

from __future__ import annotations

import pytest

from polynya_games.ranking import ranking


@pytest.mark.parametrize(
    ("results", "forfeited", "expected"),
    [
        ([3, 7], (), (2, 1)),
        ([7, 7, 3], (), (1, 1, 3)),
        ([5, 5, 5, 5], (), (1, 1, 1, 1)),
        ([(10, 4), (10, 5), (9, 9)], (), (2, 1, 3)),
        ([9, 1], (0,), (2, 1)),
        ([9, 1, 5, 5], (0,), (4, 3, 1, 1)),
        ([9, 1, 5, 8], (3, 0), (3, 2, 1, 4)),
        ([0, 0, 0, 0], (2, 0, 1), (3, 2, 4, 1)),
    ],
)
def test_ranks(
    results: list[object], forfeited: tuple[int, ...], expected: tuple[int, ...]
) -> None:
    assert expected == ranking(results, forfeited)
