"""Double elimination: the losers' places in the bracket, rematches, finals, and absent bots."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.contest.pairing.brackets.bracket_play import (
    Contest,
    better_seed_wins,
    named,
    played,
    seed,
    winning,
)
from tests.contest.pairing.brackets.rematches import Search, earliest_rematch, rematches
from tests.selection import most

from polynya_contest.pairing.formats.brackets.bracket import Fixture, Origin, double_bracket
from polynya_contest.pairing.formats.brackets.knockout import DoubleElimination
from polynya_contest.pairing.formats.brackets.series import Series
from polynya_contest.pairing.formats.interface import Entrant


def double(bots: int, best_of: int = 1) -> Contest:
    def make(entrants: Sequence[Entrant]) -> DoubleElimination:
        return DoubleElimination(entrants, 2, Series("double_elimination", best_of, 0))

    return Contest(make, named(bots))


def side(origin: Origin) -> str:
    """``3`` for a seed, ``W1.2`` or ``L1.2`` for the winner or the loser of a fixture there."""
    if not origin.fixture:
        return str(origin.place + 1)
    part, round_, place = origin.fixture.split("/")
    bracket = {"winners": "W", "losers": "L", "final": "F"}[part]
    return f"{'loser' if origin.place else 'winner'} {bracket}{round_}.{place}"


def drawn(bots: int, part: str) -> dict[str, tuple[str, ...]]:
    """The fixtures of a part without its byes: where their bots come from."""

    def short(fixture: Fixture) -> str:
        return fixture.id.split("/", 1)[1].replace("/", ".")

    return {
        short(fixture): tuple(side(origin) for origin in fixture.origins)
        for round_ in double_bracket(bots).rounds
        for fixture in round_.fixtures
        if round_.part == part and not fixture.is_bye
    }


def dropping(bots: int, round_: int) -> list[int]:
    """From top to bottom of a losers' round, the places in the winners' round of those who drop."""
    return [
        int(origin.rpartition(".")[2])
        for fixture, origins in drawn(bots, "losers").items()
        for origin in origins
        if origin.startswith("loser W") and fixture.startswith(f"{round_}.")
    ]


# Published brackets. Eight and 32: "Superior Double Elimination Losers Bracket Seeding" (tl.net,
# 2011), as brackets-manager has it: the losers of winners' round 2 drop in reverse order, those of
# round 3 with the halves exchanged, those of later rounds as they stand.


def test_published_bracket_of_four() -> None:
    assert drawn(4, "winners") == {
        "1.1": ("1", "4"),
        "1.2": ("2", "3"),
        "2.1": ("winner W1.1", "winner W1.2"),
    }
    assert drawn(4, "losers") == {
        "1.1": ("loser W1.1", "loser W1.2"),
        "2.1": ("winner L1.1", "loser W2.1"),
    }


def test_published_bracket_of_eight() -> None:
    assert drawn(8, "winners") == {
        "1.1": ("1", "8"),
        "1.2": ("4", "5"),
        "1.3": ("2", "7"),
        "1.4": ("3", "6"),
        "2.1": ("winner W1.1", "winner W1.2"),
        "2.2": ("winner W1.3", "winner W1.4"),
        "3.1": ("winner W2.1", "winner W2.2"),
    }
    assert drawn(8, "losers") == {
        "1.1": ("loser W1.1", "loser W1.2"),
        "1.2": ("loser W1.3", "loser W1.4"),
        "2.1": ("winner L1.1", "loser W2.2"),
        "2.2": ("winner L1.2", "loser W2.1"),
        "3.1": ("winner L2.1", "winner L2.2"),
        "4.1": ("winner L3.1", "loser W3.1"),
    }


def test_bracket_of_sixteen_drops_in_reverse_twice() -> None:
    assert [dropping(16, round_) for round_ in (1, 2, 4, 6)] == [
        [1, 2, 3, 4, 5, 6, 7, 8],
        [4, 3, 2, 1],
        [2, 1],
        [1],
    ]


def test_published_bracket_of_thirty_two() -> None:
    assert [dropping(32, round_) for round_ in (1, 2, 4, 6, 8)] == [
        list(range(1, 17)),
        [8, 7, 6, 5, 4, 3, 2, 1],
        [3, 4, 1, 2],
        [1, 2],
        [1],
    ]


def test_bracket_of_six_has_byes_in_both_parts() -> None:
    assert drawn(6, "winners") == {
        "1.2": ("4", "5"),
        "1.4": ("3", "6"),
        "2.1": ("1", "winner W1.2"),
        "2.2": ("2", "winner W1.4"),
        "3.1": ("winner W2.1", "winner W2.2"),
    }
    assert drawn(6, "losers") == {
        "2.1": ("loser W1.2", "loser W2.2"),
        "2.2": ("loser W1.4", "loser W2.1"),
        "3.1": ("winner L2.1", "winner L2.2"),
        "4.1": ("winner L3.1", "loser W3.1"),
    }


# Rematches


def test_no_way_of_dropping_brings_the_earliest_rematch_later() -> None:
    sizes = range(3, most(18, 33))
    earliest = {bots: earliest_rematch(double_bracket(bots)) for bots in sizes}
    assert earliest == {bots: Search(bots).latest() for bots in sizes}


def test_no_pairs_of_first_losers_bring_the_earliest_rematch_later() -> None:
    sizes = range(3, 17)
    earliest = {bots: earliest_rematch(double_bracket(bots)) for bots in sizes}
    assert earliest == {bots: Search(bots, any_pairs=True).latest() for bots in sizes}


@given(bots=st.integers(3, 32), chance=st.randoms(use_true_random=False))
def test_bots_do_not_meet_again_before_the_earliest_possible_round(
    bots: int, chance: object
) -> None:
    contest = double(bots)
    order = [f"b{number}" for number in range(1, bots + 1)]
    chance.shuffle(order)  # type: ignore[attr-defined]
    contest.play(winning(*order))
    earliest = earliest_rematch(double_bracket(bots))
    assert min(rematches(contest.meetings()), default=earliest) >= earliest


# The course


def test_all_bots_but_the_winner_lose_twice() -> None:
    for bots in range(2, 34):
        contest = double(bots)
        contest.play()
        lost = Counter(max(block.players, key=seed) for block in contest.blocks)
        assert lost == {f"b{number}": 2 for number in range(2, bots + 1)}
        assert contest.places()[:2] == [["b1"], ["b2"]]


def test_rounds_are_named_by_their_part_of_the_bracket() -> None:
    contest = double(5)
    contest.play()
    assert [(r.number, r.name) for r in contest.format.rounds(contest.blocks)] == [
        (1, "winners' round 1"),
        (2, "winners' round 2"),
        (3, "winners' round 3"),
        (3, "losers' round 1"),
        (4, "losers' round 2"),
        (5, "losers' round 3"),
        (6, "final"),
    ]


def test_bot_with_a_loss_has_to_win_the_final_twice() -> None:
    contest = double(4)
    while not any(block.round == 4 for block in contest.blocks):
        contest.play_next(better_seed_wins)
    contest.blocks[-1] = played(contest.blocks[-1], winning("b2"))
    contest.play(winning("b2"))
    rounds = contest.format.rounds(contest.blocks)
    assert [round_.name for round_ in rounds][-2:] == ["final", "deciding final"]
    assert contest.places()[:2] == [["b2"], ["b1"]]


def test_meetings_say_where_their_bots_go() -> None:
    contest = double(4)
    contest.play()
    goes_to = {
        meeting.id: meeting.goes_to
        for round_ in contest.format.rounds(contest.blocks)
        for meeting in round_.meetings
    }
    assert goes_to == {
        "winners/1/1": ("winners/2/1", "losers/1/1"),
        "winners/1/2": ("winners/2/1", "losers/1/1"),
        "winners/2/1": ("final/1/1", "losers/2/1"),
        "losers/1/1": ("losers/2/1", ""),
        "losers/2/1": ("final/1/1", ""),
        "final/1/1": ("deciding final/1/1", "deciding final/1/1"),
    }


# Bots that are not there


@pytest.mark.parametrize("gone", ["b1", "b2", "b3"])
def test_bracket_of_three_ends_when_one_withdraws_at_any_time(gone: str) -> None:
    for after in range(5):
        contest = double(3)
        for _ in range(after):
            contest.play_next(better_seed_wins)
        was_over = not contest.format.next_blocks(contest.blocks)
        contest.withdraw([gone])
        contest.play()
        assert len(contest.blocks) <= 5
        left = [name for name in ("b1", "b2", "b3") if name != gone]
        assert contest.winner() == ("b1" if was_over else left[0]), after


def test_absent_bot_goes_on_among_the_losers() -> None:
    contest = double(4)
    contest.play_next(better_seed_wins, absent=["b1"])
    contest.play()
    assert contest.places() == [["b1"], ["b2"], ["b4"], ["b3"]]


def test_of_two_absent_bots_neither_goes_on() -> None:
    contest = double(4)
    contest.play_next(better_seed_wins, absent=["b1", "b4"])
    contest.play()
    assert contest.places() == [["b2"], ["b3"], ["b1", "b4"]]


def test_withdrawn_bot_does_not_drop_to_the_losers() -> None:
    contest = double(4)
    contest.play_while_withdrawing(better_seed_wins, ["b1"], contest.draw(), finished=0)
    contest.play()
    players = {name for name, met in contest.meetings().items() if "b1" in met}
    assert players == {"winners/1/1"}
    assert contest.places()[-1] == ["b1"]


def test_unbeaten_bot_that_misses_the_final_may_play_the_deciding_one() -> None:
    contest = double(2)
    contest.play_next(better_seed_wins)
    contest.play_next(better_seed_wins, absent=["b1"])
    contest.play()
    assert contest.format.rounds(contest.blocks)[-1].name == "deciding final"
    assert contest.winner() == "b1"


def test_unbeaten_bot_that_withdraws_in_the_final_loses_it_for_good() -> None:
    contest = double(2)
    contest.play_next(better_seed_wins)
    contest.play_while_withdrawing(better_seed_wins, ["b1"], contest.draw(), finished=0)
    contest.play()
    assert contest.places() == [["b2"], ["b1"]]


def test_final_without_both_bots_has_no_winner() -> None:
    contest = double(2)
    contest.play_next(better_seed_wins)
    contest.play_next(better_seed_wins, absent=["b1", "b2"])
    assert contest.draw() == []
    assert contest.winner() is None
    assert str(contest.format.verdict(contest.blocks)).endswith("there is no winner")
