"""How long those whose matches the server annulled wait."""

from __future__ import annotations

from polynya_tournaments.tournament.backoff import MAX_ANNULLED, MAX_WAIT_S, AnnulmentBackoff


def test_the_wait_doubles_with_each_annulled_match_in_a_row() -> None:
    overload = AnnulmentBackoff(first_wait_s=0.25)
    assert [overload.annulled("ann") for _ in range(4)] == [0.25, 0.5, 1, 2]


def test_no_wait_is_longer_than_the_longest() -> None:
    overload = AnnulmentBackoff()
    waits = [overload.annulled("ann") for _ in range(5_000)]
    assert MAX_WAIT_S == max(waits) == waits[-1]


def test_a_match_that_was_not_annulled_ends_the_row() -> None:
    overload = AnnulmentBackoff(first_wait_s=0.25)
    overload.annulled("ann")
    overload.reset("ann")
    assert overload.annulled("ann") == 0.25


def test_longest_row_of_annulments_decides() -> None:
    overload = AnnulmentBackoff(first_wait_s=0.25)
    overload.annulled("ann")
    assert overload.annulled("ann", "bob") == 0.5
    assert overload.annulled("bob", "cid") == 0.5


def test_zero_first_wait_means_no_wait() -> None:
    overload = AnnulmentBackoff(first_wait_s=0)
    assert {0.0} == {overload.annulled("ann") for _ in range(20)}


def test_match_annulled_too_often_in_a_row_is_exhausted() -> None:
    overload = AnnulmentBackoff()
    for _ in range(MAX_ANNULLED - 1):
        overload.annulled(7)
    assert not overload.is_exhausted(7)
    overload.annulled(7)
    assert overload.is_exhausted(7)
    assert not overload.is_exhausted(8)
