"""The recorded matches that are most worth watching."""

from __future__ import annotations

from dataclasses import replace

from tests.web.records import match_row

from polynya_store import RecentResult, SeatRow
from polynya_web.content.front.remarkable import remarkable


def result(
    match: str,
    scores: tuple[int, int] = (30, 20),
    ratings: tuple[float | None, float | None] = (1500.0, 1500.0),
) -> RecentResult:
    """A match of two bots, which are ranked by their scores."""
    best = max(scores)
    seats = tuple(
        SeatRow(f"bot{seat}", 1 if score == best else 2, score, None)
        for seat, score in enumerate(scores)
    )
    ended = {"finished_ms": 1, "reason": "finished", "termination": "finished"}
    row = match_row(match=match, seats=seats, **ended)
    return RecentResult(row, ratings, "elo")


def test_an_upset_comes_before_later_matches() -> None:
    found = remarkable([result("latest"), result("upset", ratings=(1400.0, 1600.0))], 2)
    assert [(one.row.match, one.why) for one in found] == [("upset", ("upset",)), ("latest", ())]


def test_a_victory_of_the_stronger_bot_is_no_upset() -> None:
    [found] = remarkable([result("expected", ratings=(1600.0, 1400.0))], 1)
    assert found.why == ()


def test_points_of_openskill_are_measured_on_their_own_scale() -> None:
    upset = replace(result("upset", ratings=(21.0, 27.0)), system="openskill")
    [found] = remarkable([upset], 1)
    assert found.why == ("upset",)


def test_a_difference_of_five_in_a_hundred_is_close() -> None:
    found = remarkable([result("close", (100, 95)), result("clear", (100, 94))], 2)
    assert [(one.row.match, one.why) for one in found] == [("close", ("close",)), ("clear", ())]


def test_the_highest_score_of_ten_matches_is_a_record() -> None:
    results = [result(f"m{number}", (30 + number, 10)) for number in range(10)]
    assert remarkable(results, 1)[0].row.match == "m9"
    assert remarkable(results[:9], 1)[0].why == ()


def test_bots_without_a_rating_make_no_upset() -> None:
    [found] = remarkable([result("unrated", ratings=(None, None))], 1)
    assert found.why == ()
