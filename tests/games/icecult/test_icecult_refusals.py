"""Steps, turns and options of Ice Cult that are refused, each with the reason."""

from __future__ import annotations

from typing import Any

import pytest
from tests.games.icecult.icecult_positions import acting

from polynya_games import IllegalStep, IllegalTurn, InvalidOption, InvalidStep, apply_turn
from polynya_games.icecult import ICECULT


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (["advance", 0, 0, 1], "index is 0 for a pawn from the start area, not 1"),
        (["advance", 0, 2, 1], "no pawn stands at index 1 of the stack on field 2 of path E"),
        (["advance", 0, 3, 0], "no pawn stands at index 0 of the stack on field 3 of path E"),
        (
            ["advance", 0, 2, 0],
            "the pawn at index 0 of the stack on field 2 of path E has colour 3, "
            "the arrow at position 0 has colour 0",
        ),
        (["advance", 2, 0, 0], "no pawn of colour 1 is in the start area"),
        (["advance", 3, 0, 0], "the symbol on top at position 3 is an arc, not an arrow"),
    ],
)
def test_an_illegal_advance_is_refused_with_the_reason(step: list[Any], sentence: str) -> None:
    state = acting(2, "0E circle 1S arc", {"E": "- 3 - - -", "N": "1 1 1 1 1"})
    with pytest.raises(IllegalStep) as caught:
        state.apply(step)
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (["push", 0], 'the verb is one of advance, end, rotate, tip, not "push"'),
        (["end", 0], 'the form is ["end"], not ["end", 0]'),
        (["tip", "NE", "N"], 'pair is one of N, E, S, W, not "NE"'),
        (["tip", "N", ""], 'direction is one of N, E, S, W, not ""'),
        (["rotate", 4, "cw"], "position is a number from 0 to 3, not 4"),
        (["rotate", 0, "left"], 'turn is one of cw, ccw, not "left"'),
        (["advance", 0, 6, 0], "field is a number from 0 to 5, not 6"),
        (["advance", 0, 1, -1], "index is a number from 0 to 19, not -1"),
        (
            ["advance", True, 0, 0],
            'position in ["advance", position, field, index] is an integer, not true',
        ),
    ],
)
def test_a_step_of_another_form_is_refused_with_the_reason(step: list[Any], sentence: str) -> None:
    with pytest.raises(InvalidStep) as caught:
        acting(2, "0E circle 1S arc").apply(step)
    assert str(caught.value) == sentence


def test_the_first_bad_step_of_a_turn_is_named() -> None:
    state = ICECULT.setup(2, 0, {"setup": "standard"})
    turn = [["tip", "N", "N"], ["tip", "S", "S"], ["advance", 0, 0, 0], ["advance", 0, 0, 0]]
    with pytest.raises(IllegalTurn) as caught:
        apply_turn(state, turn)
    assert caught.value.index == 3
    assert str(caught.value) == (
        'step 3: ["advance", 0, 0, 0]: the arrow at position 0 has been used, and no circle is left'
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"setup": "random"}, 'setup is one of shuffled, standard, scrambled, not "random"'),
        ({"setup": ["standard"]}, "setup is one of shuffled, standard, scrambled, not ["),
        ({"turn_limit": 0}, "turn_limit is an integer from 1 to 9223372036854775807, not 0"),
        ({"turn_limit": True}, "turn_limit is an integer from 1 to 9223372036854775807, not true"),
        ({"turn_limit": 2.0}, "turn_limit is an integer from 1 to 9223372036854775807, not 2.0"),
        ({"turns": 5}, "Ice Cult has no option 'turns'; its options are setup, blocks, turn_limit"),
    ],
)
def test_a_bad_option_is_refused_with_the_reason(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidOption) as caught:
        ICECULT.setup(2, 0, options)
    assert str(caught.value).startswith(sentence)
