"""Snakes in lockstep with a second implementation, over matches of random and of careful play."""

from __future__ import annotations

import random
from typing import Any

import pytest
from polynya_example_games.snakes import SNAKES, SnakesState
from tests.games.examples import naive_snakes

from polynya_games.chance import deal_of_seed

OPTIONS: list[dict[str, Any]] = [
    {},
    {"size": 7, "food_chance": 100, "turn_limit": 60},
    {"size": 9, "minimum_food": 8},
    {"size": 7, "minimum_food": 0, "food_chance": 0},
    {"size": 25, "turn_limit": 40},
]


def points(fields: Any) -> set[tuple[int, int]]:
    return {(x, y) for x, y in fields}


def chosen(document: dict[str, Any], seat: int, generator: random.Random) -> str:
    """A direction that mostly neither leaves the board nor meets a body."""
    x, y = document["snakes"][seat]["body"][0]
    bodies = [part for snake in document["snakes"] for part in snake["body"][:-1]]
    size = document["size"]
    ways = [
        way
        for way, (across, upwards) in naive_snakes.STEP.items()
        if 0 <= x + across < size
        and 0 <= y + upwards < size
        and [x + across, y + upwards] not in bodies
    ]
    return generator.choice(ways if ways and generator.random() < 0.97 else [*naive_snakes.STEP])


def check_turn(
    before: SnakesState, after: SnakesState, ways: dict[int, str], left: list[int]
) -> None:
    document = after.to_json()
    wanted = naive_snakes.moved(before.to_json(), ways, left)
    counts, free = naive_snakes.new_food(wanted)
    came = [point for point in document["food"] if point not in wanted["food"]]
    assert len(came) in counts
    assert points(came) <= free
    assert document["food"] == sorted(wanted["food"] + came)
    assert {key: document[key] for key in wanted} == {**wanted, "food": document["food"]}
    result = naive_snakes.result(document)
    outcome = after.outcome
    assert result == (outcome and ([*outcome.ranking], [*outcome.scores]))
    assert SNAKES.state_from_json(document) == after


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("options", OPTIONS)
def test_both_play_the_same_matches(players: int, options: dict[str, Any]) -> None:
    generator = random.Random(players)
    for seed in range(2):
        state = SNAKES.setup(players, deal_of_seed(seed), options)
        while seats := state.acting:
            left = [seat for seat in seats if generator.random() < 0.01]
            ways = {
                seat: chosen(state.to_json(), seat, generator) for seat in seats if seat not in left
            }
            after = state.apply_joint({seat: ("move", way) for seat, way in ways.items()}, left)
            check_turn(state, after, ways, left)
            state = after


@pytest.mark.parametrize("players", range(2, 9))
@pytest.mark.parametrize("size", [7, 9, 11, 25])
def test_both_set_up_the_same_boards(players: int, size: int) -> None:
    corners, sides = naive_snakes.starts(size)
    for seed in range(20):
        document = SNAKES.setup(players, deal_of_seed(seed), {"size": size}).to_json()
        heads = [(x, y) for x, y in (snake["body"][0] for snake in document["snakes"])]
        assert len(set(heads)) == players
        assert set(heads[:4]) <= corners or set(heads[:4]) <= sides
        assert set(heads[4:]) <= (sides if heads[0] in corners else corners)
        food = points(document["food"]) - {((size - 1) // 2, (size - 1) // 2)}
        assert len(document["food"]) == len(food) + 1
        near = [food & naive_snakes.food_of_start(size, head) for head in heads]
        few = size < 11 and players > 4
        assert len(food) == (0 if few else players)
        assert few or all(near)
