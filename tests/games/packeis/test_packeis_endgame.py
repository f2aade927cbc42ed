"""Exact endgames against plain minimax over the rules."""

from __future__ import annotations

import itertools
import random

import pytest
from tests.games.packeis.positions import (
    connected_boards,
    fish_on,
    position_of,
    random_position,
)
from tests.selection import most

from polynya_games.packeis import PACKEIS, PackeisState
from polynya_games.packeis.endgame import exact, is_decided

FORMS_OF_UP_TO_FIVE = 1 + 3 + 11 + 44 + 186
"""Fixed polyhexes of 1 to 5 cells (OEIS A001207)."""


def difference(fish: tuple[int, ...], floes: tuple[int, ...]) -> int:
    return 64 * (fish[0] - fish[1]) + floes[0] - floes[1]


def minimax(state: PackeisState, known: dict[object, int]) -> int:
    """What seat 0 will have more than seat 1."""
    if state.to_move is None:
        return difference(state.fish_caught, state.floes_caught)
    key = (state.free, state.penguins, state.catches, state.to_move)
    if key not in known:
        values = [minimax(state.apply_legal(step), known) for step in state.legal_steps()]
        known[key] = max(values) if state.to_move == 0 else min(values)
    return known[key]


def most_of(state: PackeisState, seat: int, known: dict[object, int]) -> int:
    """The most that a seat can have collected at the end, whatever the others do for it."""
    if state.to_move is None:
        return state.catches[seat]
    key = (state.free, state.penguins, state.catches, state.to_move)
    if key not in known:
        known[key] = max(
            most_of(state.apply_legal(step), seat, known) for step in state.legal_steps()
        )
    return known[key]


def assert_exact(state: PackeisState) -> None:
    found = exact(state)
    assert found is not None
    assert minimax(state, {}) == difference(found.fish_caught, found.floes_caught)


def test_all_forms_of_up_to_five_floes_are_there() -> None:
    assert len(list(connected_boards(5))) == FORMS_OF_UP_TO_FIVE


def test_every_small_board_with_a_penguin_each_is_exact() -> None:
    dice = random.Random(1)
    for cells in connected_boards(5):
        for penguins in itertools.permutations(cells, 2):
            fish = fish_on(cells, dice)
            assert_exact(position_of(fish, [[penguin] for penguin in penguins]))


def test_random_boards_of_six_to_twelve_floes_are_exact() -> None:
    dice = random.Random(2)
    for _ in range(most(1_000, 10_000)):
        counts = dice.choice([(1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (1, 3)])
        assert_exact(random_position(dice, dice.randint(6, 12), counts))


def test_where_all_are_alone_each_of_three_collects_the_most_that_it_can() -> None:
    dice, decided = random.Random(3), 0
    while decided < most(100, 1_000):
        state = random_position(dice, dice.randint(6, 11), (1, 1, 1))
        if not is_decided(state):
            continue
        decided += 1
        found = exact(state)
        assert found is not None
        catches = [64 * fish + floes for fish, floes in zip(*found[:2], strict=True)]
        assert [most_of(state, seat, {}) for seat in range(3)] == catches


def test_the_line_leads_to_what_is_collected() -> None:
    state = random_position(random.Random(4), 14, (2, 2))
    found = exact(state)
    assert found is not None
    for step in found.line:
        state = state.apply(list(step))
    assert (None, *found[:2]) == (state.to_move, state.fish_caught, state.floes_caught)


def test_a_penguin_between_two_floes_takes_the_better_one() -> None:
    fish = [0] * 60
    fish[7:10] = [3, 1, 2]
    fish[59] = 1
    assert exact(position_of(fish, [[8], [59]])) == ((4, 1), (2, 1), (("move", 8, 7),))


def test_two_penguins_beside_each_other_share_nothing() -> None:
    fish = [0] * 60
    fish[7:11] = [3, 1, 1, 2]
    state = position_of(fish, [[8], [9]])
    assert is_decided(state)
    assert exact(state) == ((4, 3), (2, 2), (("move", 8, 7), ("move", 9, 10)))


def test_a_floe_between_two_penguins_is_shared() -> None:
    fish = [0] * 60
    fish[7:10] = [1, 3, 1]
    state = position_of(fish, [[7], [9]])
    assert not is_decided(state)
    assert exact(state) == ((4, 1), (2, 1), (("move", 7, 8),))


def test_what_is_collected_already_counts() -> None:
    state = PACKEIS.setup(2, 5)
    dice = random.Random(5)
    while not is_decided(state):
        state = state.apply_legal(dice.choice(state.legal_steps()))
    found = exact(state)
    assert found is not None
    assert all(now <= then for now, then in zip(state.fish_caught, found[0], strict=True))
    while state.to_move is not None:
        state = state.apply_legal(state.legal_steps()[0])
    assert exact(state) == (state.fish_caught, state.floes_caught, ())


@pytest.mark.parametrize(
    ("state", "positions"),
    [
        pytest.param(PACKEIS.setup(2), 1_000, id="placement"),
        pytest.param(random_position(random.Random(6), 60, (4, 4)), 1_000, id="too long"),
        pytest.param(random_position(random.Random(6), 30, (3, 3, 3)), 1_000, id="three share"),
    ],
)
def test_nothing_is_said_where_nothing_is_exact(state: PackeisState, positions: int) -> None:
    assert exact(state, positions) is None
