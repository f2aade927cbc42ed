"""Results counted by pairs and by seats, and brackets laid out."""

from __future__ import annotations

from polynya_contest.pairing.standings import MatchResult, Meeting, Round
from polynya_evidence.reports.bracket_drawing import lay_out
from polynya_web.content.tournaments.tallies import tally_pairs, tally_seats

RESULTS = [
    MatchResult(("ann", "bob", "cid"), (1, 2, 2), (False, False, False)),
    MatchResult(("bob", "cid", "ann"), (1, 3, 2), (False, True, False)),
]


def test_a_match_of_three_counts_for_each_pair() -> None:
    pair = tally_pairs(RESULTS)["ann", "bob"]
    assert (pair.matches, pair.wins, pair.draws, pair.losses, pair.points) == (2, 1, 0, 1, 1.0)


def test_a_tie_is_half_a_point_for_both() -> None:
    pairs = tally_pairs(RESULTS)
    assert (pairs["bob", "cid"].points, pairs["cid", "bob"].points) == (1.5, 0.5)


def test_bots_that_never_met_are_no_pair() -> None:
    assert ("ann", "dot") not in tally_pairs(RESULTS)


def test_seats_share_all_points() -> None:
    seats = tally_seats(RESULTS, 3)
    assert [seat.points for seat in seats] == [4.0, 0.5, 1.5]
    assert [seat.possible for seat in seats] == [4, 4, 4]
    assert [seat.firsts for seat in seats] == [2, 0, 0]
    assert [seat.forfeits for seat in seats] == [0, 1, 0]


def test_seats_without_matches_have_no_score() -> None:
    assert [seat.score for seat in tally_seats([], 2)] == [None, None]


def test_meetings_stand_before_the_one_that_their_winner_plays_next() -> None:
    first = Round(
        1,
        "semi-finals",
        (
            Meeting(("dot", "eva"), (0, 2), ("eva", "dot")),
            Meeting(("bob", "cid"), (2, 0), ("bob", "cid")),
        ),
    )
    last = Round(2, "final", (Meeting(("bob", "eva"), (0, 0)),))
    (shown,) = lay_out((first, last))
    assert [meeting.advancing[0] for meeting in shown[0].meetings] == ["bob", "eva"]
    assert shown[1] == last


def test_a_round_that_is_not_decided_stays_as_it_was_drawn() -> None:
    only = Round(1, "final", (Meeting(("ann", "bob"), (0, 0)), Meeting(("cid", "dot"), (0, 0))))
    assert lay_out((only,)) == ((only,),)


def test_losers_bracket_stands_below_the_winners_bracket() -> None:
    rounds = (
        Round(1, "winners' round 1", (Meeting(("ann", "bob"), (0, 0)),), "winners"),
        Round(2, "losers' round 1", (Meeting(("bob", "cid"), (0, 0)),), "losers"),
        Round(3, "final", (Meeting(("ann", "cid"), (0, 0)),), "final"),
    )
    assert lay_out(rounds) == ((rounds[0], rounds[2]), (rounds[1],))
