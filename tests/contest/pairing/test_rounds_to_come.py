"""The rounds and blocks of a tournament that are not drawn yet."""

from __future__ import annotations

import pytest

from polynya_contest.pairing.formats.brackets.knockout import DoubleElimination, Knockout
from polynya_contest.pairing.formats.brackets.series import Series
from polynya_contest.pairing.formats.drawn_once import round_robin
from polynya_contest.pairing.formats.interface import Entrant
from polynya_contest.pairing.formats.swiss.swiss import Swiss, SwissParameters


def field(bots: int) -> list[Entrant]:
    return [Entrant(f"bot-{number}") for number in range(1, bots + 1)]


def test_swiss_has_the_rest_of_its_rounds_to_come_with_each_pair_s_blocks() -> None:
    swiss = Swiss(field(9), SwissParameters(rounds=5, blocks=3, breaks=()))
    assert swiss.rounds_planned == 5
    assert [swiss.blocks_to_come(after) for after in (0, 1, 5)] == [60, 48, 0]


def test_bot_that_has_withdrawn_is_in_no_round_to_come() -> None:
    entrants = [*field(3), Entrant("gone", withdrawn=2)]
    swiss = Swiss(entrants, SwissParameters(rounds=3, blocks=1, breaks=()))
    assert swiss.blocks_to_come(0) == 2 + 1 + 1


@pytest.mark.parametrize(("bots", "rounds", "meetings"), [(2, 1, 1), (8, 3, 7), (11, 4, 10)])
def test_knockout_has_a_meeting_to_come_for_each_bot_that_goes_out(
    bots: int, rounds: int, meetings: int
) -> None:
    knockout = Knockout(field(bots), 2, Series("knockout", best_of=3, tie_breaks=2))
    assert knockout.rounds_planned == rounds
    assert knockout.blocks_to_come(0) == 2 * meetings
    assert knockout.blocks_to_come(rounds) == 0


def test_deciding_final_is_no_certain_round() -> None:
    double = DoubleElimination(field(4), 2, Series("double_elimination", 1, 2))
    assert double.blocks_to_come(0) == 6  # each of three bots loses twice
    assert max(one.number for one in double.bracket.rounds) == double.rounds_planned + 1


def test_round_robin_has_no_rounds_to_come() -> None:
    drawn = round_robin(field(4), 2, 3)
    assert (drawn.rounds_planned, drawn.blocks_to_come(0)) == (0, 0)
