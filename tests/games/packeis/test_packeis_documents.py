"""State documents of Packeis: real positions are read back, impossible ones are refused."""

from __future__ import annotations

import copy
import pickle
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polynya_games import InvalidState
from polynya_games.cells import cells_of
from polynya_games.packeis import PACKEIS, PackeisState
from polynya_games.packeis.board import USUAL
from polynya_games.randomness import SplitMix64


def played(players: int, steps: int, seed: int = 1) -> PackeisState:
    """The position after some random steps."""
    generator = SplitMix64(seed)
    state = PACKEIS.setup(players, seed)
    for _ in range(steps):
        legal = state.legal_steps()
        state = state.apply(legal[generator.below(len(legal))])
    return state


@pytest.mark.parametrize("steps", [0, 3, 20])
def test_a_position_can_be_sent_to_another_process(steps: int) -> None:
    state = played(3, steps)
    assert state == pickle.loads(pickle.dumps(state))  # noqa: S301 - our own
    assert repr(state) == repr(copy.copy(state))


@given(
    players=st.integers(2, 4),
    seed=st.integers(0, 2**64 - 1),
    forfeits=st.sampled_from([0.0, 0.01, 0.1, 0.3]),
    choices=st.integers(0, 2**32),
)
@settings(max_examples=200)
def test_every_position_of_a_match_is_read_back(
    players: int, seed: int, forfeits: float, choices: int
) -> None:
    generator = random.Random(choices)
    state = PACKEIS.setup(players, seed)
    while state.to_move is not None:
        assert state == PACKEIS.state_from_json(state.to_json())
        if generator.random() < forfeits:
            state = state.forfeit(generator.choice([s for s in range(players) if not state.out[s]]))
        else:
            state = state.apply_legal(generator.choice(state.legal_steps()))
    assert state == PACKEIS.state_from_json(state.to_json())


@given(seed=st.integers(0, 2**64 - 1), choices=st.integers(0, 2**32))
@settings(max_examples=50)
def test_fish_and_floes_are_only_lost_to_unreachable_places(seed: int, choices: int) -> None:
    generator = random.Random(choices)
    state = PACKEIS.setup(2, seed)
    total = (120 - 10, 60)
    while state.to_move is not None:
        after = state.apply_legal(generator.choice(state.legal_steps()))
        left = state.floes & ~after.floes
        collected = sum(after.floes_caught) - sum(state.floes_caught)
        fish = sum(state.layout.fish[cell] for cell in cells_of(left))
        caught = sum(after.fish_caught) - sum(state.fish_caught)
        assert 0 <= collected <= left.bit_count()
        assert 0 <= caught <= fish
        state = after
    assert sum(state.fish_caught) <= total[0]
    assert sum(state.floes_caught) <= total[1]


def floe(document: dict[str, Any], fish: int) -> int:
    """A floe with that many fish and no penguin."""
    taken = {cell for own in document["penguins"] for cell in own}
    return next(c for c, number in enumerate(document["fish"]) if number == fish and c not in taken)


def change_fish(old: int, new: int) -> Any:
    def change(document: dict[str, Any]) -> None:
        document["fish"][floe(document, old)] = new

    return change


def few_ones(document: dict[str, Any]) -> None:
    ones = [cell for cell, fish in enumerate(document["fish"]) if fish == 1]
    taken = {cell for own in document["penguins"] for cell in own}
    free = [cell for cell in ones if cell not in taken]
    for cell in free[8 - len(taken) :]:
        document["fish"][cell] = 2


def change(**values: Any) -> Any:
    return lambda document: document.update(values)


def change_item(key: str, index: int, value: Any) -> Any:
    def change(document: dict[str, Any]) -> None:
        document[key][index] = value

    return change


REFUSED_IN_PLACEMENT = [
    (change(to_move=None), 'to_move is null exactly when the phase is "over"'),
    (change(to_move=0), "penguins are placed in turn: seat 2 has 1 by now"),
    (change(phase="movement"), "seat 0 has 3 penguins on the board"),
    (change_fish(2, 0), "no floe leaves the board before the first movement, but by a forfeit"),
    (change_fish(1, 0), "no floe leaves the board before the first movement, but by a forfeit"),
    (few_ones, "at most 8 floes can have had one fish, fewer than the 9 penguins"),
    (change_item("fish_caught", 2, 1), "no player collects floes or withdraws before the first"),
    (change_item("out", 1, True), "seat 1 is out, so penguins[1] is empty"),
    (change(forfeited=[0]), "seat 0 has forfeited, so it is out"),
    (
        change(penguins=[[3], [1], []]),
        "penguins are placed on floes with one fish; the floe on",
    ),
    (change(penguins=[[1], [1], []]), "penguins[1] stands where another seat's penguin stands"),
    (change(penguins=[[5, 1], [4], []]), "penguins[0] is in ascending order without duplicates"),
    (change(penguins=[[60], [4], []]), "penguins[0][0] is an integer from 0 to 59, not 60"),
    (change_item("fish", 3, True), "fish[3] is an integer from 0 to 3, not true"),
    (change_item("fish", 3, 4), "fish[3] is an integer from 0 to 3, not 4"),
    (change(fish=[1] * 59), "fish has 60 elements, not 59"),
    (change(players=5), "players is an integer from 2 to 4, not 5"),
    (change(players=2), "penguins has 2 elements, not 3"),
    (change(phase="begun"), 'phase is "placement" or "movement" or "over", not "begun"'),
    (change(to_move=3), "to_move is an integer from 0 to 2, not 3"),
    (change(game="arktia"), 'game is "packeis", not "arktia"'),
    (change(seed=1), '"seed" is not a key of this game\'s state'),
]


@pytest.mark.parametrize(("change", "sentence"), REFUSED_IN_PLACEMENT)
def test_a_document_that_no_placement_gives_is_refused(change: Any, sentence: str) -> None:
    document = PACKEIS.setup(3, 1).apply(["place", 1]).apply(["place", 4]).to_json()
    change(document)
    with pytest.raises(InvalidState) as raised:
        PACKEIS.state_from_json(document)
    assert str(raised.value).startswith(sentence)


REFUSED_IN_MOVEMENT = [
    (change(phase="placement"), "seat 2 has placed all its penguins already"),
    (change(phase="over", to_move=None), "the match is not over: two have not forfeited and one"),
    (change(to_move=1), "players move in turn: floes_caught[0] is 4 by now"),
    (change_item("floes_caught", 0, 4), "players move in turn: floes_caught[0] is 3 by now"),
    (change_item("fish_caught", 0, 10), "seat 0 cannot have 10 fish on 3 floes"),
    (change_item("fish_caught", 0, 2), "seat 0 cannot have 2 fish on 3 floes"),
    (change_item("penguins", 0, []), "seat 0 has 3 penguins on the board"),
    (change_fish(0, 1), "7 floes have left the board, but floes_caught is 8 in all"),
    (change(forfeited=[0, 1, 2], out=[True] * 3, penguins=[[]] * 3), "the last player who has"),
    (
        change(forfeited=[0], out=[True, False, False]),
        "seat 0 is out, so penguins[0] is empty",
    ),
    (
        change(
            phase="over",
            to_move=None,
            out=[True] * 3,
            penguins=[[]] * 3,
        ),
        "everyone is out, so no floe is left",
    ),
]


@pytest.mark.parametrize(("change", "sentence"), REFUSED_IN_MOVEMENT)
def test_a_document_that_no_movement_gives_is_refused(change: Any, sentence: str) -> None:
    document = played(3, 9 + 8).to_json()
    change(document)
    with pytest.raises(InvalidState) as raised:
        PACKEIS.state_from_json(document)
    assert str(raised.value).startswith(sentence)


def test_a_seat_to_move_that_cannot_move_is_refused() -> None:
    document = played(2, 8).to_json()
    for cell in range(60):
        if all(cell not in own for own in document["penguins"]):
            document["fish"][cell] = 0
    with pytest.raises(InvalidState, match="seat 0 cannot move and would have withdrawn"):
        PACKEIS.state_from_json(document)


def test_any_distribution_of_fish_is_read() -> None:
    document = PACKEIS.setup(2, 1).to_json() | {"fish": [3] * 52 + [1] * 8}
    assert PACKEIS.state_from_json(document).to_json() == document


def test_catches_of_more_than_three_fish_a_floe_are_refused() -> None:
    document = played(3, 9 + 8).to_json()
    document["fish_caught"][1] = 3 * document["floes_caught"][1] + 1
    with pytest.raises(InvalidState, match="seat 1 cannot have 10 fish on 3 floes"):
        PACKEIS.state_from_json(document)


def test_more_floes_caught_than_have_left_are_refused() -> None:
    document = played(3, 9 + 9).to_json()
    document["floes_caught"] = [number + 9 for number in document["floes_caught"]]
    document["fish_caught"] = [number + 9 for number in document["fish_caught"]]
    with pytest.raises(InvalidState, match="but floes_caught is 36 in all"):
        PACKEIS.state_from_json(document)


def test_a_floe_that_no_penguin_can_reach_is_refused_after_the_first_move() -> None:
    state = played(2, 9)
    document = state.to_json()
    walled_in = floe(document, 1)
    for cell in cells_of(USUAL.neighbours[walled_in]):
        document["fish"][cell] = 0
    document["penguins"] = [
        [cell for cell in own if document["fish"][cell]] for own in document["penguins"]
    ]
    assert document["penguins"] == state.to_json()["penguins"]
    with pytest.raises(InvalidState, match="floes that no penguin can reach leave the board"):
        PACKEIS.state_from_json(document)


def cut_off_while_placing() -> PackeisState:
    """Seat 0 places around the corner 0 and forfeits in placement: no penguin can reach it."""
    state = PACKEIS.setup(3, 7)
    others = iter([cell for cell in range(30, 60) if state.fish[cell] == 1])
    for corner in (1, 7, 8):
        state = state.apply(["place", corner])
        if corner == 8:
            state = state.forfeit(0)
        state = state.apply(["place", next(others)]).apply(["place", next(others)])
    return state


def test_a_floe_that_no_penguin_can_reach_stays_until_the_first_move() -> None:
    state = cut_off_while_placing()
    assert (state.phase, state.fish[0]) == ("movement", 2)
    assert state == PACKEIS.state_from_json(state.to_json())
    assert state.apply(state.legal_steps()[0]).fish[0] == 0


def test_a_forfeit_in_the_movement_phase_removes_the_floes_that_no_penguin_can_reach() -> None:
    end = cut_off_while_placing().forfeit(1)
    assert end.fish[0] == 0
    assert end == PACKEIS.state_from_json(end.to_json())


def test_first_seat_begins() -> None:
    document = played(2, 8).to_json()
    document["to_move"] = 1
    with pytest.raises(InvalidState, match="no player has moved yet, and seat 0 begins"):
        PACKEIS.state_from_json(document)
