"""Brackets as drawings: nothing overlaps, and winners go along lines."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from polynya_contest.pairing.formats.brackets.bracket import (
    Bracket,
    double_bracket,
    knockout_bracket,
)
from polynya_contest.pairing.standings import Meeting, Round
from polynya_evidence.reports.bracket_drawing import (
    LINE,
    NARROWEST,
    SMALL_LINE,
    WIDEST,
    WINDOW,
    Drawing,
    draw,
)

SEEDS = [f"bot{number}" for number in range(1, 34)]
BRACKETS = [
    *(knockout_bracket(bots, 2, third_place=True) for bots in (2, 3, 4, 5, 8, 9, 16, 33)),
    *(knockout_bracket(bots, size) for bots, size in ((3, 3), (9, 3), (13, 3), (16, 4), (33, 4))),
    *(double_bracket(bots) for bots in (2, 3, 4, 7, 8, 9, 16, 33)),
]
FOUR = knockout_bracket(4, 2, third_place=True)
SEMIFINALS = Round(
    1,
    "semi-finals",
    (
        Meeting(("bot1", "bot4"), (0, 2), ("bot4",), "", "knockout/1/1", ("", "")),
        Meeting(("bot2", "bot3"), (1, 1), (), "", "knockout/1/2", ("", "")),
    ),
    "knockout",
)


def unplayed(bracket: Bracket) -> Drawing:
    return draw(bracket, SEEDS, (), {})


@pytest.mark.parametrize("bracket", BRACKETS)
def test_no_two_boxes_overlap(bracket: Bracket) -> None:
    drawing = unplayed(bracket)
    assert [
        (one, other)
        for one, other in combinations(drawing.boxes, 2)
        if one.x == other.x
        and one.y < other.y + other.height + drawing.below
        and other.y < one.y + one.height + drawing.below
    ] == []


@pytest.mark.parametrize("bracket", BRACKETS)
def test_every_meeting_has_a_box_with_a_line_for_each_bot(bracket: Bracket) -> None:
    shown = [one for one in bracket.rounds if one.part != "deciding final"]
    meetings = [one for round_ in shown for one in round_.fixtures]
    boxes = unplayed(bracket).boxes
    lines = sorted(len(one.origins) for one in meetings)
    assert lines == sorted(len(box.places) for box in boxes)


@pytest.mark.parametrize("bracket", BRACKETS)
def test_all_is_within_the_drawing(bracket: Bracket) -> None:
    drawing = unplayed(bracket)
    assert all(0 <= box.x <= drawing.width - drawing.box_width for box in drawing.boxes)
    ends = drawing.height - drawing.below
    assert all(0 < box.y <= ends - box.height for box in drawing.boxes)


@pytest.mark.parametrize("bracket", BRACKETS)
def test_lines_lead_from_box_to_box_to_the_right(bracket: Bracket) -> None:
    drawing = unplayed(bracket)
    begins = {(box.x + drawing.box_width, box.middle) for box in drawing.boxes}
    ends = {(box.x, box.middle) for box in drawing.boxes}
    assert drawing.champion is not None
    ends.add((drawing.champion.x, drawing.champion.y + LINE // 2))
    for points, _ in drawing.lines:
        numbers = [int(number) for number in points.replace(",", " ").split()]
        assert (numbers[0], numbers[1]) in begins
        assert (numbers[-2], numbers[-1]) in ends
        assert numbers[0] < numbers[-2]


@pytest.mark.parametrize("bracket", [knockout_bracket(16, 2), double_bracket(8)])
def test_bracket_fits_into_a_usual_window(bracket: Bracket) -> None:
    assert unplayed(bracket).width <= WINDOW


def test_boxes_of_a_long_bracket_stay_wide_enough_for_names() -> None:
    assert unplayed(double_bracket(33)).box_width == NARROWEST
    assert unplayed(knockout_bracket(4, 2)).box_width == WIDEST


def test_every_box_but_that_for_the_third_place_has_a_line_onward() -> None:
    drawing = unplayed(knockout_bracket(16, 2, third_place=True))
    assert len(drawing.boxes) - 1 == len(drawing.lines)


def test_bye_is_drawn_with_its_bot_and_a_line_to_its_first_meeting() -> None:
    drawing = unplayed(knockout_bracket(3, 2))
    bye, semifinal, final = drawing.boxes
    assert ([place.name for place in bye.places], bye.note) == (["bot1"], "bye")
    begins = {(x, y) for x, y in map(begin_of, drawing.lines)}
    assert begins == {(box.x + drawing.box_width, box.middle) for box in (bye, semifinal, final)}


def begin_of(line: tuple[str, bool]) -> tuple[int, int]:
    x, y = line[0].split()[0].split(",")
    return int(x), int(y)


def test_winner_stands_in_a_box_behind_the_final() -> None:
    final = Meeting(("bot1", "bot2"), (2, 0), ("bot1",), "", "final/1/1", ("", ""))
    rounds = [Round(1, "final", (final,), "final")]
    drawing = draw(knockout_bracket(2, 2), SEEDS, rounds, {}, "bot1")
    [box], champion = drawing.boxes, drawing.champion
    assert champion is not None
    assert (champion.name, champion.y + LINE // 2) == ("bot1", box.middle)
    assert champion.x > box.x + drawing.box_width
    assert drawing.lines[-1][1]


def test_place_of_a_loser_says_of_which_meeting() -> None:
    semifinals = [box for box in unplayed(FOUR).boxes if box.number]
    third = unplayed(FOUR).boxes[-1]
    assert [box.number for box in semifinals] == [1, 2]
    assert [(place.loser_of, place.loser_of_number) for place in third.places] == [
        ("semi-finals", 1),
        ("semi-finals", 2),
    ]
    assert third.places[0].loser_of_players == ("bot1", "bot4")


def test_meeting_whose_loser_is_known_has_no_number() -> None:
    first, second, *_ = draw(FOUR, SEEDS, [SEMIFINALS], {}).boxes
    assert (first.number, second.number) == (0, 2)


def test_seeds_stand_in_the_first_round() -> None:
    places = [[place.name for place in box.places] for box in unplayed(FOUR).boxes[:2]]
    assert places == [["bot1", "bot4"], ["bot2", "bot3"]]


def test_who_has_won_stands_in_the_next_box_at_once() -> None:
    drawing = draw(FOUR, SEEDS, [SEMIFINALS], {})
    third, final = sorted(drawing.boxes[2:], key=lambda box: -box.y)
    assert [place.name for place in final.places] == ["bot4", ""]
    assert [place.name for place in third.places] == ["bot1", ""]
    assert [place.loser_of for place in third.places] == ["", "semi-finals"]
    assert sorted((gone for _, gone in drawing.lines), reverse=True) == [True, False, False]


def test_a_meeting_has_its_matches() -> None:
    matches = {(1, frozenset(("bot1", "bot4"))): ["cup-1", "cup-2"]}
    first, second, *_ = draw(FOUR, SEEDS, [SEMIFINALS], matches).boxes
    assert (first.matches, second.matches) == (("cup-1", "cup-2"), ())


def test_a_deciding_final_stands_there_only_if_it_is_played() -> None:
    bracket = double_bracket(4)
    again = Meeting(("bot1", "bot2"), (0, 0), (), "", bracket.deciding, ("", ""))
    played = draw(bracket, SEEDS, [Round(9, "deciding final", (again,), "deciding final")], {})
    assert len(unplayed(bracket).boxes) + 1 == len(played.boxes)


def test_text_on_how_meetings_were_decided_has_a_line_of_its_own_below_each_box() -> None:
    noted = replace(SEMIFINALS.meetings[1], note="tie-break")
    round_ = replace(SEMIFINALS, meetings=(SEMIFINALS.meetings[0], noted))
    plain, decided = draw(FOUR, SEEDS, [SEMIFINALS], {}), draw(FOUR, SEEDS, [round_], {})
    assert (plain.below, decided.below) == (SMALL_LINE, 2 * SMALL_LINE)
    first, second, *_ = decided.boxes
    assert first.y + first.height + decided.below < second.y
