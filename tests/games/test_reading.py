"""Readers of hostile documents: what they accept, and what they say about the rest."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from polynya_games import InvalidState, InvalidStep
from polynya_games.reading import (
    read_ascending,
    read_boolean,
    read_choice,
    read_game,
    read_integer,
    read_integers,
    read_keys,
    read_list,
    read_seat_or_none,
    read_seats,
)
from polynya_games.steps import Forms

FORMS = Forms({"move": {"from": int, "to": int}, "drop": {"kind": str}, "end": {}})


@pytest.mark.parametrize(
    ("read", "sentence"),
    [
        (lambda: read_keys([], ["a"]), "a state is an object with the keys of its game, not []"),
        (lambda: read_keys({}, ["a"]), "a is missing"),
        (lambda: read_keys({"a": 1, "\x1b": 2}, ["a"]), '"\\u001b" is not a key of this'),
        (lambda: read_keys({"a": 1, 7: 2}, ["a"]), "7 is not a key of this game's state"),
        (lambda: read_game({"game": "go"}, "hex", ["game"]), 'game is "hex", not "go"'),
        (lambda: read_integer(True, "turn", 0, 9), "turn is an integer from 0 to 9, not true"),
        (lambda: read_integer(1.0, "turn", 0, 9), "turn is an integer from 0 to 9, not 1.0"),
        (lambda: read_integer(10, "turn", 0, 9), "turn is an integer from 0 to 9, not 10"),
        (lambda: read_boolean(1, "out[0]"), "out[0] is true or false, not 1"),
        (lambda: read_choice(True, "size", [1, 2]), "size is 1 or 2, not true"),
        (lambda: read_list("ab", "fish"), 'fish is a list, not "ab"'),
        (lambda: read_list([1], "fish", 2), "fish has 2 elements, not 1"),
        (lambda: read_integers([0, -1], "fish", 0, 3), "fish[1] is an integer from 0 to 3, not -1"),
        (lambda: read_ascending([2, 2], "own", 0, 9), "own is in ascending order without dup"),
        (lambda: read_seats([1, 1], "forfeited", 2), "forfeited names no seat twice"),
        (lambda: read_seat_or_none(2, "to_move", 2), "to_move is an integer from 0 to 1, not 2"),
        (
            lambda: read_integer(10**5000, "turn", 0, 9),
            "turn is an integer from 0 to 9, not a value of type int",
        ),
    ],
)
def test_a_wrong_value_is_named_by_its_path(read: Callable[[], object], sentence: str) -> None:
    with pytest.raises(InvalidState) as raised:
        read()
    assert str(raised.value).startswith(sentence)


def test_right_values_come_back_as_immutable_ones() -> None:
    assert read_integers([0, 3, 2], "fish", 0, 3, 3) == (0, 3, 2)
    assert read_ascending([2, 7], "own", 0, 9) == (2, 7)
    assert read_seats([1, 0], "forfeited", 2) == (1, 0)
    assert read_seat_or_none(None, "to_move", 2) is None
    assert read_choice("over", "phase", ["main", "over"]) == "over"


@pytest.mark.parametrize(
    ("step", "expected"),
    [(["move", 3, 4], ("move", 3, 4)), (("drop", "T"), ("drop", "T")), (["end"], ("end",))],
)
def test_a_step_comes_back_as_a_tuple(step: object, expected: tuple[object, ...]) -> None:
    assert expected == FORMS.read(step)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (7, "a step is a list that begins with a verb, not 7"),
        ([], "a step is a list that begins with a verb, not []"),
        ([["move"]], 'the verb is one of drop, end, move, not ["move"]'),
        (["jump", 3, 4], 'the verb is one of drop, end, move, not "jump"'),
        (["move", 3], 'the form is ["move", from, to], not ["move", 3]'),
        (["move", 3, 4.0], 'to in ["move", from, to] is an integer, not 4.0'),
        (["move", True, 4], 'from in ["move", from, to] is an integer, not true'),
        (["drop", 1], 'kind in ["drop", kind] is a string, not 1'),
    ],
)
def test_a_step_of_another_form_is_invalid(step: object, sentence: str) -> None:
    with pytest.raises(InvalidStep) as raised:
        FORMS.read(step)
    assert sentence == str(raised.value)
