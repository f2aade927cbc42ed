"""Whole turns of Ice Cult: each distinct position after a turn once, as trying every step gives."""

from __future__ import annotations

import random

import pytest
from tests.games.icecult.icecult_positions import acting, after

from polynya_games import apply_turn
from polynya_games.game import Step
from polynya_games.icecult import ICECULT, IceCultState, successors, turns
from polynya_games.icecult.position import FIRST_TIPS, SECOND_TIPS


def by_every_step(state: IceCultState) -> set[IceCultState]:
    """The positions after the turn, by going through every legal sequence of steps."""
    found: set[IceCultState] = set()
    seen: set[IceCultState] = set()
    todo = [state]
    while todo:
        position = todo.pop()
        for step in position.legal_steps():
            following = position.apply_legal(step)
            if following.turn_over:
                found.add(following)
            elif following not in seen:
                seen.add(following)
                todo.append(following)
    return found


def played(players: int, seed: int, steps: int) -> IceCultState:
    """A position of a random match that goes on."""
    generator = random.Random(seed)
    state = ICECULT.setup(players, seed, {"setup": "scrambled"})
    for _ in range(steps):
        following = state.apply_legal(generator.choice(state.legal_steps()))
        state = following if following.to_move is not None else state
    return state


POSITIONS = [
    pytest.param(ICECULT.setup(2, 1), id="set-up"),
    *(
        pytest.param(played(players, seed, 40 * seed), id=f"{players} players, match {seed}")
        for players in (2, 3, 4)
        for seed in (1, 2, 3)
    ),
    pytest.param(acting(2, "0E circle circle circle"), id="one arrow, three circles"),
    pytest.param(acting(2, "0E circle arc arc", {"E": "01 1 0 - -"}), id="two arcs"),
    pytest.param(acting(2, "arc circle arc arc"), id="no arrow"),
    pytest.param(acting(2, "0E 0S 1E arc", {"E": "00 000 - - -"}), id="a tower is near"),
    pytest.param(
        acting(3, "0E 1E circle arc", {"E": "- - 1 - 020"}, goal=[3, 4, 4, 0]),
        id="wins in the goal are near",
    ),
    pytest.param(acting(2, "0E 1S arc arc", turn_limit=1), id="the last turn"),
]


@pytest.mark.parametrize("state", POSITIONS)
def test_every_position_after_the_turn_is_found_once(state: IceCultState) -> None:
    found = [position for _, position in successors(state)]
    assert set(found) == by_every_step(state)
    assert len(found) == len(set(found))


@pytest.mark.parametrize("state", POSITIONS)
def test_the_steps_are_legal_and_lead_to_the_position(state: IceCultState) -> None:
    found = list(successors(state))
    for steps, position in random.Random(0).sample(found, min(len(found), 300)):
        assert apply_turn(state, steps) == position


def test_turns_are_the_steps_alone() -> None:
    state = played(3, 5, 90)
    assert list(turns(state)) == [steps for steps, _ in successors(state)]


def test_in_the_middle_of_a_turn_the_rest_of_it_is_given() -> None:
    state = after(ICECULT.setup(2, 3), ["tip", "N", "N"])
    assert {len(steps) > 1 and steps[0][0] for steps in turns(state)} == {"tip"}
    assert {position for _, position in successors(state)} == by_every_step(state)


def test_nothing_follows_the_end_of_the_match() -> None:
    assert list(turns(ICECULT.setup(2).forfeit(0))) == []


def tops(tips: tuple[Step, Step], seed: int) -> tuple[int, ...]:
    """What is on top after two tips."""
    state = ICECULT.setup(2, seed, {"setup": "scrambled"})
    blocks = state.apply_legal(tips[0]).apply_legal(tips[1]).to_json()["blocks"]
    return tuple(faces[0][0] for faces in blocks)


@pytest.mark.parametrize("seed", [0, 1])
def test_two_tips_lead_to_44_arrangements_that_rotations_cannot_make_alike(seed: int) -> None:
    pairs = [(first, second) for first in FIRST_TIPS for second in SECOND_TIPS[first]]
    assert len(pairs) == 56
    assert len({tops(tips, seed) for tips in pairs}) == 44
    assert len({after(ICECULT.setup(2, seed), *map(list, tips)).cubes for tips in pairs}) == 44
