"""Snakes against its rules: a position for each rule, with its result; and what cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from polynya_example_games.snakes import SNAKES, SnakesState

from polynya_games import (
    IllegalForfeit,
    IllegalStep,
    InvalidOption,
    InvalidState,
    InvalidStep,
    Termination,
)
from polynya_games.chance import deal_of_seed
from polynya_games.turns import forfeit_together

WAYS = {"d": "down", "l": "left", "r": "right", "u": "up"}


def body(text: str) -> list[list[int]]:
    """The parts of a snake from two digits each: ``"53 43 33"``."""
    return [[int(part[0]), int(part[1])] for part in text.split()]


def position(*bodies: str, food: str = "", health: Any = (), **changes: Any) -> SnakesState:
    """A position on a board of 7 fields each way, on which no food comes."""
    options = {"minimum_food": 0, "food_chance": 0, "turn_limit": 1000}
    options |= {key: changes.pop(key) for key in [*changes] if key in options}
    values = [*health, *[90] * len(bodies)]
    document = {
        "size": 7,
        "turn": 10,
        "snakes": [
            {"body": body(text), "health": value, "out": None}
            for text, value in zip(bodies, values, strict=False)
        ],
        "food": body(food),
        "options": options,
        "deal": "0" * 64,
        "drawn": 9,
        "forfeited": [],
    }
    return SNAKES.state_from_json(document | changes)


def move(state: SnakesState, ways: str, leaving: tuple[int, ...] = ()) -> SnakesState:
    """A turn: a letter for each seat in ascending order, ``-`` for one that does not act."""
    steps = {seat: ["move", WAYS[way]] for seat, way in enumerate(ways) if way != "-"}
    return state.apply_joint(steps, leaving)


def shown(state: SnakesState) -> list[str]:
    """Each snake as its parts and health, or as the cause by which it is out."""
    return [
        snake["out"]["cause"]
        if snake["out"]
        else " ".join(f"{x}{y}" for x, y in snake["body"]) + f" {snake['health']}"
        for snake in state.to_json()["snakes"]
    ]


@pytest.mark.parametrize(
    ("bodies", "food", "health", "ways", "wanted"),
    [
        # 2: heads move, bodies follow, the last part leaves its field; 3: health falls by 1.
        (["33 32 31", "66 65 64"], "", (), "ul", ["34 33 32 89", "56 66 65 89"]),
        (["33 33 33", "66 65 64"], "", (), "dl", ["32 33 33 89", "56 66 65 89"]),
        (["33 43 53", "66 65 64"], "", (), "ll", ["23 33 43 89", "56 66 65 89"]),
        # 4: food makes healthy, and doubles the last part.
        (["33 32 31", "66 65 64"], "34", (50,), "ul", ["34 33 32 32 100", "56 66 65 89"]),
        (["34 33 32 32", "66 65 64"], "", (100,), "ul", ["35 34 33 32 99", "56 66 65 89"]),
        (["34 33 32 32", "66 65 64"], "35", (), "ul", ["35 34 33 32 32 100", "56 66 65 89"]),
        (["33 32 31", "66 65 64"], "34", (1,), "ul", ["34 33 32 32 100", "56 66 65 89"]),
        # 4: several heads on one food all eat, and the longer one stays.
        (["33 32 31 30", "53 54 55"], "43", (), "rl", ["43 33 32 31 31 100", "head"]),
        (["33 32 31", "53 54 55"], "43", (), "rl", ["head", "head"]),
        # 5: health, before the wall.
        (["33 32 31", "66 65 64"], "", (1,), "ul", ["health", "56 66 65 89"]),
        (["36 35 34", "66 65 64"], "", (1,), "ul", ["health", "56 66 65 89"]),
        # 5: the wall, on each side.
        (["36 35 34", "66 65 64"], "", (), "ul", ["wall", "56 66 65 89"]),
        (["30 31 32", "66 65 64"], "", (), "dl", ["wall", "56 66 65 89"]),
        (["03 13 23", "66 65 64"], "", (), "ll", ["wall", "56 66 65 89"]),
        (["63 53 43", "06 05 04"], "", (), "rr", ["wall", "16 06 05 89"]),
        # 5: a snake that is out by its health or the wall no longer counts for 6.
        (["33 32 31", "43 53 63"], "", (1,), "rl", ["health", "33 43 53 89"]),
        (["33 32 31", "42 52 62"], "", (1,), "ll", ["health", "32 42 52 89"]),
        (["06 05 04", "15 25 35"], "", (), "ul", ["wall", "05 15 25 89"]),
        # 6: the own body, also backwards, but not the last part, which leaves its field.
        (["33 32 31", "66 65 64"], "", (), "dl", ["self", "56 66 65 89"]),
        (["33 34 44 43 42", "66 65 64"], "", (), "rl", ["self", "56 66 65 89"]),
        (["33 34 44 43", "66 65 64"], "", (), "rl", ["43 33 34 44 89", "56 66 65 89"]),
        (["33 34 44 43 43", "66 65 64"], "", (), "rl", ["self", "56 66 65 89"]),
        # 6: the body of another, but not its last part; the last part stays if the other eats now.
        (["33 32 31", "44 43 42"], "", (), "ru", ["body", "45 44 43 89"]),
        (["33 32 31", "45 44 43"], "", (), "ru", ["43 33 32 89", "46 45 44 89"]),
        (["33 32 31", "45 44 43 43"], "", (), "ru", ["body", "46 45 44 43 89"]),
        (["33 32 31", "45 44 43"], "46", (), "ru", ["43 33 32 89", "46 45 44 44 100"]),
        (["33 32 31", "43 44 45"], "", (), "rr", ["body", "53 43 44 89"]),
        # 6: all judged on the same position: both bodies count, though both go out.
        (["33 32 31", "43 44 45"], "", (), "rl", ["body", "body"]),
        (["33 43 53", "42 32 22"], "", (), "du", ["body", "body"]),
        # 6: heads: the longer stays, of equals both are out, as food counts at once.
        (["33 32 31", "53 54 55"], "", (), "rl", ["head", "head"]),
        (["33 32 31 30", "53 54 55"], "", (), "rl", ["43 33 32 31 89", "head"]),
        (["33 32 31", "53 54 55 56"], "", (), "rl", ["head", "43 53 54 55 89"]),
        (["33 32 31 31", "53 54 55"], "", (), "rl", ["43 33 32 31 89", "head"]),
        # 6: three heads on one field.
        (["33 32 31", "53 54 55", "44 45 46"], "", (), "rld", ["head"] * 3),
        (
            ["33 32 31 30", "53 54 55", "44 45 46"],
            "",
            (),
            "rld",
            ["43 33 32 31 89", "head", "head"],
        ),
        (["33 32 31 30", "53 54 55 56", "44 45 46"], "", (), "rld", ["head"] * 3),
        # 6: the body of another comes before its head: a third body lies on the field.
        (["33 32 31", "53 54 55", "44 43 42"], "", (), "rlu", ["body", "body", "45 44 43 89"]),
    ],
)
def test_a_turn_follows_the_rules(
    bodies: list[str], food: str, health: Any, ways: str, wanted: list[str]
) -> None:
    assert shown(move(position(*bodies, food=food, health=health), ways)) == wanted


def test_eaten_food_is_gone_also_if_the_snake_that_ate_is_out() -> None:
    after = move(position("33 32 31", "53 54 55", food="00 43"), "rl")
    assert (after.to_json()["food"], after.staying) == ([[0, 0]], ())


def test_a_snake_that_is_out_keeps_its_health_and_the_turn() -> None:
    after = move(position("33 32 31", "66 65 64", health=(77,)), "dl").to_json()
    assert after["snakes"][0] == {"body": [], "health": 76, "out": {"cause": "self", "turn": 11}}


def test_a_snake_that_forfeits_is_taken_off_before_the_others_move() -> None:
    after = move(position("33 32 31", "44 43 42", "66 65 64"), "r-l", leaving=(1,))
    assert shown(after) == ["43 33 32 89", "forfeit", "56 66 65 89"]
    assert after.to_json()["snakes"][1]["out"] == {"cause": "forfeit", "turn": 11}


def test_missing_food_comes() -> None:
    after = move(position("33 32 31", "66 65 64", minimum_food=5, food="00"), "ul")
    assert len(after.food) == 5
    assert [0, 0] in after.to_json()["food"]


def test_food_comes_neither_on_snakes_nor_beside_heads() -> None:
    state = position("33 32 31", "66 65 64", minimum_food=8)
    taken = body("34 33 32 44 24 35 56 66 65 46 55")
    for seed in range(100):
        document = state.to_json() | {"deal": deal_of_seed(seed).hex()}
        food = move(SNAKES.state_from_json(document), "ul").to_json()["food"]
        assert len(food) == 8
        assert not [point for point in food if point in taken]


def test_less_food_comes_if_there_are_too_few_fields() -> None:
    row = [[x, y] for y in range(7) for x in (range(7) if y % 2 == 0 else reversed(range(7)))]
    long = " ".join(f"{x}{y}" for x, y in row[:42][::-1])
    after = move(position(long, "26 36 46", minimum_food=8), "ul")
    assert len(after.food) == 4


def test_food_comes_by_chance() -> None:
    state = position("33 32 31", "66 65 64", food_chance=25)
    came = 0
    for seed in range(2_000):
        document = state.to_json() | {"deal": deal_of_seed(seed).hex()}
        came += len(move(SNAKES.state_from_json(document), "ul").food)
    assert abs(came - 500) < 64  # 3.3 standard deviations: once in a thousand sets of deals


def test_each_field_gets_food_equally_often() -> None:
    state = position("33 32 31", "66 65 64", minimum_food=1)
    counts: dict[tuple[int, ...], int] = {}
    for seed in range(3_800):
        document = state.to_json() | {"deal": deal_of_seed(seed).hex()}
        (point,) = move(SNAKES.state_from_json(document), "ul").to_json()["food"]
        counts[tuple(point)] = counts.get(tuple(point), 0) + 1
    expected = 3_800 / len(counts)
    assert len(counts) == 38
    # 37 degrees of freedom: 69.3 is exceeded once in a thousand sets of deals.
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 69.3


def test_the_match_is_over_when_one_snake_lives() -> None:
    over = move(position("33 32 31", "66 65 64", "06 05 04"), "dlu")
    assert (over.acting, over.to_move, over.legal_steps(1)) == ((), None, [])
    assert over.outcome is not None
    assert over.outcome.termination is Termination.FINISHED
    assert (over.outcome.ranking, over.outcome.scores) == ((2, 1, 2), (10, 11, 10))


def test_the_match_is_over_when_no_snake_lives() -> None:
    over = move(position("33 32 31", "53 54 55"), "rl")
    assert over.outcome is not None
    assert over.outcome.ranking == (1, 1)


def test_after_the_last_turn_the_longer_snake_is_first() -> None:
    over = move(position("33 32 31", "66 65 64 63", "06 05 04", turn_limit=11), "ulr")
    assert over.outcome is not None
    assert over.outcome.termination is Termination.LIMIT
    assert (over.outcome.ranking, over.outcome.scores) == ((2, 1, 2), (11, 11, 11))


def test_a_snake_that_went_out_later_ranks_higher() -> None:
    after = move(position("33 32 31", "66 65 64", "06 05 04"), "dlr")
    over = move(after, "-rr")
    assert over.outcome is not None
    assert (over.outcome.ranking, over.outcome.scores) == ((3, 2, 1), (10, 11, 12))


def test_a_seat_that_forfeited_ranks_below_a_snake_that_went_out_earlier() -> None:
    after = move(position("33 32 31", "66 65 64", "06 05 04"), "dlr")
    over = move(after, "-l-", leaving=(2,))
    assert over.outcome is not None
    assert over.outcome.termination is Termination.FINISHED
    assert over.outcome.ranking == (2, 1, 3)


def test_a_forfeit_that_leaves_one_snake_ends_the_match_without_the_turn() -> None:
    over = position("33 32 31", "66 65 64").forfeit(1)
    assert over.turn == 10
    assert over.to_json()["snakes"][1]["out"] == {"cause": "forfeit", "turn": 11}
    assert over.outcome is not None
    assert over.outcome.termination is Termination.FORFEIT
    assert (over.outcome.ranking, over.outcome.scores) == ((1, 2), (10, 10))


def test_if_all_forfeit_the_turn_is_played_without_moves() -> None:
    over = move(position("33 32 31", "66 65 64", minimum_food=1), "--", leaving=(0, 1))
    assert (over.turn, len(over.food)) == (11, 1)
    assert over.outcome is not None
    assert over.outcome.ranking == (1, 1)


def test_forfeits_that_end_the_match_share_a_rank_also_if_another_snake_is_out() -> None:
    after = move(position("33 32 31", "66 65 64", "06 05 04", "00 10 20"), "dlru")
    over = forfeit_together(after, (2, 1))
    assert over.to_json()["forfeited"] == [[1, 2]]
    assert over.outcome is not None
    assert over.outcome.ranking == (2, 3, 3, 1)


def test_a_snake_that_is_out_cannot_forfeit() -> None:
    after = move(position("33 32 31", "66 65 64", "06 05 04"), "dlr")
    with pytest.raises(IllegalForfeit, match="seat 0 is out by the rules"):
        after.forfeit(0)
    with pytest.raises(IllegalForfeit, match="seat 0 is out by the rules"):
        move(after, "-lr", leaving=(0,))


@pytest.mark.parametrize("seat", [-1, 2, True, "0", None])
def test_only_a_seat_of_the_match_forfeits(seat: object) -> None:
    with pytest.raises(IllegalForfeit):
        position("33 32 31", "66 65 64").forfeit(seat)


def test_all_directions_are_always_legal() -> None:
    state = position("33 32 31", "66 65 64")
    wanted = [("move", way) for way in ("down", "left", "right", "up")]
    assert [state.legal_steps(seat) for seat in (0, 1)] == [wanted, wanted]


@pytest.mark.parametrize(
    ("steps", "leaving", "error", "sentence"),
    [
        ({0: ["move", "up"]}, (), IllegalStep, "seat 1 chooses now"),
        ({0: ["move", "up"], 1: ["move", "north"]}, (), IllegalStep, "the directions are"),
        ({0: ["move", "up"], 1: ["move", 1]}, (), InvalidStep, "direction in .* is a string"),
        ({0: ["move", "up"], 1: ["move", "up"]}, (1,), IllegalStep, "leaves and has a step"),
        ({0: ["move", "up"], 2: ["move", "up"]}, (), IllegalStep, "seat 2 does not choose now"),
    ],
)
def test_an_answer_that_does_not_fit_is_refused(
    steps: Any, leaving: Any, error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        position("33 32 31", "66 65 64").apply_joint(steps, leaving)


def test_the_food_to_come_is_in_no_view() -> None:
    state = position("33 32 31", "66 65 64")
    for seat in (0, 1, None):
        assert set(state.to_json()) - set(state.view(seat)) == {"deal", "drawn"}
    with pytest.raises(InvalidState):
        SNAKES.state_from_json(state.view(0))


@pytest.mark.parametrize(
    "options",
    [
        {"size": 8},
        {"size": 5},
        {"size": 27},
        {"size": True},
        {"minimum_food": 9},
        {"food_chance": 101},
        {"food_chance": 0.5},
        {"turn_limit": 0},
        {"turn_limit": None},
        {"speed": 2},
    ],
)
def test_other_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOption):
        SNAKES.setup(2, deal_of_seed(1), options)


OUT = {"body": [], "health": 90, "out": {"cause": "wall", "turn": 3}}
LEFT = {"body": [], "health": 90, "out": {"cause": "forfeit", "turn": 3}}


def snake(text: str, **changes: Any) -> dict[str, Any]:
    return {"body": body(text), "health": 90, "out": None, **changes}


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 6},
        {"turn": -1},
        {"turn": 1001},
        {"snakes": [snake("33 32 31")]},
        {"snakes": [OUT, OUT, {**OUT, "out": {"cause": "wall", "turn": 4}}]},
        {"snakes": [snake("33 32 31"), OUT, {**OUT, "out": {"cause": "self", "turn": 11}}]},
        {"snakes": [snake("33 32 31"), snake("66 65 64"), LEFT]},
        {"snakes": [snake("33 32 31"), snake("66 65 64"), OUT], "forfeited": [[2]]},
        {"snakes": [snake("33 32 31"), {**OUT, "body": [[1, 1]]}]},
        {"snakes": [snake("33 32 31"), {**OUT, "health": 0}]},
        {"snakes": [snake("33 32 31"), {**OUT, "out": {"cause": "health", "turn": 3}}]},
        {"snakes": [snake("33 32 31"), {**OUT, "out": {"cause": "hunger", "turn": 3}}]},
        {"snakes": [snake("33 32 31"), snake("66 65 64", health=0)]},
        {"snakes": [snake("33 32 31"), snake("66 65 64", health=101)]},
        {"snakes": [snake("33 32 31"), snake("66 65")]},
        {"snakes": [snake("33 32 31"), snake("66 65 54")]},
        {"snakes": [snake("33 32 31"), snake("66 66 65")]},
        {"snakes": [snake("33 32 31"), snake("66 65 64 64 64 64")]},
        {"snakes": [snake("33 32 31"), snake("66 65 66")]},
        {"snakes": [snake("33 32 31"), snake("32 42 52")]},
        {"snakes": [snake("33 32 31"), snake("66 67 68")]},
        {"food": [[3, 3]]},
        {"food": [[5, 5], [1, 1]]},
        {"food": [[1, 1], [1, 1]]},
        {"food": [[7, 1]]},
        {"food": [[1]]},
        {"options": {"minimum_food": 1, "food_chance": 15}},
        {"options": {"minimum_food": 1, "food_chance": 15, "turn_limit": 0}},
        {"deal": "0"},
        {"drawn": -1},
        {"forfeited": [[0]]},
        {"forfeited": [[]]},
        {"forfeited": [0]},
    ],
)
def test_a_position_that_cannot_be_is_refused(changes: dict[str, Any]) -> None:
    document = position("33 32 31", "66 65 64").to_json()
    assert SNAKES.state_from_json(document).to_json() == document
    with pytest.raises(InvalidState):
        SNAKES.state_from_json({**document, **changes})


def test_the_board_is_shown_as_text() -> None:
    state = position("33 32 31", "66 65 64", "06 05 04", food="00 10")
    assert SNAKES.board_rows(move(state, "uld").view(None)) == [
        ". . . . . B b",
        ". . . . . . b",
        ". . . A . . .",
        ". . . a . . .",
        ". . . a . . .",
        ". . . . . . .",
        "* * . . . . .",
        "turn 11",
        "A seat 0  length 3, health 89",
        "B seat 1  length 3, health 89",
        "C seat 2  out in turn 11: self",
    ]
