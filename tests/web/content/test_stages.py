"""The stage of a match in its tournament, in words."""

from __future__ import annotations

from polynya_store import Meeting, ScheduleRow, SeatRow
from polynya_web.content.front.stages import stage_words
from polynya_web.content.texts import TEXTS


def row(number: int, state: str, ranks: tuple[int | None, int | None]) -> ScheduleRow:
    seats = tuple(SeatRow(name, rank, None, None) for name, rank in zip("ab", ranks, strict=True))
    return ScheduleRow(number, "knockout/1/1/a,b", state, None, f"m{number}", seats)


ROWS = (row(1, "played", (1, 2)), row(2, "in_play", (None, None)), row(3, "dropped", (None, None)))


def test_stage_in_a_bracket_says_how_many_matches_decide_and_the_score() -> None:
    meeting = Meeting("cup", 1, ("a", "b"), ROWS, None, None)
    words = stage_words(meeting, "m2", "Final", "knockout", TEXTS["en"])
    assert words == "Final, best of 2, 1 : 0"


def test_stage_elsewhere_says_which_match_of_the_meeting_it_is() -> None:
    meeting = Meeting("cup", 1, ("a", "b"), ROWS, None, None)
    words = stage_words(meeting, "m2", "Round 1", "swiss", TEXTS["en"])
    assert words == "Round 1, match 2 of 2, 1 : 0"


def test_stage_of_a_single_match_is_its_round() -> None:
    meeting = Meeting("cup", 1, ("a", "b"), ROWS[:1], None, None)
    assert stage_words(meeting, "m1", "Round 1", "swiss", TEXTS["en"]) == "Round 1"
