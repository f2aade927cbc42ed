"""Legal steps as messages list them: for a turn, and after some steps of it."""

from __future__ import annotations

from typing import Any

from polynya_games import IllegalStep, InvalidStep, State
from polynya_games.turns import illegal_step, step_after_turn

Steps = list[list[Any]]


def legal_steps(state: State) -> Steps:
    """All legal steps as they are sent."""
    return [list(step) for step in state.legal_steps()]


def steps_after(state: State, steps: list[Any]) -> tuple[Steps, bool]:
    """The legal steps after ``steps`` of the turn that begins in ``state``, and whether it is over.

    Raises:
        IllegalTurn: names the first bad step and why.
    """
    position = state
    for index, step in enumerate(steps):
        if index and (position.to_move is None or position.turn_over):
            raise step_after_turn(index, step)
        try:
            position = position.apply(step)
        except (InvalidStep, IllegalStep) as error:
            raise illegal_step(index, step, error) from error
    is_over = position.to_move is None or (len(steps) > 0 and position.turn_over)
    return ([] if is_over else legal_steps(position)), is_over
