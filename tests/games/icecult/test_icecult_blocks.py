"""The blocks of Ice Cult: their faces, how they turn, how they stand at first."""

from __future__ import annotations

import gc
import pickle
import weakref
from collections import Counter
from typing import Any

import pytest

from polynya_games import InvalidOption, InvalidState
from polynya_games.icecult import ICECULT
from polynya_games.icecult.board import ARC, CIRCLE, USUAL, Cube, cube_of, frame

Blocks = list[list[list[Any]]]

TURNS = ("N", "S", "E", "W", "cw", "ccw")
CUBES = [cube for block in USUAL for cube in block]
FIRST = USUAL[0][0]


def number(cube: Cube) -> int:
    """24 for each block, and 1 for each orientation of it."""
    return CUBES.index(cube)


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
    for faces in (cube.faces for cube in CUBES):
        assert sorted(symbol for symbol, _ in faces) == [0, 1, 2, 3, CIRCLE, ARC]


def test_each_block_has_24_orientations_and_no_two_blocks_look_alike() -> None:
    assert len(CUBES) == len({cube.faces for cube in CUBES}) == 4 * 24


def test_arrows_lie_in_their_faces() -> None:
    axes = ("UD", "UD", "NS", "EW", "NS", "EW")
    for faces in (cube.faces for cube in CUBES):
        for axis, (symbol, direction) in zip(axes, faces, strict=True):
            assert (direction is None) == (symbol in (CIRCLE, ARC))
            assert direction is None or direction not in axis


def test_tipping_north_brings_the_south_face_on_top() -> None:
    top, bottom, north, east, south, west = FIRST.turned["N"].faces
    assert (top, bottom, north, south) == ((2, "W"), (0, "N"), (ARC, None), (CIRCLE, None))
    assert (east, west) == ((1, "D"), (3, "S"))


def test_tipping_east_brings_the_west_face_on_top() -> None:
    top, bottom, north, east, south, west = FIRST.turned["E"].faces
    assert (top, bottom, east, west) == ((3, "W"), (1, "N"), (ARC, None), (CIRCLE, None))
    assert (north, south) == ((0, "E"), (2, "U"))


def test_rotating_clockwise_takes_the_side_faces_and_their_arrows_along() -> None:
    top, bottom, north, east, south, west = FIRST.turned["cw"].faces
    assert (top, bottom) == ((ARC, None), (CIRCLE, None))
    assert (north, east, south, west) == ((3, "D"), (0, "U"), (1, "E"), (2, "N"))


@pytest.mark.parametrize(("turn", "back"), [("N", "S"), ("E", "W"), ("cw", "ccw")])
def test_a_turn_has_an_inverse(turn: str, back: str) -> None:
    assert [cube.turned[turn].turned[back] for cube in CUBES] == CUBES
    assert [cube.turned[back].turned[turn] for cube in CUBES] == CUBES


@pytest.mark.parametrize("turn", TURNS)
def test_four_equal_turns_are_none(turn: str) -> None:
    four = [cube.turned[turn].turned[turn].turned[turn].turned[turn] for cube in CUBES]
    assert four == CUBES


@pytest.mark.parametrize("turn", TURNS)
def test_turning_keeps_the_block(turn: str) -> None:
    assert all(cube.turned[turn] in block for block in USUAL for cube in block)


def test_standard_puts_each_block_at_its_position_turned_by_as_many_quarters() -> None:
    cubes = ICECULT.setup(2, 0, {"setup": "standard"}).cubes
    turned = list(cubes)
    for position in range(4):
        for _ in range(position):
            turned[position] = turned[position].turned["ccw"]
    assert [cube.faces for cube in turned] == [frame(block) for block in range(4)]


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
        assert there == {USUAL[block][position] for block in range(4)}


def test_shuffled_is_the_default() -> None:
    assert ICECULT.setup(3, 7) == ICECULT.setup(3, 7, {"setup": "shuffled"})


@pytest.mark.parametrize("setup", ["shuffled", "standard"])
def test_all_arcs_are_on_top_at_first(setup: str) -> None:
    assert [faces[0] for faces in blocks(setup, 5)] == [[ARC, None]] * 4


def test_scrambled_puts_blocks_into_every_orientation() -> None:
    setups = [ICECULT.setup(2, seed, {"setup": "scrambled"}).cubes for seed in range(2000)]
    counts = Counter(number(cube) for cubes in setups for cube in cubes)
    assert set(counts) == set(range(96))
    assert all(sorted(number(cube) // 24 for cube in cubes) == [0, 1, 2, 3] for cubes in setups)


def test_scrambled_puts_the_blocks_where_shuffled_does() -> None:
    shuffled = [number(cube) // 24 for cube in ICECULT.setup(2, 9).cubes]
    scrambled = [number(cube) // 24 for cube in ICECULT.setup(2, 9, {"setup": "scrambled"}).cubes]
    assert scrambled == shuffled


def test_a_seed_means_the_same_for_ever() -> None:
    shuffled = ICECULT.setup(2, 1).cubes
    assert [number(cube) for cube in shuffled] == [48, 1, 74, 27]
    scrambled = ICECULT.setup(2, 1, {"setup": "scrambled"}).cubes
    assert [number(cube) for cube in scrambled] == [59, 9, 80, 45]


# -- given blocks ----------------------------------------------------------------------------------


def block(text: str) -> list[list[Any]]:
    """Six faces: ``"0N"`` is an arrow, 4 and 5 are circle and arc."""
    return [[int(face[0]), face[1:] or None] for face in text.split()]


GIVEN = [
    block("0N 0N 0U 0U 0U 0U"),
    block("4 4 4 5 5 5"),
    block("3W 2S 1D 0S 4 5"),
    block("5 5 5 5 5 2D"),
]


def test_given_blocks_do_not_depend_on_the_seed() -> None:
    states = [ICECULT.setup(2, seed, {"blocks": GIVEN}) for seed in (0, 9)]
    assert [state.to_json()["blocks"] for state in states] == [GIVEN, GIVEN]
    assert states[0] == states[1]


def test_same_faces_are_the_same_cube_in_a_copy_too() -> None:
    state = ICECULT.setup(2, 0, {"blocks": GIVEN})
    assert pickle.loads(pickle.dumps(state)) == state  # noqa: S301 - our own
    assert ICECULT.state_from_json(state.to_json()) == state
    assert cube_of(state.cubes[0].faces) is state.cubes[0]


@pytest.mark.parametrize("turn", TURNS)
def test_four_equal_turns_of_a_given_block_are_none(turn: str) -> None:
    for cube in ICECULT.setup(2, 0, {"blocks": GIVEN}).cubes:
        assert cube.turned[turn].turned[turn].turned[turn].turned[turn] is cube


def test_unused_blocks_are_freed() -> None:
    faces = [tuple((symbol, way) for symbol, way in block("1N 2N 3U 1N 2U 3N"))]
    cube = cube_of(faces[0])
    turned = weakref.ref(cube.turned["N"].turned["E"])
    del cube
    gc.collect()
    assert turned() is None


def with_face(index: int, face: object) -> list[Any]:
    blocks: list[Any] = [[*each] for each in GIVEN]
    blocks[1][index] = face
    return blocks


@pytest.mark.parametrize(
    ("blocks", "sentence"),
    [
        (7, "blocks is a list, not 7"),
        (GIVEN[:3], "blocks has 4 elements, not 3"),
        ([[1, None]] * 10**6, "blocks has 4 elements, not 1000000"),
        ([*GIVEN[:3], GIVEN[3][:5]], "blocks[3] has 6 elements, not 5"),
        (with_face(0, [6, None]), "blocks[1][0][0] is an integer from 0 to 5, not 6"),
        (with_face(0, [True, "N"]), "blocks[1][0][0] is an integer from 0 to 5, not true"),
        (with_face(0, [4.0, None]), "blocks[1][0][0] is an integer from 0 to 5, not 4.0"),
        (with_face(0, [0, "X"]), 'blocks[1][0][1] is "U" or "D" or "N" or "E" or "S" or "W"'),
        (with_face(0, [0, "U"]), 'blocks[1][0] is [0, "U"], but on the top face an arrow (0 to 3)'),
        (with_face(1, [0, "D"]), 'blocks[1][1] is [0, "D"], but on the bottom face an arrow'),
        (with_face(2, [3, "S"]), "points U, D, E, W"),
        (with_face(3, [3, "W"]), "points U, D, N, S"),
        (with_face(4, [3, None]), "blocks[1][4] is [3, null], but on the south face an arrow"),
        (with_face(5, [5, "U"]), "and a circle (4) or an arc (5) nowhere (null)"),
        (with_face(5, [4]), "blocks[1][5] has 2 elements, not 1"),
    ],
)
def test_other_blocks_are_refused_in_options_and_states(blocks: object, sentence: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        ICECULT.setup(2, 0, {"blocks": blocks})
    assert sentence in str(raised.value)
    with pytest.raises(InvalidState) as read:
        ICECULT.state_from_json(ICECULT.setup(2).to_json() | {"blocks": blocks})
    assert str(read.value) == str(raised.value)


@pytest.mark.parametrize("setup", ["shuffled", "standard", "nonsense", None])
def test_blocks_exclude_any_value_of_setup(setup: object) -> None:
    with pytest.raises(InvalidOption, match="blocks and setup exclude each other"):
        ICECULT.setup(2, 0, {"blocks": GIVEN, "setup": setup})
