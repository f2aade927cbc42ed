"""How often a bot moves directly before another and directly after it, as formats.md says."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, islice

import pytest

from polynya_contest.pairing.designs import Neighbours, balanced_groups, seat_orders


def differences(bots: int, players: int, cycles: int) -> list[int]:
    """By pair of bots, how much more often the one moved directly before the other."""
    neighbours, before = Neighbours(), Counter[tuple[int, int]]()
    for groups in islice(balanced_groups(bots, players), cycles):
        for group in groups:
            for seats in seat_orders(neighbours.seat(group)):
                before.update(zip(seats, (*seats[1:], seats[0]), strict=True))
    return [
        abs(before[one, other] - before[other, one]) for one, other in combinations(range(bots), 2)
    ]


@pytest.mark.parametrize("cycles", [1, 5, 20])
@pytest.mark.parametrize("bots", [4, 7, 16])
def test_of_four_players_each_moves_before_another_as_often_as_after_it(
    bots: int, cycles: int
) -> None:
    assert set(differences(bots, 4, cycles)) == {0}


@pytest.mark.parametrize("cycles", [1, 5, 20])
@pytest.mark.parametrize("bots", [3, 7, 13, 16])
def test_of_three_players_the_two_numbers_differ_by_nine_at_the_most(
    bots: int, cycles: int
) -> None:
    assert max(differences(bots, 3, cycles)) <= 9
