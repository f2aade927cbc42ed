"""The blocks of Ice Cult: their faces, how they turn, how they stand at first."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from polynya_games.icecult import ICECULT
from polynya_games.icecult.blocks import ARC, CIRCLE, CUBES, FACES, TURNED, frame, standing

Blocks = list[list[list[Any]]]

TURNS = ("N", "S", "E", "W", "cw", "ccw")


def blocks(setup: str, seed: int = 0) -> Blocks:
    found: Blocks = ICECULT.setup(2, seed, {"setup": setup}).to_json()["blocks"]
    return found


def test_block_0_in_its_frame() -> None:
    top, bottom, north, east, south, west = frame(0)
    assert (top, bottom) == ((ARC, None), (CIRCLE, None))
    assert (north, east, south, west) == ((0, "U"), (1, "N"), (2, "W"), (3, "D"))


def test_block_3_in_its_frame_has_the_colours_moved_on() -> None:
    assert frame(3)[2:] == ((1, "U"), (2, "N"), (3, "W"), (0, "D"))


def test_every_block_has_each_symbol_once() -> None:
    for faces in FACES:
        assert sorted(symbol for symbol, _ in faces) == [0, 1, 2, 3, CIRCLE, ARC]


def test_each_block_has_24_orientations_and_no_two_blocks_look_alike() -> None:
    assert len(FACES) == len(set(FACES)) == len(CUBES) == 4 * 24


def test_arrows_lie_in_their_faces() -> None:
    axes = ("UD", "UD", "NS", "EW", "NS", "EW")
    for faces in FACES:
        for axis, (symbol, direction) in zip(axes, faces, strict=True):
            assert (direction is None) == (symbol in (CIRCLE, ARC))
            assert direction is None or direction not in axis


def test_tipping_north_brings_the_south_face_on_top() -> None:
    top, bottom, north, east, south, west = FACES[TURNED["N"][0]]
    assert (top, bottom, north, south) == ((2, "W"), (0, "N"), (ARC, None), (CIRCLE, None))
    assert (east, west) == ((1, "D"), (3, "S"))


def test_tipping_east_brings_the_west_face_on_top() -> None:
    top, bottom, north, east, south, west = FACES[TURNED["E"][0]]
    assert (top, bottom, east, west) == ((3, "W"), (1, "N"), (ARC, None), (CIRCLE, None))
    assert (north, south) == ((0, "E"), (2, "U"))


def test_rotating_clockwise_takes_the_side_faces_and_their_arrows_along() -> None:
    top, bottom, north, east, south, west = FACES[TURNED["cw"][0]]
    assert (top, bottom) == ((ARC, None), (CIRCLE, None))
    assert (north, east, south, west) == ((3, "D"), (0, "U"), (1, "E"), (2, "N"))


@pytest.mark.parametrize(("turn", "back"), [("N", "S"), ("E", "W"), ("cw", "ccw")])
def test_a_turn_has_an_inverse(turn: str, back: str) -> None:
    assert [TURNED[back][TURNED[turn][cube]] for cube in range(96)] == list(range(96))
    assert [TURNED[turn][TURNED[back][cube]] for cube in range(96)] == list(range(96))


@pytest.mark.parametrize("turn", TURNS)
def test_four_equal_turns_are_none(turn: str) -> None:
    table = TURNED[turn]
    assert [table[table[table[table[cube]]]] for cube in range(96)] == list(range(96))


@pytest.mark.parametrize("turn", TURNS)
def test_turning_keeps_the_block(turn: str) -> None:
    assert [cube // 24 for cube in TURNED[turn]] == [cube // 24 for cube in range(96)]


def test_standard_puts_each_block_at_its_position_turned_by_as_many_quarters() -> None:
    cubes = ICECULT.setup(2, 0, {"setup": "standard"}).cubes
    turned = list(cubes)
    for position in range(4):
        for _ in range(position):
            turned[position] = TURNED["ccw"][turned[position]]
    assert [FACES[cube] for cube in turned] == [frame(block) for block in range(4)]


def test_standard_favours_no_colour() -> None:
    """Turned clockwise by a quarter, and 1 taken from each colour, the square is the same."""
    before = blocks("standard")
    moves_on = {"N": "E", "E": "S", "S": "W", "W": "N", "U": "U", "D": "D", None: None}
    turned = []
    for top, bottom, north, east, south, west in before:
        faces = [top, bottom, west, north, east, south]
        turned.append(
            [[s if s > 3 else (s - 1) % 4, moves_on[direction]] for s, direction in faces]
        )
    assert [turned[3], turned[0], turned[1], turned[2]] == before


def test_shuffled_puts_every_block_at_every_position() -> None:
    setups = [ICECULT.setup(2, seed).cubes for seed in range(200)]
    for position in range(4):
        there = {cubes[position] for cubes in setups}
        assert there == {standing(block, position) for block in range(4)}


def test_shuffled_is_the_default() -> None:
    assert ICECULT.setup(3, 7) == ICECULT.setup(3, 7, {"setup": "shuffled"})


@pytest.mark.parametrize("setup", ["shuffled", "standard"])
def test_all_arcs_are_on_top_at_first(setup: str) -> None:
    assert [faces[0] for faces in blocks(setup, 5)] == [[ARC, None]] * 4


def test_scrambled_puts_blocks_into_every_orientation() -> None:
    setups = [ICECULT.setup(2, seed, {"setup": "scrambled"}).cubes for seed in range(2000)]
    counts = Counter(cube for cubes in setups for cube in cubes)
    assert set(counts) == set(range(96))
    assert all(sorted(cube // 24 for cube in cubes) == [0, 1, 2, 3] for cubes in setups)


def test_scrambled_puts_the_blocks_where_shuffled_does() -> None:
    shuffled = [cube // 24 for cube in ICECULT.setup(2, 9).cubes]
    scrambled = [cube // 24 for cube in ICECULT.setup(2, 9, {"setup": "scrambled"}).cubes]
    assert scrambled == shuffled


def test_a_seed_means_the_same_for_ever() -> None:
    assert ICECULT.setup(2, 1).cubes == (48, 1, 74, 27)
    assert ICECULT.setup(2, 1, {"setup": "scrambled"}).cubes == (59, 9, 80, 45)
