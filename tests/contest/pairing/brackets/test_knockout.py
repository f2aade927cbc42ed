"""Knockout: the bracket of the seeds, byes, series, third place, and bots that are not there."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest
from tests.contest.pairing.brackets.bracket_play import (
    Contest,
    all_draw,
    better_seed_wins,
    named,
    played,
    winning,
)

from polynya_contest.pairing.formats.brackets.knockout import Knockout
from polynya_contest.pairing.formats.brackets.series import Series
from polynya_contest.pairing.formats.interface import Entrant
from polynya_contest.pairing.standings import ABSENT


def knockout(
    bots: int, players: int = 2, best_of: int = 1, tie_breaks: int = 0, *, third: bool = False
) -> Contest:
    def make(entrants: Sequence[Entrant]) -> Knockout:
        series = Series("knockout", best_of, tie_breaks)
        return Knockout(entrants, players, series, third_place=third)

    return Contest(make, named(bots))


def test_first_round_pairs_best_and_last_seed() -> None:
    contest = knockout(8)
    assert [block.players for block in contest.draw()] == [
        ("b1", "b8"),
        ("b2", "b7"),
        ("b3", "b6"),
        ("b4", "b5"),
    ]


def test_if_better_seeds_win_each_round_leaves_the_best_seeds() -> None:
    for bots in range(2, 33):
        contest = knockout(bots)
        contest.play()
        left = bots
        for round_ in contest.format.rounds(contest.blocks):
            left = 2 ** ((left - 1).bit_length() - 1)
            went_on = {name for meeting in round_.meetings for name in meeting.advancing}
            assert went_on == {f"b{number}" for number in range(1, left + 1)}, bots


def test_byes_go_to_the_best_seeds() -> None:
    contest = knockout(6)
    contest.play()
    first = contest.format.rounds(contest.blocks)[0]
    assert [m.players for m in first.meetings if m.note == "bye"] == [("b1",), ("b2",)]


def test_upset_winner_takes_over_the_place_of_the_loser() -> None:
    contest = knockout(8)
    contest.play(winning("b8", "b7"))
    rounds = contest.format.rounds(contest.blocks)
    assert {meeting.players for meeting in rounds[1].meetings} == {("b4", "b8"), ("b3", "b7")}


def test_upset_winner_keeps_its_own_seed_for_level_meetings() -> None:
    contest = knockout(8)
    contest.play_next(winning("b7"))
    contest.play_next(winning("b7"))
    assert [block.players for block in contest.draw()] == [("b1", "b7")]
    contest = knockout(8)
    contest.play_next(winning("b7", "b8"))
    contest.play_next(all_draw)
    second = contest.format.rounds(contest.blocks)[1]
    assert [(m.players, m.advancing, m.note) for m in second.meetings] == [
        (("b4", "b8"), ("b4",), "better seed"),
        (("b3", "b7"), ("b3",), "better seed"),
    ]


def test_of_a_pod_of_four_two_go_on_and_the_final_has_one_winner() -> None:
    contest = knockout(8, players=4)
    contest.play()
    first, final = contest.format.rounds(contest.blocks)
    assert [len(meeting.advancing) for meeting in first.meetings] == [2, 2]
    assert (final.name, final.meetings[0].advancing) == ("final", ("b1",))
    assert contest.places() == [["b1"], ["b2"], ["b3"], ["b4"], ["b5", "b6", "b7", "b8"]]


def test_series_ends_when_it_cannot_be_turned() -> None:
    contest = knockout(2, best_of=5)
    contest.play()
    assert len(contest.blocks) == 3


def test_level_series_is_prolonged_and_then_decided_by_the_seed() -> None:
    contest = knockout(2, best_of=3, tie_breaks=2)
    contest.play(all_draw)
    (meeting,) = contest.format.rounds(contest.blocks)[0].meetings
    assert (len(contest.blocks), meeting.advancing, meeting.note) == (5, ("b1",), "better seed")


def test_tie_break_block_decides() -> None:
    contest = knockout(2, tie_breaks=3)
    contest.play_next(all_draw)
    contest.play(winning("b2"))
    (meeting,) = contest.format.rounds(contest.blocks)[0].meetings
    assert (len(contest.blocks), meeting.advancing, meeting.note) == (2, ("b2",), "tie-break")


# The match for the third place


def test_losers_of_the_semi_finals_meet_for_the_third_place() -> None:
    contest = knockout(4, third=True)
    contest.play()
    assert [round_.name for round_ in contest.format.rounds(contest.blocks)] == [
        "semi-finals",
        "third place",
        "final",
    ]
    assert contest.places() == [["b1"], ["b2"], ["b3"], ["b4"]]


def test_third_place_is_shared_without_that_match() -> None:
    contest = knockout(4)
    contest.play()
    assert contest.places() == [["b1"], ["b2"], ["b3", "b4"]]


@pytest.mark.parametrize("bots", [2, 3])
def test_without_two_semi_finals_there_is_no_match_for_the_third_place(bots: int) -> None:
    contest = knockout(bots, third=True)
    contest.play()
    assert "third place" not in [r.name for r in contest.format.rounds(contest.blocks)]


def test_third_place_is_not_given_to_a_bot_that_has_withdrawn() -> None:
    contest = knockout(4, third=True)
    contest.play_next(better_seed_wins)
    contest.withdraw(["b3"])
    contest.play()
    assert contest.places() == [["b1"], ["b2"], ["b4"], ["b3"]]


# Bots that are not there


def test_bots_withdrawn_before_the_start_stand_behind_those_that_played() -> None:
    contest = knockout(4)
    contest.withdraw(["b1", "b4"])
    contest.play()
    assert contest.places() == [["b2"], ["b3"], ["b1", "b4"]]


def test_bots_that_withdraw_in_the_first_round_stand_behind_those_that_played() -> None:
    contest = knockout(4)
    contest.play_while_withdrawing(better_seed_wins, ["b1", "b4"], contest.draw(), finished=0)
    contest.play()
    assert contest.places() == [["b2"], ["b3"], ["b1", "b4"]]
    assert contest.format.verdict(contest.blocks) == ""


def test_knockout_of_two_withdrawn_bots_has_no_winner() -> None:
    contest = knockout(2)
    contest.play_while_withdrawing(better_seed_wins, ["b1", "b2"], contest.draw(), finished=0)
    assert contest.draw() == []
    assert contest.winner() is None
    assert contest.places() == [["b1", "b2"]]
    assert (
        str(contest.format.verdict(contest.blocks)) == "all bots have withdrawn: there is no winner"
    )


def test_bots_that_have_all_withdrawn_before_the_start_have_no_winner() -> None:
    contest = knockout(4)
    contest.withdraw(["b1", "b2", "b3", "b4"])
    assert contest.draw() == []
    assert contest.winner() is None
    assert (
        str(contest.format.verdict(contest.blocks)) == "all bots have withdrawn: there is no winner"
    )


def test_bot_left_alone_before_the_start_wins() -> None:
    contest = knockout(2)
    contest.withdraw(["b1"])
    assert contest.draw() == []
    assert contest.places() == [["b2"], ["b1"]]


def test_absent_bot_is_out_and_its_opponent_goes_on() -> None:
    contest = knockout(4)
    contest.play_next(better_seed_wins, absent=["b1"])
    contest.play()
    assert contest.places() == [["b2"], ["b4"], ["b3"], ["b1"]]


def test_of_two_absent_bots_neither_goes_on_and_the_next_has_a_walkover() -> None:
    contest = knockout(4)
    contest.play_next(better_seed_wins, absent=["b1", "b4"])
    assert contest.draw() == []
    assert contest.winner() == "b2"
    final = contest.format.rounds(contest.blocks)[-1]
    assert [(m.players, m.note) for m in final.meetings] == [(("b2",), "walkover")]


def test_finalists_that_are_both_absent_leave_no_winner() -> None:
    contest = knockout(4)
    contest.play_next(better_seed_wins)
    contest.play_next(better_seed_wins, absent=["b1", "b2"])
    assert contest.draw() == []
    assert contest.winner() is None
    assert contest.places() == [["b1", "b2"], ["b3", "b4"]]
    assert str(contest.format.verdict(contest.blocks)).endswith("there is no winner")


def test_bot_that_withdraws_after_winning_its_meeting_keeps_what_it_won() -> None:
    contest = knockout(4)
    drawn = contest.draw()
    contest.play_while_withdrawing(better_seed_wins, ["b1"], drawn, finished=2)
    contest.play()
    assert contest.places() == [["b2"], ["b1"], ["b3", "b4"]]


def test_bot_with_a_bye_that_withdraws_in_the_first_round_stands_behind_it() -> None:
    contest = knockout(3)
    contest.play_while_withdrawing(better_seed_wins, ["b1"], contest.draw(), finished=1)
    contest.play()
    assert contest.places() == [["b2"], ["b3"], ["b1"]]


def test_bot_that_leads_and_withdraws_in_its_meeting_is_out() -> None:
    contest = knockout(2, best_of=3)
    contest.play_while_withdrawing(better_seed_wins, ["b1"], contest.draw(), finished=1)
    assert contest.draw() == []
    assert contest.places() == [["b2"], ["b1"]]


def test_bot_that_withdraws_before_a_tie_break_is_out() -> None:
    contest = knockout(2, tie_breaks=2)
    contest.play_next(all_draw)
    contest.withdraw(["b1"])
    assert contest.draw() == []
    assert contest.winner() == "b2"


def test_bot_that_won_by_a_withdrawal_keeps_it_when_it_withdraws_later() -> None:
    contest = knockout(4, tie_breaks=2)
    contest.play_next(all_draw)
    contest.withdraw(["b1"])
    contest.blocks += [played(block, winning("b2")) for block in contest.draw()]
    contest.play_while_withdrawing(better_seed_wins, ["b4"], contest.draw(), finished=0)
    assert contest.draw() == []
    assert contest.places() == [["b2"], ["b4"], ["b3"], ["b1"]]


def test_champion_that_withdraws_afterwards_keeps_the_cup() -> None:
    contest = knockout(4)
    contest.play()
    contest.withdraw(["b1"])
    assert contest.draw() == []
    assert contest.places() == [["b1"], ["b2"], ["b3", "b4"]]


def test_level_meeting_goes_to_the_bot_that_missed_fewer_matches() -> None:
    contest = knockout(2, best_of=2)
    first, second = contest.draw()
    contest.blocks += [played(first, winning("b1")), played(second, winning("b1"), {"b1": ABSENT})]
    assert contest.draw() == []
    assert contest.winner() == "b2"


@pytest.mark.parametrize("players", [3, 4])
def test_pod_with_a_withdrawn_bot_is_decided_between_the_others(players: int) -> None:
    contest = knockout(players, players)
    contest.play_while_withdrawing(better_seed_wins, ["b1"], contest.draw(), finished=0)
    assert contest.draw() == []
    assert contest.winner() == "b2"
    assert contest.places()[-1] == ["b1"]


def test_bot_of_three_that_is_never_ready_stands_behind_honest_losers() -> None:
    contest = knockout(9, players=3)
    contest.play_next(winning("b1", "b2", "b3"), silent=["b9"])
    contest.play()
    places = contest.places()
    assert places[-1] == ["b9"]
    assert len(places[-2]) == 2


def test_bots_that_are_never_ready_do_not_go_on_where_three_of_four_would() -> None:
    contest = knockout(5, players=4)
    contest.play_next(winning("b2", "b3"), silent=["b4", "b5"])
    first = contest.format.rounds(contest.blocks)[0]
    went_on = [meeting.advancing for meeting in first.meetings if len(meeting.players) > 1]
    assert went_on == [("b2", "b3")]


def test_bot_that_was_ready_once_is_placed_as_a_loser() -> None:
    contest = knockout(9, players=3)
    drawn = contest.draw()
    done = [played(block, better_seed_wins, silent=["b9"]) for block in drawn]
    for place, block in enumerate(done):
        if "b9" in block.players:
            first = dataclasses.replace(block.results[0], silent=())
            done[place] = dataclasses.replace(block, results=(first, *block.results[1:]))
    contest.blocks += done
    contest.play()
    assert contest.places()[-1] == ["b7", "b8", "b9"]
