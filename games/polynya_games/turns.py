"""Whole turns: a list of steps is applied as one, or not at all."""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

from polynya_games.errors import IllegalStep, IllegalTurn, InvalidStep, describe
from polynya_games.game import State
from polynya_games.refusals import COMMON, refusal

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
    return positions_of_turn(state, steps)[-1]


def positions_of_turn(state: AnyState, steps: object) -> list[AnyState]:
    """The positions after each step of one whole turn, checked as :func:`apply_turn` says.

    Raises:
        IllegalTurn: see there.
    """
    if not isinstance(steps, (list, tuple)):
        raise _illegal(None, "no_list_of_steps", value=describe(steps))
    if not steps:
        raise _illegal(0, "empty_turn")
    positions: list[AnyState] = []
    position = state
    for index, step in enumerate(steps):
        if index and position.turn_over:
            raise step_after_turn(index, step)
        try:
            position = position.apply(step)
        except (InvalidStep, IllegalStep) as error:
            raise illegal_step(index, step, error) from error
        positions.append(position)
        if position.to_move is None:
            return positions
    if not position.turn_over:
        count = len(steps)
        raise _illegal(count, "unfinished_turn", count=count)
    return positions


def illegal_step(index: int, step: object, error: InvalidStep | IllegalStep) -> IllegalTurn:
    """The refusal of a turn for one of its steps."""
    return _illegal(index, "bad_step", index=index, step=describe(step), why=error)


def step_after_turn(index: int, step: object) -> IllegalTurn:
    """The refusal of a turn for a step that comes after its end."""
    return _illegal(index, "step_after_turn", index=index, step=describe(step))


def _illegal(at: int | None, code: str, /, **fields: Any) -> IllegalTurn:
    return refusal(partial(IllegalTurn, at), COMMON, code, **fields)
