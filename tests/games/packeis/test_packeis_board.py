"""The geometry of the board against the formulas of its rules, and the seeded set-up."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_games import InvalidOption
from polynya_games.cells import bitset, cells_of
from polynya_games.packeis import PACKEIS
from polynya_games.packeis.board import CELLS, DIRECTIONS, USUAL, Board, board_from
from polynya_games.packeis.document import rows_from
from polynya_games.packeis.position import can_move, moves
from polynya_games.packeis.setup import QUARTERS, even_fish, random_fish

ROWS = [
    range(7),
    range(7, 15),
    range(15, 22),
    range(22, 30),
    range(30, 37),
    range(37, 45),
    range(45, 52),
    range(52, 60),
]
BOARDS = st.integers(0, 2**60 - 1)


def neighbour(row: int, column: int, direction: str) -> tuple[int, int]:
    """The formulas of the rules, "Board", to the letter."""
    even = {"NW": (-1, 0), "NE": (-1, 1), "SW": (1, 0), "SE": (1, 1), "E": (0, 1), "W": (0, -1)}
    odd = {"NW": (-1, -1), "NE": (-1, 0), "SW": (1, -1), "SE": (1, 0), "E": (0, 1), "W": (0, -1)}
    down, right = (even if row % 2 == 0 else odd)[direction]
    return row + down, column + right


def naive_neighbours(cell: int) -> set[int]:
    row, column = next((row, cells.index(cell)) for row, cells in enumerate(ROWS) if cell in cells)
    places = [neighbour(row, column, direction) for direction in DIRECTIONS]
    return {ROWS[r][c] for r, c in places if 0 <= r < 8 and 0 <= c < len(ROWS[r])}


def test_neighbours_are_those_of_the_rules() -> None:
    expected = [naive_neighbours(cell) for cell in range(CELLS)]
    assert expected == [set(cells_of(around)) for around in USUAL.neighbours]


def naive_ray(cell: int, direction: str) -> list[int]:
    """The cells from one cell to the edge of the board, by the formulas."""
    number = {(r, c): cell for r, cells in enumerate(ROWS) for c, cell in enumerate(cells)}
    [here] = [place for place, found in number.items() if found == cell]
    ray = []
    while (here := neighbour(*here, direction)) in number:
        ray.append(number[here])
    return ray


def test_rays_go_on_in_one_direction_to_the_edge() -> None:
    expected = [[naive_ray(cell, way) for way in DIRECTIONS] for cell in range(CELLS)]
    assert expected == [[list(ray) for ray in rays] for rays in USUAL.rays]


@given(BOARDS)
def test_a_bitboard_is_a_set_of_cells(board: int) -> None:
    cells = list(cells_of(board))
    assert cells == sorted(set(cells))
    assert board == bitset(cells)


@given(BOARDS)
def test_adjacent_is_the_union_of_neighbours(board: int) -> None:
    expected = set().union(*(naive_neighbours(cell) for cell in cells_of(board)))
    assert expected == set(cells_of(USUAL.adjacent(board)))


def naive_reachable(free: set[int], penguins: set[int]) -> set[int]:
    reached, waiting = set(penguins), list(penguins)
    while waiting:
        new = (naive_neighbours(waiting.pop()) & free) - reached
        reached |= new
        waiting += new
    return reached


@given(BOARDS, BOARDS)
def test_reachable_follows_chains_of_free_floes(board: int, other: int) -> None:
    free, penguins = board & other, board & ~other & (other >> 1)
    expected = naive_reachable(set(cells_of(free)), set(cells_of(penguins)))
    assert expected == set(cells_of(USUAL.reachable(free, penguins)))


@given(BOARDS, BOARDS)
def test_can_move_is_having_a_move(board: int, other: int) -> None:
    free, penguins = board & other, board & ~other
    assert bool(moves(USUAL, penguins, free)) == can_move(USUAL, penguins, free)


def test_three_connected_cells_are_a_group_of_three() -> None:
    assert [
        USUAL.has_group_of_three(bitset(cells))
        for cells in ([], [0], [0, 7], [0, 7, 59], [0, 7, 1, 59], [0, 8, 14, 15, 59])
    ] == [False, False, False, False, True, True]


@given(st.integers(0, 2**64 - 1))
def test_a_set_up_has_30_20_10_floes_and_no_group_of_three_threes(seed: int) -> None:
    fish = random_fish(seed, USUAL)
    assert (fish.count(1), fish.count(2), fish.count(3)) == (30, 20, 10)
    threes = {cell for cell in range(CELLS) if fish[cell] == 3}
    assert all(len(naive_reachable(threes, {cell})) <= 2 for cell in threes)


def test_the_seed_decides_the_set_up() -> None:
    assert PACKEIS.setup(2, 7) == PACKEIS.setup(2, 7)
    assert len({random_fish(seed, USUAL) for seed in range(100)}) == 100


def test_the_set_up_of_a_seed_never_changes() -> None:
    expected = "212311331222312121231331122112211111111211233231112211211221"
    assert expected == "".join(map(str, PACKEIS.setup(2, 1).fish))


@pytest.mark.parametrize(
    ("players", "seed", "options", "sentence"),
    [
        (1, 0, {}, "Packeis am Pol is for 2 to 4 players, not 1"),
        (5, 0, {}, "Packeis am Pol is for 2 to 4 players, not 5"),
        (2, 2**64, {}, "a seed is an integer from 0 to 2**64 - 1, not 18446744073709551616"),
        (2, -1, {}, "a seed is an integer from 0 to 2**64 - 1, not -1"),
        (
            2,
            0,
            {"floes": 9},
            "Packeis am Pol has no option 'floes'; its options are layout,",
        ),
    ],
)
def test_other_set_ups_are_refused(
    players: int, seed: int, options: dict[str, int], sentence: str
) -> None:
    with pytest.raises(InvalidOption) as raised:
        PACKEIS.setup(players, seed, options)
    assert str(raised.value).startswith(sentence)


# -- options ---------------------------------------------------------------------------------------

USUAL_ROWS = [[7, 1], [8, 0]] * 4
SHIFTED = [[7, 1], [8, 2], [7, 3], [8, 2], [7, 1], [8, 0], [7, 1], [8, 2]]
RING = [[8, 2], [[4, 1], [4, 11]], [[4, 0], [4, 12]], [[4, 1], [4, 11]], [9, 0], [9, 1], [10, 0]]


@pytest.mark.parametrize("rows", [SHIFTED, RING, [[60, 0]], [[1, row % 2] for row in range(60)]])
def test_another_board_has_the_neighbours_of_its_rows(rows: list[Any]) -> None:
    spots = [
        (row, indent + 2 * place)
        for row, given in enumerate(rows)
        for length, indent in (given if isinstance(given[0], list) else [given])
        for place in range(length)
    ]
    ways = [(0, 2), (0, -2), (-1, 1), (-1, -1), (1, 1), (1, -1)]
    expected = [
        {spots.index((r + down, x + east)) for down, east in ways if (r + down, x + east) in spots}
        for r, x in spots
    ]
    board = board_from(rows_from(rows))
    assert expected == [set(cells_of(around)) for around in board.neighbours]
    assert expected == [set(cells_of(board.adjacent(1 << cell))) for cell in range(CELLS)]


def test_usual_rows_give_the_usual_board_and_set_up_and_stay_in_the_state() -> None:
    usual, given = PACKEIS.setup(2, 7), PACKEIS.setup(2, 7, {"rows": USUAL_ROWS})
    assert board_from(rows_from(USUAL_ROWS)) is USUAL
    assert given.to_json() == usual.to_json() | {"rows": USUAL_ROWS}
    assert usual != given


def test_rows_are_kept_as_they_were_given() -> None:
    rows = [[[7, 1]], [8, 0], [[3, 1], [4, 7]], [8, 0], *USUAL_ROWS[4:]]
    state = PACKEIS.setup(2, 7, {"rows": rows})
    assert state.to_json()["rows"] == rows
    assert PACKEIS.state_from_json(state.to_json()) == state
    assert pickle.loads(pickle.dumps(state)) == state  # noqa: S301 - our own


@given(st.integers(0, 2**64 - 1))
def test_even_puts_as_many_fish_into_each_quarter(seed: int) -> None:
    fish = even_fish(seed)
    assert (fish.count(1), fish.count(2), fish.count(3)) == (30, 20, 10)
    threes = {cell for cell in range(CELLS) if fish[cell] == 3}
    assert all(len(naive_reachable(threes, {cell})) <= 2 for cell in threes)
    for half in (ROWS[:4], ROWS[4:]):
        west = [cell for row, cut in zip(half, (4, 4, 3, 4), strict=True) for cell in row[:cut]]
        east = [cell for row, cut in zip(half, (4, 4, 3, 4), strict=True) for cell in row[cut:]]
        for quarter in (west, east):
            assert tuple(quarter) in QUARTERS
            carried = [fish[cell] for cell in quarter]
            assert (carried.count(2), carried.count(3) in (2, 3)) == (5, True)


def test_even_set_up_of_a_seed_never_changes() -> None:
    expected = "221213131322211111123121312112211113211211111322221112332321"
    assert expected == "".join(map(str, PACKEIS.setup(2, 1, {"layout": "even"}).fish))


def test_other_rows_have_no_group_of_three_threes_either() -> None:
    for seed in range(50):
        state = PACKEIS.setup(2, seed, {"rows": RING})
        threes = bitset(cell for cell in range(CELLS) if state.fish[cell] == 3)
        assert not state.layout.board.has_group_of_three(threes)


def test_given_fish_do_not_depend_on_the_seed() -> None:
    fish = [1] * 8 + [3] * 52
    states = [PACKEIS.setup(2, seed, {"fish": fish, "layout": "random"}) for seed in (0, 9)]
    assert [fish, fish] == [list(state.fish) for state in states]


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"layout": "odd"}, 'layout is one of random, even, not "odd"'),
    ({"layout": ["even"]}, 'layout is one of random, even, not ["even"]'),
    ({"layout": "even", "rows": USUAL_ROWS}, 'rows and layout "even" exclude each other'),
    ({"layout": "even", "fish": [1] * 60}, 'fish and layout "even" exclude each other'),
    ({"fish": "111"}, 'fish is a list of 60 numbers from 1 to 3, not "111"'),
    ({"fish": [1] * 59}, "fish has 59 numbers, one a floe; there are 60 floes"),
    ({"fish": [1] * 59 + [0]}, "fish[59] is an integer from 1 to 3, not 0"),
    ({"fish": [1] * 59 + [True]}, "fish[59] is an integer from 1 to 3, not true"),
    ({"fish": [1.0] * 60}, "fish[0] is an integer from 1 to 3, not 1.0"),
    ({"fish": [1] * 7 + [3] * 53}, "fish has 7 floes with one fish; with 2 players there are 8"),
    ({"rows": 60}, "rows is a list of rows, each [length, indent] or a list of such segments"),
    ({"rows": []}, "rows is a list of rows, each [length, indent] or a list of such segments"),
    ({"rows": [[60, 0], []]}, "rows[1] is [length, indent], a length from 1 to 60 and an"),
    ({"rows": [[60, 0.0]]}, "rows[0] is [length, indent], a length from 1 to 60 and an"),
    ({"rows": [[60, True]]}, "rows[0] is [length, indent], a length from 1 to 60 and an"),
    ({"rows": [[60, 1001]]}, "rows[0] is [length, indent], a length from 1 to 60 and an"),
    ({"rows": [[10**30, 0]]}, "rows[0] is [length, indent], a length from 1 to 60 and an"),
    ({"rows": [[60, 0, 0]]}, "rows[0] is [length, indent], a length from 1 to 60 and an"),
    ({"rows": [[[30, 0], [30, 59]]]}, "rows[0][1] begins at 59, but the segments of a row come"),
    ({"rows": [[[30, 0], 30]]}, "rows[0][1] is [length, indent], a length from 1 to 60"),
    ({"rows": [[1, 0]] * 10**6}, "rows has 1000000 rows, more than 60 tiles can fill"),
    ({"rows": [[[1, 0]] * 10**6]}, "rows[0] has 1000000 segments, more than 60 tiles can fill"),
    ({"rows": [[59, 0]]}, "rows has 59 floes; a board has 60"),
    ({"rows": [[60, 0], [1, 0]]}, "rows has 61 tiles; a board has at most 60"),
    ({"rows": [[30, 0], [30, 0]]}, "rows is not connected: some floes cannot be reached"),
    ({"rows": [[[30, 0], [30, 61]]]}, "rows is not connected: some floes cannot be reached"),
]


@pytest.mark.parametrize(("options", "sentence"), BAD_OPTIONS)
def test_bad_option_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidOption) as raised:
        PACKEIS.setup(2, 0, options)
    assert str(raised.value).startswith(sentence)


def test_deeply_nested_rows_are_refused() -> None:
    rows: Any = 1
    for _ in range(100_000):
        rows = [rows]
    with pytest.raises(InvalidOption, match=r"rows\[0\]"):
        PACKEIS.setup(2, 0, {"rows": rows})


def test_long_lines_of_floes_keep_few_patterns() -> None:
    board = Board(tuple((0, 2 * cell) for cell in range(CELLS)))
    for free in range(5000):
        assert bool(moves(board, 1 << 30, free << 31)) == bool(free & 1)
    assert all(len(slides) <= 512 for _, slides in board.fans[1 << 30])
