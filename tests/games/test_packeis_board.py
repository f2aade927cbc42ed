"""The geometry of the board against the formulas of its rules, and the seeded set-up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polynya_games import InvalidOption
from polynya_games.packeis import PACKEIS
from polynya_games.packeis.board import (
    CELLS,
    DIRECTIONS,
    NEIGHBOURS,
    RAYS,
    adjacent,
    bitboard,
    cell_at,
    cells_of,
    has_group_of_three,
    reachable,
    row_and_column,
)
from polynya_games.packeis.moves import can_move, moves
from polynya_games.packeis.setup import fish_layout

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


@pytest.mark.parametrize("row", range(8))
def test_cells_are_numbered_row_by_row(row: int) -> None:
    assert list(ROWS[row]) == [cell_at(row, column) for column in range(len(ROWS[row]))]
    assert [(row, column) for column in range(len(ROWS[row]))] == [
        row_and_column(cell) for cell in ROWS[row]
    ]


def test_outside_the_board_there_is_no_cell() -> None:
    assert [cell_at(-1, 0), cell_at(8, 0), cell_at(0, 7), cell_at(1, -1)] == [None] * 4


@pytest.mark.parametrize("cell", range(CELLS))
def test_neighbours_are_those_of_the_rules(cell: int) -> None:
    assert naive_neighbours(cell) == set(cells_of(NEIGHBOURS[cell]))


@pytest.mark.parametrize("cell", range(CELLS))
def test_rays_go_on_in_one_direction(cell: int) -> None:
    for direction, ray in zip(DIRECTIONS, RAYS[cell], strict=True):
        here = row_and_column(cell)
        for there in ray:
            here = neighbour(*here, direction)
            assert here == row_and_column(there)
        assert cell_at(*neighbour(*here, direction)) is None


@given(BOARDS)
def test_a_bitboard_is_a_set_of_cells(board: int) -> None:
    cells = list(cells_of(board))
    assert cells == sorted(set(cells))
    assert board == bitboard(cells)


@given(BOARDS)
def test_adjacent_is_the_union_of_neighbours(board: int) -> None:
    expected = set().union(*(naive_neighbours(cell) for cell in cells_of(board)))
    assert expected == set(cells_of(adjacent(board)))


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
    assert expected == set(cells_of(reachable(free, penguins)))


@given(BOARDS, BOARDS)
def test_can_move_is_having_a_move(board: int, other: int) -> None:
    free, penguins = board & other, board & ~other
    assert bool(moves(penguins, free)) == can_move(penguins, free)


def test_three_connected_cells_are_a_group_of_three() -> None:
    assert [
        has_group_of_three(bitboard(cells))
        for cells in ([], [0], [0, 7], [0, 7, 59], [0, 7, 1, 59], [0, 8, 14, 15, 59])
    ] == [False, False, False, False, True, True]


@given(st.integers(0, 2**64 - 1))
def test_a_set_up_has_30_20_10_floes_and_no_group_of_three_threes(seed: int) -> None:
    fish = fish_layout(seed)
    assert (fish.count(1), fish.count(2), fish.count(3)) == (30, 20, 10)
    threes = {cell for cell in range(CELLS) if fish[cell] == 3}
    assert all(len(naive_reachable(threes, {cell})) <= 2 for cell in threes)


def test_the_seed_decides_the_set_up() -> None:
    assert PACKEIS.setup(2, 7) == PACKEIS.setup(2, 7)
    assert len({fish_layout(seed) for seed in range(100)}) == 100


def test_the_set_up_of_a_seed_never_changes() -> None:
    expected = "212311331222312121231331122112211111111211233231112211211221"
    assert expected == "".join(map(str, fish_layout(1)))


@pytest.mark.parametrize(
    ("players", "seed", "options", "sentence"),
    [
        (1, 0, {}, "Packeis am Pol is for 2 to 4 players, not 1"),
        (5, 0, {}, "Packeis am Pol is for 2 to 4 players, not 5"),
        (2, 2**64, {}, "a seed is an integer from 0 to 2**64 - 1, not 18446744073709551616"),
        (2, -1, {}, "a seed is an integer from 0 to 2**64 - 1, not -1"),
        (2, 0, {"floes": 9}, "Packeis am Pol has no option 'floes'; it has none"),
    ],
)
def test_other_set_ups_are_refused(
    players: int, seed: int, options: dict[str, int], sentence: str
) -> None:
    with pytest.raises(InvalidOption) as raised:
        PACKEIS.setup(players, seed, options)
    assert sentence == str(raised.value)
