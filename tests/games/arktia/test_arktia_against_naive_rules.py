"""Arktia against the naive reading of its rules: random matches must look the same in both."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.arktia.naive_arktia import Naive
from tests.games.perft_files import perft_counts
from tests.selection import most

from polynya_games import IllegalForfeit, IllegalStep, InvalidStep
from polynya_games.arktia import ARKTIA, ArktiaState

BOARDS: list[tuple[int, dict[str, Any]]] = [
    (2, {}),
    (2, {"neutrals": True, "rows": [[24, 0]]}),
    (2, {"rows": [[3, 0], [1, 3], [8, 2], [1, 7], [11, 0]]}),
    (2, {"rows": [[1, 0], [2, 1], [4, 0], [5, 1], [6, 2], [5, 5], [1, 6]]}),
    (3, {}),
    (3, {"neutrals": False, "rows": [[1, row % 2] for row in range(27)]}),
    (3, {"neutrals": True}),
    (3, {"neutrals": True, "rows": [[12, 0], [12, 1], [12, 0]]}),
    (2, {"rows": [[5, 1], [[2, 0], [3, 6]], [[2, 1], [2, 7]], [6, 0], [[1, 1], [3, 7]], [4, 4]]}),
    (2, {"rows": [[4, 3], [[1, 2], [1, 10]], [[1, 1], [1, 11]], [[1, 2], [1, 10]], [4, 3]]}),
    (3, {"rows": [[6, 0]]}),
    (3, {"neutrals": True, "rows": [[5, 0], [[2, 1], [1, 7]], [5, 0], [[1, 1], [3, 5]]]}),
    (3, {"rows": [[6, 0], [[2, 1], [2, 9]], [[3, 0], [2, 8]], [[2, 1], [2, 7]], [6, 0]]}),
    (4, {"rows": [[9, 0], [[4, 1], [4, 11]], [9, 2], [[4, 1], [5, 11]]] * 3}),
    (4, {}),
    (4, {"neutrals": False, "rows": [[9, 3], [9, 4], [9, 5], [9, 6]]}),
]


def compare(state: ArktiaState, naive: Naive) -> None:
    assert state.to_json() == naive.d
    assert [list(step) for step in state.legal_steps()] == naive.legal()
    assert state.turn_over == (naive.d["owes"] is None)
    outcome = state.outcome
    assert (outcome is None) == (naive.d["to_move"] is not None)
    if outcome is not None:
        assert outcome.ranking == naive.ranking()
        assert list(outcome.scores) == naive.d["points"]


def chosen(steps: list[list[Any]], naive: Naive, generator: random.Random) -> list[Any]:
    """A random step: seldom to retire, often onto another stack, so that towers arise."""
    lively = [step for step in steps if step != ["retire"]]
    if not lively or generator.random() < 0.004:
        return generator.choice(steps)
    stacks = naive.d["stacks"]
    onto = [step for step in lively if step[0] == "move" and (stacks[step[3]] or step[2] > 1)]
    return generator.choice(onto if onto and generator.random() < 0.4 else lively)


def try_illegal(state: ArktiaState, naive: Naive, generator: random.Random) -> None:
    """A step that differs from a legal one in one place is legal exactly if it is listed."""
    legal = naive.legal()
    step = list(generator.choice(legal))
    if len(step) > 1:
        place = generator.randrange(1, len(step))
        step[place] = generator.choice(["G", "D", "T", "X", -1, 0, 1, 2, 3, 4, 7, 20, 36, 2**70])
    step[0] = generator.choice([step[0]] * 5 + ["place", "move", "melt", "keep", "retire"])
    if step not in legal:
        with pytest.raises((IllegalStep, InvalidStep), match=r"\w+ \w+"):
            state.apply(step)


def try_forfeit(
    state: ArktiaState, naive: Naive, seat: int, generator: random.Random, rate: float
) -> ArktiaState:
    d = naive.d
    if d["to_move"] is None or d["owes"] is not None or d["out"][seat]:
        with pytest.raises(IllegalForfeit):
            state.forfeit(seat)
        return state
    if generator.random() < rate:
        naive.forfeit(seat)
        return state.forfeit(seat)
    return state


def play(players: int, options: dict[str, Any], seed: int, forfeits: float, limit: int) -> int:
    """Play one random match with both and compare every position; gives the number of steps."""
    generator = random.Random(seed)
    state, naive = ARKTIA.setup(players, seed, options), Naive(players, options)
    for count in range(limit):
        compare(state, naive)
        if state.to_move is None:
            return count
        try_illegal(state, naive, generator)
        state = try_forfeit(state, naive, generator.randrange(players), generator, forfeits)
        if generator.random() < 0.5:
            state = ARKTIA.state_from_json(json.loads(json.dumps(state.to_json())))
        if state.to_move is not None:
            step = chosen(naive.legal(), naive, generator)
            naive.apply(step)
            state = state.apply(step)
    return limit


@pytest.mark.parametrize(("players", "options"), BOARDS)
def test_random_matches_look_the_same_in_both(players: int, options: dict[str, Any]) -> None:
    steps = sum(play(players, options, seed, 0.0, 150) for seed in range(most(1, 3)))
    assert steps > 50


@settings(max_examples=25, derandomize=True)
@given(
    board=st.sampled_from(BOARDS),
    seed=st.integers(0, 2**32),
    limit=st.sampled_from([1, 2, 5, 60]),
    forfeits=st.sampled_from([0.005, 0.03, 0.2]),
)
def test_matches_with_forfeits_and_round_limits_look_the_same_in_both(
    board: tuple[int, dict[str, Any]], seed: int, limit: int, forfeits: float
) -> None:
    players, options = board
    play(players, {**options, "round_limit": limit}, seed, forfeits, 120)


# -- perft -------------------------------------------------------------------------------------


def naive_perft(naive: Naive, depth: int) -> int:
    steps = naive.legal()
    if depth == 1:
        return len(steps)
    count = 0
    for step in steps:
        following = copy.deepcopy(naive)
        following.apply(step)
        count += naive_perft(following, depth - 1)
    return count


def naive_from(document: dict[str, Any]) -> Naive:
    neutrals = len(document["ice"]) == 12 * document["players"]
    options = {"neutrals": neutrals, "rows": document["rows"]}
    naive = Naive(document["players"], options)
    naive.d = copy.deepcopy(document)
    return naive


def test_naive_rules_give_the_same_perft_counts() -> None:
    shallow = [each for each in perft_counts("arktia") if each.sequences <= 300]
    expected = {(each.position, each.depth): each.sequences for each in shallow}
    assert expected == {
        (each.position, each.depth): naive_perft(naive_from(each.state), each.depth)
        for each in shallow
    }
