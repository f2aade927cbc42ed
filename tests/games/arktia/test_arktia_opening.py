"""Arktia before the main phase: set-up options, neutral muglus, the two rounds of the opening."""

from __future__ import annotations

from typing import Any

import pytest

from polynya_games import IllegalStep, InvalidOption, InvalidStep, Step
from polynya_games.arktia import ARKTIA, ArktiaState


def after(state: ArktiaState, *steps: Step) -> ArktiaState:
    for step in steps:
        state = state.apply(step)
    return state


def cells(state: ArktiaState, kind: str) -> list[Any]:
    """Where a muglu of a kind may be placed."""
    return [step[2] for step in state.legal_steps() if step[1] == kind]


def reason(state: ArktiaState, *step: Any) -> str:
    with pytest.raises(IllegalStep) as caught:
        state.apply(step)
    return str(caught.value)


@pytest.mark.parametrize(
    ("players", "options", "tiles", "phase"),
    [
        (2, {}, 24, "neutral"),
        (2, {"neutrals": True}, 24, "neutral"),
        (3, {}, 27, "opening"),
        (3, {"neutrals": False}, 27, "opening"),
        (3, {"neutrals": True}, 36, "neutral"),
        (4, {"neutrals": False}, 36, "opening"),
    ],
)
def test_the_tiles_are_as_many_as_the_muglus_in_play(
    players: int, options: dict[str, Any], tiles: int, phase: str
) -> None:
    document = ARKTIA.setup(players, 0, options).to_json()
    assert (len(document["ice"]), document["phase"]) == (tiles, phase)


@pytest.mark.parametrize(
    ("players", "options", "sentence"),
    [
        (2, {"neutrals": False}, "neutrals with 2 players is true, not false"),
        (4, {"neutrals": True}, "neutrals with 4 players is false, not true"),
        (3, {"neutrals": 1}, "neutrals with 3 players is false or true, not 1"),
        (3, {"neutrals": None}, "neutrals with 3 players is false or true, not null"),
        (2, {"round_limit": 0}, "round_limit is an integer from 1, not 0"),
        (2, {"round_limit": True}, "round_limit is an integer from 1, not true"),
        (2, {"round_limit": 2.0}, "round_limit is an integer from 1, not 2.0"),
        (2, {"rows": 24}, r"rows is a list of rows, each \[length, indent\] or .*, not 24"),
        (2, {"rows": [[24, -1]]}, r"rows\[0\] is \[length, indent\], .* not \[24, -1\]"),
        (2, {"rows": [[23, 0], [0, 1], [1, 1]]}, r"rows\[1\] is \[length, indent\]"),
        (2, {"rows": [[24.0, 0]]}, r"rows\[0\] is \[length, indent\]"),
        (2, {"rows": [[24, 0, 0]]}, r"rows\[0\] is \[length, indent\]"),
        (2, {"rows": [[9, 0]]}, "rows has 9 tiles, fewer than the 10 muglus of the opening"),
        (3, {"rows": [[5, 0]]}, "rows has 5 tiles, fewer than the 6 muglus of the opening"),
        (3, {"rows": [[14, 0]], "neutrals": True}, "rows has 14 tiles, fewer than the 15 muglus"),
        (4, {"rows": [[7, 0]]}, "rows has 7 tiles, fewer than the 8 muglus of the opening"),
        (2, {"rows": [[64, 0], [64, 1]]}, "rows has 128 tiles; a board has at most 127"),
        (2, {"rows": [[10**18, 0]]}, r"rows\[0\] is \[length, indent\], a length from 1 to 127"),
        (2, {"rows": [[24, 1001]]}, r"rows\[0\] is .* an indent from 0 to 1000"),
        (2, {"rows": [[12, 0], [12, 2]]}, "rows is not connected"),
        (2, {"rows": [[[12, 0], [12, 25]]]}, "rows is not connected"),
        (2, {"rows": [[[12, 0], [12, 23]]]}, r"rows\[0\]\[1\] begins at 23, .* at least 24"),
        (2, {"rows": [[24, 0], []]}, r"rows\[1\] is \[length, indent\]"),
        (
            2,
            {"tiles": 24},
            "Arktia has no option 'tiles'; its options are neutrals, rows, round_li",
        ),
    ],
)
def test_other_options_are_refused(players: int, options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidOption, match=sentence):
        ARKTIA.setup(players, 0, options)


def test_own_rows_may_begin_anywhere() -> None:
    state = ARKTIA.setup(2, 0, {"rows": [[12, 999], [12, 1000]]})
    assert state.to_json()["rows"] == [[12, 999], [12, 1000]]


@pytest.mark.parametrize(
    ("players", "options", "tiles"),
    [
        (2, {"rows": [[10, 0]]}, 10),
        (3, {"rows": [[6, 0]]}, 6),
        (3, {"rows": [[15, 0]], "neutrals": True}, 15),
        (4, {"rows": [[64, 0], [63, 1]]}, 127),
    ],
)
def test_board_has_from_the_muglus_of_the_opening_to_127_tiles(
    players: int, options: dict[str, Any], tiles: int
) -> None:
    assert len(ARKTIA.setup(players, 0, options).to_json()["ice"]) == tiles


def test_rows_are_kept_as_they_were_given() -> None:
    rows = [[[4, 1]], [[2, 0], [2, 6]], [4, 1], [[1, 2], [2, 4]]]
    state = ARKTIA.setup(2, 0, {"rows": rows})
    assert state.to_json()["rows"] == rows
    assert ARKTIA.state_from_json(state.to_json()) == state


def test_every_seed_gives_the_same_empty_board() -> None:
    assert ARKTIA.setup(3, seed=1) == ARKTIA.setup(3, seed=2)


def test_the_first_neutral_muglu_goes_anywhere() -> None:
    assert cells(ARKTIA.setup(2), "T") == list(range(24))


def test_a_later_neutral_muglu_goes_next_to_a_neutral_one() -> None:
    assert cells(after(ARKTIA.setup(2), ("neutral", "T", 0)), "G") == [1, 4, 5]


def test_neutral_muglus_are_placed_in_turns_until_each_seat_has_placed_three() -> None:
    state = ARKTIA.setup(3, 0, {"neutrals": True})
    seats = []
    while state.phase == "neutral":
        seats.append(state.to_move)
        state = state.apply(state.legal_steps()[0])
    assert (seats, state.phase, state.to_move) == ([0, 1, 2] * 3, "opening", 0)


def test_each_neutral_kind_is_placed_once_by_each_seat() -> None:
    state = after(ARKTIA.setup(2), ("neutral", "T", 0), ("neutral", "T", 1))
    assert reason(state, "neutral", "T", 2) == "seat 0 has no neutral T in reserve"


def test_in_the_neutral_phase_nothing_else_is_placed() -> None:
    assert reason(ARKTIA.setup(2), "place", "G", 0) == (
        'in the phase neutral the only verb is "neutral", not "place"'
    )


def test_after_a_forfeit_in_the_neutral_phase_its_placements_are_skipped() -> None:
    state = after(ARKTIA.setup(3, 0, {"neutrals": True}), ("neutral", "G", 0)).forfeit(1)
    state = after(state, ("neutral", "G", 1))
    assert (state.to_move, state.to_json()["neutral_reserve"]) == (
        0,
        [[0, 1, 1], [1, 1, 1], [0, 1, 1]],
    )


def test_without_neutrals_the_first_muglu_goes_anywhere() -> None:
    assert cells(ARKTIA.setup(4), "D") == list(range(36))


def test_in_round_one_a_muglu_goes_next_to_any_occupied_tile() -> None:
    state = after(ARKTIA.setup(4), ("place", "G", 0), ("place", "G", 1))
    assert cells(state, "G") == [2, 3, 4, 5]
    assert reason(state, "place", "G", 35) == "cell 35 is not next to an occupied tile"


def test_with_neutrals_the_first_own_muglu_goes_next_to_an_occupied_tile_too() -> None:
    state = ARKTIA.setup(2)
    for kind, cell in zip("GGDDTT", (0, 1, 2, 3, 8, 14), strict=True):
        state = state.apply(("neutral", kind, cell))
    assert cells(state, "G") == [4, 5, 6, 7, 13, 19]


def test_in_round_two_a_muglu_goes_next_to_an_own_one() -> None:
    state = after(ARKTIA.setup(3), ("place", "G", 0), ("place", "G", 1), ("place", "G", 2))
    assert cells(state, "T") == [3, 4]
    assert reason(state, "place", "T", 5) == "cell 5 is not next to a tile with a muglu of colour 0"


def test_player_unable_to_place_in_round_two_is_skipped() -> None:
    line = ARKTIA.setup(3, 0, {"rows": [[27, 0]]})
    state = after(line, ("place", "G", 1), ("place", "G", 0), ("place", "G", 2))
    assert (state.phase, state.to_move) == ("opening", 2)
    state = after(state, ("place", "G", 3))
    assert (state.phase, state.round, state.to_move) == ("main", 1, 0)


def test_skipped_player_places_in_the_main_phase() -> None:
    line = ARKTIA.setup(3, 0, {"rows": [[27, 0]]})
    state = after(line, ("place", "G", 1), ("place", "G", 0), ("place", "G", 2), ("place", "G", 3))
    state = after(state, ("move", 1, 1, 10), ("retire",), ("retire",), ("place", "T", 11))
    assert state.to_json()["reserve"][0] == [2, 3, 2]


def test_the_main_phase_begins_with_round_one_and_seat_zero() -> None:
    state = ARKTIA.setup(4)
    while state.phase == "opening":
        state = state.apply(state.legal_steps()[0])
    assert (state.phase, state.round, state.to_move) == ("main", 1, 0)


def test_after_a_forfeit_in_the_opening_the_reserve_stays_listed() -> None:
    state = after(ARKTIA.setup(3), ("place", "G", 0)).forfeit(1)
    while state.phase == "opening":
        state = state.apply(state.legal_steps()[0])
    assert state.to_json()["reserve"][1] == [3, 3, 3]
    assert state.to_json()["out"] == [False, True, False]


def test_a_kind_that_does_not_exist_is_an_invalid_step() -> None:
    with pytest.raises(InvalidStep, match=r"kind is G \(globe\), D \(disc\) or T \(torus\)"):
        ARKTIA.setup(4).apply(["place", "GD", 0])


@pytest.mark.parametrize("cell", [-1, 36, 2**70])
def test_a_cell_that_does_not_exist_is_an_illegal_step(cell: int) -> None:
    assert reason(ARKTIA.setup(4), "place", "G", cell) == (
        f"there is no cell {cell}: the cells are 0 to 35"
    )
