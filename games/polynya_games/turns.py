"""Whole turns: a list of steps is applied as one, or not at all.

:func:`check_answer` and :func:`play_turn` are the one way of playing for every game: a turn of one
seat is a joint turn in which that seat alone acts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from polynya_games.errors import IllegalForfeit, IllegalStep, IllegalTurn, InvalidStep, describe
from polynya_games.game import State, Step
from polynya_games.refusals import COMMON, refusal
from polynya_games.seats import acting, has_joint_turns, legal_steps, staying

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


def joint_step(state: State, seat: int, steps: object) -> Step:
    """The one step of a seat's answer in a joint turn, checked by the position before the turn.

    A state may have a method ``checked_step(seat, step)`` that gives the step as a tuple or raises
    ``InvalidStep`` or ``IllegalStep`` with a sentence of the game; without it the step is looked up
    among the seat's legal steps.

    Args:
        state: a position of a game with joint turns, between turns.
        seat: one of the acting seats.
        steps: a sequence of steps as a peer sent it; its form is checked too.

    Raises:
        IllegalTurn: it is not exactly one legal step; names its index (from 0) and why.
    """
    if not isinstance(steps, (list, tuple)):
        raise _illegal(None, "no_list_of_steps", value=describe(steps))
    if not steps:
        raise _illegal(0, "empty_turn")
    if len(steps) > 1:
        raise _illegal(1, "one_step", count=len(steps))
    try:
        return _checked_step(state, seat, steps[0])
    except (InvalidStep, IllegalStep) as error:
        raise illegal_step(0, steps[0], error) from error


def _checked_step(state: Any, seat: int, step: object) -> Step:
    own = getattr(state, "checked_step", None)
    if own is not None:
        checked: Step = own(seat, step)
        return checked
    if not isinstance(step, (list, tuple)) or not step or type(step[0]) is not str:
        raise refusal(InvalidStep, COMMON, "no_step", value=describe(step))
    legal = legal_steps(state, seat)
    given = tuple(step)
    for known in legal:
        if _is_same(known, given):
            return known
    raise refusal(IllegalStep, COMMON, "not_legal", legal=describe(legal))


def _is_same(known: Step, given: tuple[Any, ...]) -> bool:
    """Whether both are one step; ``1`` is neither ``True`` nor ``1.0``."""
    if len(known) != len(given):
        return False
    for left, right in zip(known, given, strict=True):
        if type(left) is not type(right) or left != right:
            return False
    return True


def check_answer(state: State, seat: int, steps: object) -> None:
    """Whether the answer of an acting seat is a legal turn; ``state`` stays as it is.

    Args:
        state: a position of any game, between turns.
        seat: one of the acting seats.
        steps: a sequence of steps as a peer sent it.

    Raises:
        IllegalTurn: names the first bad step, its index (from 0) and why.
    """
    if len(acting(state)) > 1:
        joint_step(state, seat, steps)
    else:
        apply_turn(state, steps)


def play_turn(
    state: AnyState, answers: Mapping[int, object], forfeited: Sequence[int] = ()
) -> AnyState:
    """The position after one turn of any game: the transition of which all are told.

    Args:
        state: a position between turns.
        answers: the list of steps of each acting seat that does not leave, in any order. It may be
            empty if seats leave between turns, or if the forfeits alone end the match.
        forfeited: the seats that leave in this turn, each once.

    Raises:
        IllegalTurn: an answer is not a legal turn, or is missing or too many; ``state`` still
            stands.
        IllegalForfeit: a seat cannot forfeit.
    """
    seats = acting(state)
    if len(seats) > 1 and answers:
        steps = {seat: joint_step(state, seat, answers[seat]) for seat in sorted(answers)}
        return apply_joint(state, steps, sorted(forfeited))
    if answers and tuple(answers) != seats:
        raise _illegal(None, "other_seat", asked=seats[0] if seats else None)
    if not answers:
        return forfeit_together(state, forfeited)
    if forfeited:
        raise refusal(IllegalForfeit, COMMON, "forfeit_within_turn")
    return apply_turn(state, answers[seats[0]])


def apply_joint(
    state: AnyState, steps: Mapping[int, object], forfeited: Sequence[int] = ()
) -> AnyState:
    """The position after a joint turn, see :class:`~polynya_games.game.JointState`."""
    joint: Any = state
    after: AnyState = joint.apply_joint(steps, tuple(forfeited))
    return after


def forfeit_together(state: AnyState, seats: Sequence[int]) -> AnyState:
    """The position after forfeits between turns, or by which the match ends.

    In a game with joint turns all of ``seats`` leave at once, if the match ends by that, and share
    a rank; else they leave one after the other.

    Raises:
        IllegalForfeit: one of them cannot forfeit.
    """
    if len(seats) > 1 and has_joint_turns(state) and len(staying(state)) - len(seats) <= 1:
        return apply_joint(state, {}, sorted(seats))
    for seat in seats:
        state = state.forfeit(seat)
    return state


def check_leaver(state: State, seat: object, before: Sequence[int] = ()) -> int:
    """The seat that leaves, checked; for the methods ``forfeit`` and ``apply_joint`` of a game.

    Args:
        state: a position between turns.
        seat: any value: it is checked.
        before: the seats that leave in the same turn and are checked already.

    Raises:
        IllegalForfeit: the match is over, there is no such seat, or it is out already.
    """
    if not acting(state):
        raise refusal(IllegalForfeit, COMMON, "match_over")
    if type(seat) is not int or seat not in range(state.players):
        last = state.players - 1
        raise refusal(IllegalForfeit, COMMON, "no_seat", last=last, seat=describe(seat))
    if seat in state.forfeited or seat in before:
        raise refusal(IllegalForfeit, COMMON, "forfeited_already", seat=seat)
    if seat not in staying(state):
        raise refusal(IllegalForfeit, COMMON, "out_already", seat=seat)
    return seat


def check_leavers(state: State, seats: Sequence[int]) -> tuple[int, ...]:
    """The seats that leave in a joint turn, checked, ascending.

    Raises:
        IllegalForfeit: see :func:`check_leaver`.
    """
    for place, seat in enumerate(seats):
        check_leaver(state, seat, seats[:place])
    return tuple(sorted(seats))


def ends_without_turn(state: State, steps: Mapping[int, object], leaving: Sequence[int]) -> bool:
    """Whether forfeits end the match in place of a joint turn.

    They do if a single seat stays and no step is given. If all seats leave there is a turn, in
    which no seat plays.
    """
    return not steps and len(staying(state)) - len(leaving) == 1


def checked_answers(
    state: State, steps: Mapping[int, object], leaving: Sequence[int]
) -> dict[int, Step]:
    """The steps of a joint turn by seat, checked; for the method ``apply_joint`` of a game.

    Args:
        state: a position between turns.
        steps: the step of each acting seat that does not leave (any value: it is checked).
        leaving: the seats that leave in this turn.

    Raises:
        InvalidStep: a step is not of the form of a step of this game.
        IllegalStep: the position does not allow a step, a seat that leaves or does not act has
            one, or an acting seat has neither a step nor left.
    """
    seats = acting(state)
    checked: dict[int, Step] = {}
    for seat, step in steps.items():
        if seat in leaving:
            raise refusal(IllegalStep, COMMON, "step_of_leaver", seat=seat)
        if seat not in seats:
            among = ", ".join(map(str, seats)) or "none"
            raise refusal(IllegalStep, COMMON, "not_acting", seat=seat, acting=among)
        checked[seat] = _checked_step(state, seat, step)
    for seat in seats:
        if seat not in checked and seat not in leaving:
            raise refusal(IllegalStep, COMMON, "no_answer", seat=seat)
    return checked


def illegal_step(index: int, step: object, error: InvalidStep | IllegalStep) -> IllegalTurn:
    """The refusal of a turn for one of its steps."""
    return _illegal(index, "bad_step", index=index, step=describe(step), why=error)


def step_after_turn(index: int, step: object) -> IllegalTurn:
    """The refusal of a turn for a step that comes after its end."""
    return _illegal(index, "step_after_turn", index=index, step=describe(step))


def _illegal(at: int | None, code: str, /, **fields: Any) -> IllegalTurn:
    return refusal(partial(IllegalTurn, at), COMMON, code, **fields)
