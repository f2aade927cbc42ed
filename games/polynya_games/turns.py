"""Whole turns: a list of steps is applied as one, or not at all."""

from __future__ import annotations

from typing import TypeVar

from polynya_games.errors import IllegalStep, IllegalTurn, InvalidStep, describe
from polynya_games.game import State

AnyState = TypeVar("AnyState", bound=State)


def apply_turn(state: AnyState, steps: object) -> AnyState:
    """The position after one whole turn.

    The list is legal if every step is legal when its predecessors have been applied, the turn is
    over after the last one and no step comes after its end; when a step ends the match, what
    follows it is ignored (rules, "Steps and turns").

    Args:
        state: a position between turns.
        steps: a sequence of steps as a peer sent it; its form is checked too.

    Raises:
        IllegalTurn: names the first bad step, its index (from 0) and why; ``state`` still stands.
    """
    if not isinstance(steps, (list, tuple)):
        raise IllegalTurn(None, f"steps is a list of steps, not {describe(steps)}")
    if not steps:
        raise IllegalTurn(0, "the turn has no steps")
    position = state
    for index, step in enumerate(steps):
        if index and position.turn_over:
            raise IllegalTurn(index, f"step {index}: {describe(step)}: the turn is over before it")
        try:
            position = position.apply(step)
        except (InvalidStep, IllegalStep) as error:
            raise IllegalTurn(index, f"step {index}: {describe(step)}: {error}") from error
        if position.to_move is None:
            return position
    if not position.turn_over:
        count = len(steps)
        raise IllegalTurn(count, f"the turn is not over after its {count} steps")
    return position
