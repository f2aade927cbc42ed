"""Chance from a secret deal: the vectors that other languages must meet, and that it is fair."""

from __future__ import annotations

import hashlib
from collections import Counter

import pytest

from polynya_games.chance import NO_DEAL, Chance, deal_from_hex, deal_of_seed

COUNTING = bytes(range(32))


def test_values_are_those_of_the_vectors() -> None:
    zeros, counting = Chance(NO_DEAL), Chance(COUNTING)
    assert [f"{zeros.next():016x}" for _ in range(3)] == [
        "2c34ce1df23b838c",
        "08e00266fff0aacc",
        "975674ca07642178",
    ]
    assert [f"{counting.next():016x}" for _ in range(2)] == [
        "a9d6e500293a88bd",
        "6061c4386d7a1788",
    ]


def test_a_value_is_the_hash_of_the_deal_and_its_number() -> None:
    digest = hashlib.sha256(COUNTING + (7).to_bytes(8, "big")).digest()
    assert Chance(COUNTING, 7).next() == int.from_bytes(digest[:8], "big")


def test_it_goes_on_after_the_values_that_are_used_up() -> None:
    whole = Chance(COUNTING)
    values = [whole.next() for _ in range(5)]
    rest = Chance(COUNTING, 2)
    assert [rest.next() for _ in range(3)] == values[2:]
    assert (whole.drawn, rest.drawn) == (5, 5)


def test_a_value_beyond_the_greatest_multiple_is_passed_over_and_used_up() -> None:
    # The greatest multiple of 2**63 + 1 is itself: half of all values are passed over.
    bound = 2**63 + 1
    values = [Chance(NO_DEAL, number).next() for number in range(4)]
    assert [value < bound for value in values] == [True, True, False, True]
    chance = Chance(NO_DEAL, 2)
    assert chance.below(bound) == values[3]
    assert chance.drawn == 4


def test_numbers_are_equally_likely() -> None:
    chance = Chance(NO_DEAL)
    counts = Counter(chance.below(6) for _ in range(60_000))
    assert sorted(counts) == [0, 1, 2, 3, 4, 5]
    # Five degrees of freedom: 20.5 is exceeded once in a thousand deals, and this deal is fixed.
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts.values()) < 20.5


def test_orders_are_equally_likely() -> None:
    chance = Chance(NO_DEAL)
    orders: Counter[tuple[int, ...]] = Counter()
    for _ in range(24_000):
        items = [1, 2, 3, 4]
        chance.shuffle(items)
        orders[tuple(items)] += 1
    assert len(orders) == 24
    # 23 degrees of freedom: 49.7 is exceeded once in a thousand deals.
    assert sum((count - 1_000) ** 2 / 1_000 for count in orders.values()) < 49.7
    assert chance.drawn == 3 * 24_000


def test_a_shuffle_is_that_of_the_vector() -> None:
    items = list(range(10))
    Chance(NO_DEAL).shuffle(items)
    assert items == [1, 7, 3, 6, 9, 4, 2, 0, 5, 8]


def test_a_seed_stands_for_a_deal_of_24_zero_bytes() -> None:
    assert deal_of_seed(258).hex() == "00" * 30 + "0102"


@pytest.mark.parametrize(
    "text", ["", "00", "0" * 63, "0" * 65, "A" * 64, "g" * 64, "0 " * 32, None, 7]
)
def test_only_64_lower_case_digits_are_a_deal(text: object) -> None:
    assert deal_from_hex(text) is None


def test_a_deal_is_read_from_its_digits() -> None:
    assert deal_from_hex(COUNTING.hex()) == COUNTING
