"""Results of seats in words, as lists show them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from polynya_store.rows import SeatRow
from polynya_web.content.seat_results import seat_results
from polynya_web.content.texts import TEXTS


def seats(*results: tuple[int | None, int | None], forfeit: str | None = None) -> list[SeatRow]:
    """Seats with a rank and a score each; the last one may have forfeited."""
    last = len(results) - 1
    return [
        SeatRow("abcd"[seat], rank, score, forfeit if seat == last else None)
        for seat, (rank, score) in enumerate(results)
    ]


def told(
    found: Sequence[SeatRow], game: str = "packeis", termination: str = "finished", t: str = "en"
) -> list[tuple[str, str]]:
    results = seat_results(found, game, termination, TEXTS[t])
    return [(one.place, one.score) for one in results]


def test_winner_of_two_is_named_and_scores_have_their_unit() -> None:
    assert told(seats((1, 34), (2, 1))) == [("won", "34 fish"), ("", "1 fish")]
    assert told(seats((1, 34), (2, 1)), t="de") == [("gewann", "34 Fische"), ("", "1 Fisch")]


def test_ranks_are_told_where_more_than_two_play() -> None:
    expected = [("rank 2", "20 fish"), ("won", "34 fish"), ("rank 3", "9 fish")]
    assert expected == told(seats((2, 20), (1, 34), (3, 9)))


def test_shared_first_place_is_a_rank() -> None:
    expected = [("rank 1", "20 fish"), ("rank 1", "20 fish"), ("rank 3", "9 fish")]
    assert expected == told(seats((1, 20), (1, 20), (3, 9)))


def test_equal_ranks_are_a_draw() -> None:
    assert told(seats((1, 20), (1, 20))) == [("drew", "20 fish"), ("drew", "20 fish")]


def test_game_without_a_unit_counts_points() -> None:
    assert told(seats((1, 1), (2, 0)), "chess") == [("won", "1 point"), ("", "0 points")]


def test_scores_of_nought_are_left_out() -> None:
    assert told(seats((1, 0), (2, 0), forfeit="timeout")) == [("won", ""), ("", "")]


def test_victory_is_told_instead_of_the_score() -> None:
    expected = [("won", "a tower of its five pawns"), ("", "")]
    assert expected == told(seats((1, 1), (2, 2)), "icecult", "victory")
    expected = [("won", "1 pawn in the goal"), ("", "2 pawns in the goal")]
    assert expected == told(seats((1, 1), (2, 2)), "icecult", "limit")


@pytest.mark.parametrize("count", [2, 3])
def test_match_without_a_result_has_no_words(count: int) -> None:
    assert [("", "")] * count == told(seats(*[(None, None)] * count))


def test_forfeit_is_kept() -> None:
    found = seat_results(
        seats((1, 3), (2, 4), forfeit="timeout"), "packeis", "forfeit", TEXTS["en"]
    )
    assert [one.forfeit for one in found] == [None, "timeout"]
