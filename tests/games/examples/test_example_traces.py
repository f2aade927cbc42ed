"""`polynya trace` of the example games: golden sessions, and lines that are refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from polynya_games import InvalidOption, InvalidState
from polynya_games.trace import lines, start

GOLDEN = Path(__file__).parent / "golden"
DEAL = "11" * 32


def answers(state: Any, *inputs: Any) -> list[dict[str, Any]]:
    """The answers to documents, after the line of the initial position."""
    return [json.loads(line) for line in lines(state, map(json.dumps, inputs))][1:]


def session(name: str) -> str:
    """A golden session once more: its head, then each input and what the code answers."""
    text = (GOLDEN / name).read_text()
    head, *rest = text.splitlines()
    state = start(**json.loads(head))
    inputs = [line.removeprefix("> ") for line in rest if line.startswith("> ")]
    first, *answered = lines(state, inputs)
    pairs = [f"> {line}\n{answer}\n" for line, answer in zip(inputs, answered, strict=True)]
    return f"{head}\n{first}\n" + "".join(pairs)


@pytest.mark.parametrize("name", ["kuhn-trace.txt", "goofspiel-trace.txt", "snakes-trace.txt"])
def test_the_session_is_current(name: str) -> None:
    assert session(name) == (GOLDEN / name).read_text()


def kuhn() -> Any:
    return start("kuhn", 2, options={"hands": 2}, deal=DEAL)


def goofspiel(players: int = 3) -> Any:
    return start("goofspiel", players, options={"cards": 4}, deal=DEAL)


def test_an_answer_has_the_truth_and_the_views_of_all() -> None:
    (first,) = (json.loads(line) for line in lines(kuhn(), []))
    assert list(first) == ["state", "acting", "legal", "views", "seen", "concealed", "turn_over"]
    assert first["state"]["deal"] == DEAL
    assert (first["acting"], first["legal"]) == ([0], {"0": [["bet"], ["check"]]})
    assert set(first["views"]) == {"0", "1", "none"}
    assert first["views"]["none"]["cards"] == [None, None]
    assert (first["seen"], first["concealed"], first["turn_over"]) == ({}, {}, True)


def test_a_turn_of_one_seat_is_a_step_or_the_steps_of_that_seat() -> None:
    step, steps = ({"step": ["bet"]}, {"steps": {"0": ["bet"]}})
    assert answers(kuhn(), step) == answers(kuhn(), steps)


def test_what_is_learnt_stands_by_seat() -> None:
    after = answers(kuhn(), {"step": ["bet"]}, {"step": ["fold"]})[1]
    assert set(after["seen"]) == {"0", "1", "none"}
    assert after["seen"]["none"] == [{"hand": 1, "won": [1, -1]}, {"hand": 2}]


def test_the_end_has_a_ranking_and_nobody_who_acts() -> None:
    (over,) = answers(kuhn(), {"forfeit": 1})
    assert (over["acting"], over["legal"]) == ([], {})
    assert (over["ranking"], over["scores"], over["turn_over"]) == ([1, 2], [0, 0], True)


def test_the_steps_of_a_joint_turn_make_one_transition() -> None:
    (after,) = answers(goofspiel(), {"steps": {"2": ["bid", 4], "0": ["bid", 1]}, "forfeit": [1]})
    assert after["state"]["rounds"][0]["bids"] == [1, None, 4]
    assert (after["acting"], after["state"]["forfeited"]) == ([0, 2], [[1]])


def test_all_can_leave_in_one_turn() -> None:
    (after,) = answers(goofspiel(), {"steps": {}, "forfeit": [2, 0, 1]})
    assert (after["ranking"], after["state"]["forfeited"]) == ([1, 1, 1], [[0, 1, 2]])
    assert after["state"]["rounds"][0]["bids"] == [None, None, None]


def test_a_forfeit_that_ends_the_match_stands_alone() -> None:
    (after,) = answers(goofspiel(2), {"forfeit": 1})
    assert (after["ranking"], after["state"]["rounds"]) == ([1, 2], [])


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ({"step": ["bid", 1]}, "several seats choose now"),
        ({"forfeit": 0}, "seat 0 chooses now, and the match goes on"),
        ({"forfeit": [0]}, "the seats are 0 to 2; [0] is none"),
        ({"steps": {"0": ["bid", 1], "1": ["bid", 1]}}, "seat 2 chooses now"),
        ({"steps": {"0": ["bid", 1], "1": ["bid", 1], "3": ["bid", 1]}}, "a key of steps is"),
        ({"steps": {"0": ["bid", 1], "1": ["bid", 1], "02": ["bid", 1]}}, "a key of steps is"),
        ({"steps": {"0": ["bid", 1], "1": ["bid", 1], "2": ["bid", 5]}}, "the cards in the hand"),
        ({"steps": {"0": ["bid", 1], "1": ["bid", 1]}, "forfeit": [2, 2]}, "in forfeit twice"),
        ({"steps": {"0": ["bid", 1], "1": ["bid", 1]}, "forfeit": 2}, "forfeit is a list"),
        ({"steps": {"0": ["bid", 1], "1": ["bid", 1]}, "forfeit": [True]}, "true is none"),
        ({"steps": {"0": ["bid", 1], "1": ["bid", 1], "2": ["bid", 1]}, "forfeit": [2]}, "leaves"),
        ({"steps": []}, "steps is an object"),
        ({"steps": {}, "step": ["bid", 1]}, "a line is"),
        ([], "a line is"),
    ],
)
def test_a_wrong_line_is_an_error_and_the_position_stays(line: Any, sentence: str) -> None:
    good = {"steps": {str(seat): ["bid", 1] for seat in range(3)}}
    error, after = answers(goofspiel(), line, good)
    assert sentence in error["error"]
    assert after == answers(goofspiel(), good)[0]


def test_after_the_end_every_line_is_an_error() -> None:
    inputs: tuple[Any, ...] = (
        {"steps": {}},
        {"step": ["bid", 1]},
        {"forfeit": 0},
        {"steps": {}, "forfeit": [0]},
    )
    over = goofspiel(2).forfeit(1)
    assert [list(answer) for answer in answers(over, *inputs)] == [["error"]] * 4


def test_a_deal_takes_the_place_of_a_seed() -> None:
    zeros = start("kuhn", 2)
    assert zeros.to_json()["deal"] == "0" * 64
    assert start("kuhn", 2, deal="AB" * 32).to_json()["deal"] == "ab" * 32
    with pytest.raises(InvalidOption, match="Kuhn poker is set up by a deal"):
        start("kuhn", 2, seed=1)
    with pytest.raises(InvalidOption, match="64 hexadecimal digits"):
        start("kuhn", 2, deal="12")
    with pytest.raises(InvalidOption, match="by a seed, not by a deal"):
        start("packeis", 2, deal=DEAL)


def test_a_state_is_the_whole_truth_and_excludes_a_deal() -> None:
    document = kuhn().to_json()
    assert start("kuhn", 2, state_document=document).to_json() == document
    with pytest.raises(InvalidState):
        start("kuhn", 2, state_document=kuhn().view(0))
    with pytest.raises(InvalidOption):
        start("kuhn", 2, state_document=document, deal=DEAL)
