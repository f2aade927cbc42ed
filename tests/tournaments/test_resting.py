"""The journal's thread rests: so many times as long as it computes, a little at a time."""

from __future__ import annotations

import pytest

from polynya_tournaments.store import resting
from polynya_tournaments.store.resting import SLICE_S, Rests, rest_if_due


class Thread:
    """A thread that computes as long as it is told to, and remembers how long it has rested."""

    def __init__(self) -> None:
        self.computed_s = 0.0
        self.rested_s: list[float] = []
        self.rests = Rests(2.0, lambda: self.computed_s, self.rested_s.append)

    def compute(self, seconds: float) -> None:
        self.computed_s += seconds
        self.rests.rest_if_due()


def test_it_rests_so_many_times_as_long_as_it_has_computed_since_the_last_rest() -> None:
    thread = Thread()
    thread.compute(0.001)
    thread.compute(0.002)
    assert thread.rested_s == pytest.approx([0.002, 0.004])


def test_it_does_not_rest_before_it_has_computed_for_a_while() -> None:
    thread = Thread()
    thread.compute(0.75 * SLICE_S)
    assert thread.rested_s == []
    thread.compute(0.75 * SLICE_S)
    assert thread.rested_s == pytest.approx([3 * SLICE_S])


def test_only_a_thread_in_a_resting_block_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    thread = Thread()
    monkeypatch.setattr(resting, "Rests", lambda _per_computing: thread.rests)
    thread.computed_s = 1
    rest_if_due()
    before = list(thread.rested_s)
    with resting.resting(2.0):
        rest_if_due()
    assert (before, thread.rested_s) == ([], [2])


def test_with_nothing_to_rest_it_does_not_even_look_at_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(resting, "Rests")
    with resting.resting(0.0):
        rest_if_due()
