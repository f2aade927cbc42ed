"""The generator of set-ups against its definition: a seed means the same for ever."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from polynya_games.randomness import SplitMix64

SEEDS = st.integers(0, 2**64 - 1)


def seed_whose_number_is(number: int, place: int) -> int:
    """The mixing is a bijection: go back from the number to the state, and to the seed."""
    for shift, factor in ((31, 0x94D049BB133111EB), (27, 0xBF58476D1CE4E5B9), (30, 1)):
        unshifted = number
        for _ in range(64 // shift):
            unshifted = number ^ (unshifted >> shift)
        number = unshifted * pow(factor, -1, 2**64) % 2**64
    return (number - place * 0x9E3779B97F4A7C15) % 2**64


def one_by_one(generator: SplitMix64, bounds: Sequence[int]) -> list[int]:
    return [generator.below(bound) for bound in bounds]


def test_the_numbers_are_those_of_the_published_generator() -> None:
    generator = SplitMix64(1234567)
    assert [generator.next() for _ in range(5)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


@given(SEEDS, st.lists(st.integers(1, 2**64 - 1), max_size=80))
def test_numbers_below_many_bounds_are_those_below_each(seed: int, bounds: list[int]) -> None:
    expected, generator = SplitMix64(seed), SplitMix64(seed)
    assert one_by_one(expected, bounds) == generator.below_each(bounds)
    assert expected.next() == generator.next()


@given(st.integers(1, 59), st.integers(0, 60))
def test_numbers_that_are_not_equally_likely_are_refused(place: int, below_the_end: int) -> None:
    number = 2**64 - 1 - below_the_end
    seed = seed_whose_number_is(number, place)
    bounds = range(60, 1, -1)
    expected, generator = SplitMix64(seed), SplitMix64(seed)
    assert one_by_one(expected, bounds) == generator.below_each(bounds)
    assert expected.next() == generator.next()


def test_a_refused_number_is_skipped() -> None:
    seed = seed_whose_number_is(2**64 - 1, place=1)
    generator = SplitMix64(seed)
    generator.next()
    assert generator.next() % 60 == SplitMix64(seed).below_each([60])[0]


def test_a_shuffle_goes_from_the_last_item_to_the_second() -> None:
    generator, items = SplitMix64(9), list("abcdef")
    for last in range(5, 0, -1):
        other = generator.below(last + 1)
        items[last], items[other] = items[other], items[last]
    shuffled = list("abcdef")
    SplitMix64(9).shuffle(shuffled)
    assert items == shuffled


def test_nothing_and_one_thing_can_be_shuffled() -> None:
    nothing: list[str] = []
    one = ["a"]
    SplitMix64(0).shuffle(nothing)
    SplitMix64(0).shuffle(one)
    assert (nothing, one) == ([], ["a"])
