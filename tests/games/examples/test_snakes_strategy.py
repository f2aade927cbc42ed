"""The strategies of the built-in bots: each beats the one before it."""

from __future__ import annotations

import math
import random

import pytest
from polynya_example_games.bots.snakes_strategy import (
    STRATEGIES,
    careful,
    flood,
    position_of,
    search,
)
from polynya_example_games.snakes import SNAKES, SnakesState
from tests.games.examples.test_snakes import position

from polynya_games.chance import deal_of_seed


def blind(state: SnakesState, seat: int, generator: random.Random, until: float) -> str:
    """Any direction."""
    del until
    return str(generator.choice(state.legal_steps(seat))[1])


def first_places(strategies: list[str], matches: int) -> list[float]:
    """How many matches each of two strategies won, a tie counting for a half."""
    generator = random.Random(7)
    playing = [STRATEGIES.get(name, blind) for name in strategies]
    won = [0.0, 0.0]
    for seed in range(matches):
        state = SNAKES.setup(2, deal_of_seed(seed), {"size": 9})
        while seats := state.acting:
            known = position_of(state.view(None))
            ways = {seat: playing[seat](known, seat, generator, math.inf) for seat in seats}
            state = state.apply_joint({seat: ("move", way) for seat, way in ways.items()})
        assert state.outcome is not None
        first = [seat for seat, rank in enumerate(state.outcome.ranking) if rank == 1]
        for seat in first:
            won[seat] += 1 / len(first)
    return won


@pytest.mark.parametrize(
    ("better", "worse", "matches"),
    [("careful", "blind", 20), ("flood", "careful", 20), ("search", "flood", 8)],
)
def test_each_strategy_beats_the_one_before(better: str, worse: str, matches: int) -> None:
    assert first_places([better, worse], matches)[0] >= 0.7 * matches


def test_careful_avoids_walls_bodies_and_stronger_heads() -> None:
    state = position("06 05 04", "26 36 46", "15 25 35")
    ways = {careful(state, 0, random.Random(seed)) for seed in range(20)}
    assert ways == {"right"}  # the field is contested, and the only one


def test_flood_keeps_room_for_its_whole_length() -> None:
    wall = "02 12 13 14 15 16 26 36 46"
    state = position(wall, "66 65 64")
    assert flood(state, 0, random.Random(1)) == "down"


def test_flood_goes_for_food_if_it_is_not_the_longest() -> None:
    state = position("33 32 31", "66 65 64", food="13")
    assert flood(state, 0, random.Random(1)) == "left"


def test_search_without_time_plays_as_flood() -> None:
    state = position("33 32 31", "66 65 64", food="13")
    assert search(state, 0, random.Random(1), until=-math.inf) == "left"
