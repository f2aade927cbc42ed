"""Counting and playing out: two ways to go through a game without choosing a good step."""

from __future__ import annotations

import random
from typing import TypeVar

from polynya_games.game import State
from polynya_games.seats import acting, legal_steps
from polynya_games.turns import apply_joint

AnyState = TypeVar("AnyState", bound=State)


def perft(state: State, depth: int) -> int:
    """The number of legal step sequences of length ``depth`` from a position.

    Steps are counted, not turns: in a game whose turns have several steps, ``depth`` 3 may end in
    the middle of a turn. A sequence in which the match ends before ``depth`` steps does not count,
    as in chess. ``perft(state, 0)`` is 1.

    The last level is counted without being played, as is usual (*bulk counting*).
    """
    if depth <= 0:
        return 1
    steps = state.legal_steps()
    if depth == 1:
        return len(steps)
    return sum(perft(state.apply_legal(step), depth - 1) for step in steps)


def divide(state: State, depth: int) -> dict[str, int]:
    """``perft`` split by the first step (as text), to find where two sets of rules differ.

    Args:
        state: the position.
        depth: the length of the sequences, 1 or more.
    """
    return {
        " ".join(map(str, step)): perft(state.apply_legal(step), depth - 1)
        for step in state.legal_steps()
    }


def playout(state: AnyState, generator: random.Random) -> AnyState:
    """The end of a match in which every step from ``state`` on is chosen at random.

    Args:
        state: where it begins; a finished match is given back as it is.
        generator: makes the choices, each legal step equally likely.
    """
    while seats := acting(state):
        if len(seats) > 1:
            steps = {seat: generator.choice(legal_steps(state, seat)) for seat in seats}
            state = apply_joint(state, steps)
        else:
            state = state.apply_legal(generator.choice(state.legal_steps()))
    return state
