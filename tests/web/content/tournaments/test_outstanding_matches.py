"""The matches of a tournament that stand out."""

from __future__ import annotations

from polynya_store import ScheduleRow
from polynya_store.rows import SeatRow
from polynya_web.content.tournaments.outstanding_matches import outstanding

STRENGTHS = {"strong": 1700.0, "middle": 1500.0, "weak": 1300.0}


def match(
    number: int,
    scores: dict[str, int],
    seconds: int = 10,
    forfeit: str | None = None,
    length: bool = True,
) -> ScheduleRow:
    """A match with scores by bot; the more, the better the rank."""
    ranks = sorted(scores.values(), reverse=True)
    seats = tuple(
        SeatRow(name, 1 + ranks.index(score), score, forfeit if score == ranks[-1] else None)
        for name, score in scores.items()
    )
    return ScheduleRow(
        number, "b/1/1/x", "played", None, f"m-{number}", seats, 1_000 * seconds if length else None
    )


ROWS = [
    match(1, {"strong": 30, "weak": 10}),
    match(2, {"middle": 21, "strong": 20}),
    match(3, {"weak": 25, "strong": 20}),
    match(4, {"middle": 20, "weak": 20}, seconds=99),
]


def found(rows: list[ScheduleRow]) -> dict[str, str]:
    return {one.key: one.match for one in outstanding(rows, STRENGTHS)}


def test_closest_match_upset_and_longest_match_are_found() -> None:
    assert found(ROWS) == {"closest": "m-2", "upset": "m-3", "longest": "m-4"}


def test_upset_has_the_strengths_of_the_winner_and_of_the_best_other() -> None:
    [upset] = [one for one in outstanding(ROWS, STRENGTHS) if one.key == "upset"]
    assert upset.strengths == (1300.0, 1700.0)
    assert [seat.name for seat in upset.seats] == ["weak", "strong"]


def test_forfeited_match_does_not_stand_out() -> None:
    forfeited = match(5, {"weak": 21, "strong": 20}, seconds=500, forfeit="timeout")
    assert found([*ROWS, forfeited]) == found(ROWS)


def test_match_without_a_shown_result_does_not_stand_out() -> None:
    assert found([*ROWS, match(5, {"weak": 21, "strong": 20}, length=False)]) == found(ROWS)


def test_tournament_without_a_surprise_has_no_upset() -> None:
    rows = [match(number, {"strong": 20 + number, "weak": 1}) for number in range(1, 6)]
    assert found(rows) == {"closest": "m-1", "longest": "m-1"}


def test_scores_that_do_not_explain_the_ranks_are_not_close() -> None:
    seats = (SeatRow("strong", 1, 0, None), SeatRow("weak", 2, 0, None))
    rows = [ScheduleRow(n, "b/1/1/x", "played", None, f"m-{n}", seats, 5) for n in range(1, 6)]
    assert found(rows) == {"longest": "m-1"}


def test_few_matches_have_none_that_stands_out() -> None:
    assert found(ROWS[:3]) == {}
