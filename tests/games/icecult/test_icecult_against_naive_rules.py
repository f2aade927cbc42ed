"""Ice Cult against the naive reading of its rules: random matches must look the same in both."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.icecult.naive_icecult import Naive, standard_blocks
from tests.games.perft_files import perft_counts

from polynya_games import IllegalForfeit, IllegalStep, InvalidStep
from polynya_games.icecult import ICECULT, IceCultState

SETUPS = ("shuffled", "standard", "scrambled")


def compare(state: IceCultState, naive: Naive) -> None:
    assert state.to_json() == naive.d
    assert [list(step) for step in state.legal_steps()] == naive.legal()
    assert state.turn_over == (naive.d["tips"] == [])
    outcome = state.outcome
    assert (outcome is None) == (naive.d["to_move"] is not None)
    if outcome is not None:
        assert list(outcome.ranking) == naive.ranking()
        assert list(outcome.scores) == naive.scores()
        assert outcome.termination.value == naive.termination()


def chosen(naive: Naive, generator: random.Random, timid: bool) -> Any:
    """A random step; a timid player advances the foremost pawns, so that they reach the goal."""
    steps = naive.legal()
    step = generator.choice(steps)
    if timid and step[0] == "advance":
        return max(steps, key=lambda each: (each[0] == "advance", each[2:3], generator.random()))
    return step


def try_illegal(state: IceCultState, naive: Naive, generator: random.Random) -> None:
    """A step that differs from a legal one in one place is legal exactly if it is listed."""
    legal = naive.legal()
    step = list(generator.choice(legal))
    if len(step) > 1:
        place = generator.randrange(1, len(step))
        step[place] = generator.choice(["N", "E", "S", "W", "cw", "up", -1, *range(7), 20, 2**70])
    step[0] = generator.choice([step[0]] * 5 + ["tip", "rotate", "advance", "end", "move"])
    if step not in legal:
        with pytest.raises((IllegalStep, InvalidStep), match=r"\w+ \w+"):
            state.apply(step)


def try_forfeit(
    state: IceCultState, naive: Naive, generator: random.Random, rate: float
) -> IceCultState:
    seat = generator.randrange(naive.d["players"])
    if naive.d["to_move"] is None or naive.d["tips"] or seat in naive.d["forfeited"]:
        with pytest.raises(IllegalForfeit):
            state.forfeit(seat)
        return state
    if generator.random() < rate:
        naive.forfeit(seat)
        return state.forfeit(seat)
    return state


def play(
    players: int, options: dict[str, Any], seed: int, forfeits: float = 0.0, most: int = 2000
) -> Naive:
    """Play one random match with both and compare every position; gives the end."""
    generator = random.Random(seed)
    state = ICECULT.setup(players, seed, options)
    naive = Naive(players, state.to_json()["blocks"], options.get("turn_limit", 200))
    timid = generator.random() < 0.5
    for _ in range(most):
        compare(state, naive)
        if state.to_move is None:
            break
        try_illegal(state, naive, generator)
        state = try_forfeit(state, naive, generator, forfeits)
        if generator.random() < 0.5:
            state = ICECULT.state_from_json(json.loads(json.dumps(state.to_json())))
        if state.to_move is not None:
            step = chosen(naive, generator, timid)
            naive.apply(step)
            state = state.apply(step)
    return naive


def test_the_standard_set_up_is_the_one_of_the_rules() -> None:
    state = ICECULT.setup(2, 0, {"setup": "standard"})
    assert state.to_json() == Naive(2, standard_blocks()).d


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("setup", SETUPS)
def test_random_matches_look_the_same_in_both(players: int, setup: str) -> None:
    for seed in range(4):
        assert play(players, {"setup": setup}, seed).d["phase"] == "over"


BLOCKS = st.lists(
    st.tuples(
        *[
            st.one_of(
                st.tuples(st.integers(0, 3), st.sampled_from(ways)),
                st.sampled_from([(4, None), (5, None)]),
            ).map(list)
            for ways in ("NESW", "NESW", "UDEW", "UDNS", "UDEW", "UDNS")
        ]
    ).map(list),
    min_size=4,
    max_size=4,
)


@settings(max_examples=60, derandomize=True)
@given(
    players=st.sampled_from([2, 3, 4]),
    blocks=BLOCKS,
    seed=st.integers(0, 2**32),
    forfeits=st.sampled_from([0.0, 0.05]),
)
def test_matches_with_given_blocks_look_the_same_in_both(
    players: int, blocks: list[Any], seed: int, forfeits: float
) -> None:
    play(players, {"blocks": blocks, "turn_limit": 40}, seed, forfeits, 250)


@settings(max_examples=40, derandomize=True)
@given(
    players=st.sampled_from([2, 3, 4]),
    setup=st.sampled_from(SETUPS),
    seed=st.integers(0, 2**32),
    limit=st.sampled_from([1, 2, 3, 8, 20, 200]),
    forfeits=st.sampled_from([0.01, 0.05, 0.3]),
)
def test_matches_with_forfeits_and_turn_limits_look_the_same_in_both(
    players: int, setup: str, seed: int, limit: int, forfeits: float
) -> None:
    play(players, {"setup": setup, "turn_limit": limit}, seed, forfeits, 250)


def near_the_end(generator: random.Random, players: int) -> Naive:
    """A position in which every colour lacks little: to one tower, or until all are in the goal."""
    state = ICECULT.setup(2, generator.randrange(2**32), {"setup": "scrambled"})
    naive = Naive(players, state.to_json()["blocks"])
    naive.d["to_move"] = generator.randrange(players)
    naive.d["turn"] = players + 1 + naive.d["to_move"]
    ways = generator.sample("NESW", 2)
    for colour in range(4):
        goal = generator.choice([0, 3, 4])
        fields = [2, 2, 2, 2, 1] if goal == 0 else [5, 4][: 5 - goal]
        path = naive.d["paths"][generator.choice(ways)]
        for field in fields:
            stack = path[field - 1]
            stack.insert(generator.randrange(len(stack) + 1), colour)
        naive.d["start"][colour] = 0
        naive.d["goal"][colour] = goal
    return naive


def play_out(naive: Naive, generator: random.Random) -> tuple[str, str]:
    """Play a position to its end with both; says how it was won and by whom."""
    state = ICECULT.state_from_json(naive.d)
    while naive.d["to_move"] is not None:
        compare(state, naive)
        step = generator.choice(naive.legal())
        mover = naive.d["to_move"]
        naive.apply(step)
        state = state.apply(step)
    compare(state, naive)
    assert ICECULT.state_from_json(naive.d) == state
    winners = naive.d["winners"]
    kinds = {"goal" if naive.d["goal"][seat] == 5 else "tower" for seat in winners}
    whose = "mover" if winners == [mover] else "other" if len(winners) == 1 else "shared"
    return " and ".join(sorted(kinds)), whose


@pytest.mark.parametrize(
    ("players", "expected"),
    [
        (2, {("goal", "mover"), ("goal", "other"), ("tower", "mover"), ("tower", "other")}),
        (3, {("goal", "mover"), ("goal", "shared"), ("tower", "mover"), ("tower", "other")}),
        (4, {("goal", "mover"), ("goal", "shared"), ("tower", "mover"), ("tower", "other")}),
    ],
)
def test_endings_look_the_same_in_both(players: int, expected: set[tuple[str, str]]) -> None:
    generator = random.Random(players)
    positions = [near_the_end(generator, players) for _ in range(400)]
    running = [each for each in positions if not any(map(each.fulfils, range(players)))]
    ends = {play_out(naive, generator) for naive in running}
    assert ends >= expected


# -- perft -------------------------------------------------------------------------------------


def naive_from(document: dict[str, Any]) -> Naive:
    naive = Naive(document["players"], document["blocks"])
    naive.d = copy.deepcopy(document)
    return naive


def naive_perft(naive: Naive, depth: int) -> int:
    steps = naive.legal()
    if depth == 1:
        return len(steps)
    count = 0
    for step in steps:
        following = naive_from(naive.d)
        following.apply(step)
        count += naive_perft(following, depth - 1)
    return count


def test_naive_rules_give_the_same_perft_counts() -> None:
    shallow = [each for each in perft_counts("icecult") if each.sequences <= 700]
    expected = {(each.position, each.depth): each.sequences for each in shallow}
    assert expected == {
        (each.position, each.depth): naive_perft(naive_from(each.state), each.depth)
        for each in shallow
    }
