"""``polynya trace`` without the command: input lines to output lines."""

from __future__ import annotations

import json
from typing import Any

import pytest

from polynya_games import GameError, InvalidOption, InvalidState, UnknownGame, load
from polynya_games.packeis import PACKEIS
from polynya_games.trace import lines, option_value, start


def traced(*input_lines: str | bytes, players: int = 2) -> list[Any]:
    return [json.loads(line) for line in lines(start("packeis", players, 1), input_lines)]


def one_fish_cells(document: Any) -> list[int]:
    return [cell for cell, fish in enumerate(document["state"]["fish"]) if fish == 1]


def test_the_first_line_is_the_initial_position() -> None:
    initial = PACKEIS.setup(2, 1)
    assert [
        {
            "state": initial.to_json(),
            "legal": [list(step) for step in initial.legal_steps()],
            "turn_over": True,
        }
    ] == traced()


def test_a_step_gives_the_next_position() -> None:
    [initial] = traced()
    cell = one_fish_cells(initial)[0]
    answer = traced(json.dumps({"step": ["place", cell]}))[1]
    assert answer["state"]["penguins"] == [[cell], []]
    assert answer["turn_over"] is True
    assert "ranking" not in answer


def test_when_the_match_is_over_ranking_and_scores_are_added() -> None:
    answer = traced('{"forfeit": 0}')[1]
    assert answer["state"]["phase"] == "over"
    assert (answer["legal"], answer["turn_over"]) == ([], True)
    assert (answer["ranking"], answer["scores"]) == ([2, 1], [0, 0])


def test_each_line_is_answered_before_the_next_is_read() -> None:
    def asked() -> Any:
        yield '{"forfeit": 0}'
        pytest.fail("a second line was read before the first was answered")

    answers = lines(start("packeis", 3, 1), asked())
    assert json.loads(next(answers))["state"]["forfeited"] == []
    assert json.loads(next(answers))["state"]["forfeited"] == [0]


@pytest.mark.parametrize(
    "line",
    [
        "",
        "\n",
        "step",
        "null",
        "[]",
        "{}",
        '{"step": ["place"]}',
        '{"step": ["place", 60]}',
        '{"step": ["place", 1.0]}',
        '{"step": ["place", true]}',
        '{"step": ["place", NaN]}',
        '{"step": ["place", 1e999]}',
        '{"step": ["move", 1, 2]}',
        '{"step": null}',
        '{"forfeit": 2}',
        '{"forfeit": -1}',
        '{"forfeit": true}',
        '{"forfeit": "0"}',
        '{"forfeit": 0, "step": ["place", 1]}',
        '{"forfeit": 0, "forfeit": 1}',
        '{"forfeit": 0} {"forfeit": 1}',
        '{"forfeits": 0}',
        '{"step": {"a": 1, "a": 2}}',
        b'{"step": ["pl\xff", 1]}',
        pytest.param("[" * 200_000, id="deep"),
        pytest.param('{"step": ' + "[" * 5_000 + "]" * 5_000 + "}", id="deep-step"),
        pytest.param('{"forfeit": ' + "9" * 6_000 + "}", id="huge"),
        pytest.param('{"step": ["place", ' + "9" * 900 + "]}", id="large"),
    ],
)
def test_a_wrong_line_is_an_error_and_the_position_stays(line: str | bytes) -> None:
    _, error, after = traced(line, '{"forfeit": 1}')
    assert list(error) == ["error"]
    assert error["error"].strip()
    assert "\n" not in error["error"]
    assert traced('{"forfeit": 1}')[1] == after


def test_after_the_end_every_line_is_an_error() -> None:
    answers = traced('{"forfeit": 0}', '{"forfeit": 1}', '{"step": ["place", 0]}')[2:]
    assert answers == [{"error": "the match is over"}] * 2


def test_trace_starts_from_a_state() -> None:
    state = PACKEIS.setup(3, 5).forfeit(1)
    assert state == start("packeis", 3, state_document=state.to_json())


def test_a_state_excludes_seed_and_options() -> None:
    document = PACKEIS.setup(2, 5).to_json()
    with pytest.raises(InvalidOption):
        start("packeis", 2, seed=0, state_document=document)
    with pytest.raises(InvalidOption):
        start("packeis", 2, options={"fish": 1}, state_document=document)


def test_a_state_of_another_number_of_players_is_refused() -> None:
    with pytest.raises(InvalidState, match="2 players, not of 3"):
        start("packeis", 3, state_document=PACKEIS.setup(2).to_json())


def test_the_seed_is_0_by_default() -> None:
    assert PACKEIS.setup(4, 0) == start("packeis", 4)


def test_an_unknown_game_is_refused() -> None:
    with pytest.raises(UnknownGame, match="packeis"):
        start("chess", 2)


def test_an_unknown_option_is_refused() -> None:
    with pytest.raises(GameError, match="no option 'tiles'"):
        start("packeis", 2, options={"tiles": 3})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", 3),
        ("true", True),
        ("[[4, 2]]", [[4, 2]]),
        ('"true"', "true"),
        ("standard", "standard"),
        ("NaN", "NaN"),
        ("", ""),
        ("[1", "[1"),
    ],
)
def test_option_values_are_json_where_they_parse_as_json(text: str, expected: object) -> None:
    assert expected == option_value(text)


def middle_of_a_turn() -> Any:
    """An Ice Cult position after the first of the two tips that every turn begins with."""
    state = load("icecult").setup(2, 1)
    return state.apply(state.legal_steps()[0])


def test_turn_over_says_whether_the_step_ended_a_turn() -> None:
    state = load("icecult").setup(2, 1)
    step = json.dumps({"step": state.legal_steps()[0]})
    answers = [json.loads(line) for line in lines(state, [step])]
    assert [answer["turn_over"] for answer in answers] == [True, False]


def test_a_forfeit_in_the_middle_of_a_turn_is_an_error() -> None:
    answers = [json.loads(line) for line in lines(middle_of_a_turn(), ['{"forfeit": 0}'])]
    assert answers[1] == {"error": "a forfeit is possible only between turns"}


def test_the_first_line_has_turn_over_also_in_the_middle_of_a_turn() -> None:
    [initial] = [json.loads(line) for line in lines(middle_of_a_turn(), [])]
    assert initial["turn_over"] is True


@pytest.mark.parametrize("mark", ["\ufeff", "\ufeff".encode()])
def test_byte_order_mark_before_the_first_line_is_skipped(mark: Any) -> None:
    state = start("packeis", 2, 1)
    line = '{"step": ["place", 1]}' if isinstance(mark, str) else b'{"step": ["place", 1]}'
    _, first, second = lines(state, [mark + line, mark + line])
    assert "state" in json.loads(first)
    assert "is no JSON document" in json.loads(second)["error"]


@pytest.mark.parametrize("levels", [65, 1000, 100_000])
def test_a_deeply_nested_line_is_an_error_and_the_position_stays(levels: int) -> None:
    answers = traced('{"step": ' + levels * "[" + levels * "]" + "}", '{"forfeit": 0}')
    assert "nested too deeply" in answers[1]["error"]
    assert answers[2]["state"]["forfeited"] == [0]


def test_an_option_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(InvalidOption, match="nested too deeply"):
        option_value(1000 * "[" + 1000 * "]")
