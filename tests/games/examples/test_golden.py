"""The example games' playthroughs, and following their events."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from polynya_games import GameError, load
from polynya_games.playthrough import Playthrough, renewed

GOLDEN = Path(__file__).parent / "golden"
FILES = [
    "kuhn-2.txt",
    *(f"goofspiel-{players}.txt" for players in (2, 3, 4)),
    *(f"snakes-{players}.txt" for players in (2, 4, 8)),
]


@pytest.mark.parametrize("name", FILES)
def test_the_playthrough_is_current(name: str) -> None:
    text = (GOLDEN / name).read_text()
    assert renewed(text) == text


@dataclass
class Left:
    turn: int
    seat: int


@dataclass
class Played(Left):
    steps: Any


def goofspiel() -> Playthrough:
    return Playthrough(load("goofspiel").initial_state(3, 1, {"cards": 4}))


def test_the_events_of_a_joint_turn_are_followed_together() -> None:
    match = goofspiel()
    (change,) = match.follow(Left(1, 2), Played(1, 1, [["bid", 2]]), Played(1, 0, [["bid", 1]]))
    assert change.steps == {0: ["bid", 1], 1: ["bid", 2]}
    assert (match.turn, match.acting) == (1, (0, 1))
    assert match.state.to_json()["forfeited"] == [[2]]


def test_a_joint_turn_lacks_no_event() -> None:
    match = goofspiel()
    with pytest.raises(GameError, match="seat 2 chooses now"):
        match.follow(Played(1, 0, [["bid", 1]]), Played(1, 1, [["bid", 1]]))
    with pytest.raises(GameError, match="of one turn and of different seats"):
        match.follow(Played(1, 0, [["bid", 1]]), Played(2, 1, [["bid", 1]]), Left(1, 2))
    assert match.turn == 0


def test_concealed_steps_cannot_be_followed() -> None:
    with pytest.raises(GameError, match="the steps of seat 0 are concealed"):
        Playthrough(load("kuhn").initial_state(2, 1)).follow(Played(1, 0, None))
