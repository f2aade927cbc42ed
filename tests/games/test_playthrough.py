"""Following a match through the rules: the changes of each event, and impossible events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from polynya_games import GameError, IllegalForfeit, IllegalTurn, load
from polynya_games.icecult import ICECULT, turns
from polynya_games.packeis import PACKEIS
from polynya_games.playthrough import Playthrough


@dataclass
class Played:
    turn: int
    seat: int
    steps: list[Any] = field(default_factory=list)


@dataclass
class Left:
    turn: int
    seat: int


def test_turn_gives_a_change_for_each_step() -> None:
    match = Playthrough(ICECULT.setup(2))
    steps = next(turns(ICECULT.setup(2)))
    changes = match.follow(Played(1, 0, steps))
    assert [(step, index) for index, step in enumerate(steps)] == [
        (change.step, change.index) for change in changes
    ]
    assert (match.state, 1) == (changes[-1].state, match.state.to_move)


def test_forfeit_gives_one_change_without_a_step() -> None:
    match = Playthrough(PACKEIS.setup(3))
    (change,) = match.follow(Left(1, 1))
    assert (change.state.forfeited, change.step, change.index) == ((1,), None, None)


def test_number_of_the_last_event_is_kept() -> None:
    match = Playthrough(PACKEIS.setup(2))
    match.follow(Played(1, 0, [("place", _one(match))]))
    assert match.turn == 1


@pytest.mark.parametrize(
    ("event", "error", "sentence"),
    [
        (Played(1, 1, [["place", 0]]), GameError, "seat 0 is to move"),
        (Played(1, 0, []), IllegalTurn, "the turn has no steps"),
        (Played(1, 0, [["tip", "N", "N"]]), IllegalTurn, "the turn is not over after its 1 steps"),
        (Left(1, 2), IllegalForfeit, "the seats are 0 to 1; 2 is none"),
    ],
)
def test_impossible_event_changes_nothing(
    event: Played | Left, error: type[GameError], sentence: str
) -> None:
    match = Playthrough(before := ICECULT.setup(2))
    with pytest.raises(error, match=sentence):
        match.follow(event)
    assert (before, 0) == (match.state, match.turn)


def test_no_turn_follows_the_end_of_the_match() -> None:
    match = Playthrough(PACKEIS.setup(2).forfeit(1))
    with pytest.raises(GameError, match="the match is over before it") as caught:
        match.follow(Played(1, 0, [["place", 0]]))
    assert caught.value.code == "over_before"


def test_steps_after_the_end_of_the_match_are_left_out() -> None:
    state = ICECULT.setup(2, options={"turn_limit": 1})
    changes = Playthrough(state).follow(Played(1, 0, [*next(turns(state)), ["end"]]))
    assert changes[-1].step == ("end",)
    assert changes[-1].state.to_move is None


@pytest.mark.parametrize("name", ["arktia", "icecult", "packeis"])
def test_all_seats_can_forfeit_before_the_match_begins(name: str) -> None:
    match = Playthrough(load(name).setup(2))
    after = [match.follow(Left(0, seat))[0].state.forfeited for seat in (0, 1)]
    assert after == [(0,), (0,)]


def _one(match: Playthrough) -> int:
    return int(match.state.legal_steps()[0][1])
