"""Counting, playing out, and whole turns; and the counts of ``perft/``."""

from __future__ import annotations

import random

import pytest
from tests.games.perft_files import perft_counts

from polynya_games import IllegalTurn, apply_turn, load
from polynya_games.packeis import PACKEIS
from polynya_games.perft import divide, perft, playout


def test_perft_counts_sequences_of_steps() -> None:
    start = PACKEIS.setup(2, 1)
    assert [perft(start, depth) for depth in range(4)] == [1, 30, 30 * 29, 30 * 29 * 28]


@pytest.mark.parametrize("name", ["arktia", "icecult", "packeis"])
def test_counts_of_the_perft_file_are_those_of_the_rules(name: str) -> None:
    game, counts = load(name), list(perft_counts(name))
    expected = {(each.position, each.depth): each.sequences for each in counts}
    assert expected == {
        (each.position, each.depth): perft(game.state_from_json(each.state), each.depth)
        for each in counts
    }


def test_a_finished_match_has_no_sequences() -> None:
    end = PACKEIS.setup(2, 1).forfeit(0)
    assert [perft(end, depth) for depth in range(3)] == [1, 0, 0]


def test_divide_splits_perft_by_the_first_step() -> None:
    start = PACKEIS.setup(2, 1)
    parts = divide(start, 2)
    assert list(parts)[:2] == ["place 1", "place 4"]
    assert sum(parts.values()) == perft(start, 2)


def test_a_playout_is_decided_by_its_generator() -> None:
    start = PACKEIS.setup(4, 1)
    end = playout(start, random.Random(1))
    assert end.to_move is None
    assert end == playout(start, random.Random(1))
    assert end != playout(start, random.Random(2))


def test_a_playout_of_a_finished_match_is_that_match() -> None:
    end = PACKEIS.setup(2, 1).forfeit(0)
    assert end is playout(end, random.Random(1))


def test_a_turn_is_applied_as_a_whole() -> None:
    start = PACKEIS.setup(2, 1)
    assert start.apply(["place", 1]) == apply_turn(start, [["place", 1]])


def test_steps_after_the_end_of_the_match_are_ignored() -> None:
    state = PACKEIS.setup(2, 1)
    while (after := state.apply(state.legal_steps()[0])).to_move is not None:
        state = after
    last = state.legal_steps()[0]
    assert after == apply_turn(state, [last, ["what", "ever"]])


@pytest.mark.parametrize(
    ("steps", "index", "sentence"),
    [
        (None, None, "steps is a list of steps, not null"),
        ("place", None, 'steps is a list of steps, not "place"'),
        ([], 0, "the turn has no steps"),
        ([["place", 1], ["place", 4]], 1, 'step 1: ["place", 4]: the turn is over before it'),
        ([["place", 3]], 0, 'step 0: ["place", 3]: penguins are placed on floes with one fish;'),
        ([b"\x1b"], 0, "step 0: a value of type bytes: a step is a list that begins with a verb"),
    ],
)
def test_a_bad_turn_is_named_with_its_index(
    steps: object, index: int | None, sentence: str
) -> None:
    with pytest.raises(IllegalTurn) as raised:
        apply_turn(PACKEIS.setup(2, 1), steps)
    assert raised.value.index == index
    assert str(raised.value).startswith(sentence)


def test_an_unfinished_turn_is_named_with_the_number_of_its_steps() -> None:
    start = load("icecult").setup(2, 1)
    with pytest.raises(IllegalTurn, match="the turn is not over after its 1 steps") as raised:
        apply_turn(start, [start.legal_steps()[0]])
    assert raised.value.index == 1
