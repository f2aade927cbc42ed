"""Whether a step or a forfeit is legal, asked without listing the others, and why not."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from polynya_games.errors import IllegalForfeit, IllegalStep, InvalidStep, describe
from polynya_games.game import Step
from polynya_games.icecult.blocks import CIRCLE, PATHS
from polynya_games.icecult.legal_steps import DIRECTIONS, OPPOSITE, arcs
from polynya_games.icecult.paths import BITS
from polynya_games.icecult.rules_config import FIELDS, PAWNS
from polynya_games.steps import Forms

if TYPE_CHECKING:
    from polynya_games.icecult.state import IceCultState

FORMS = Forms(
    {
        "tip": {"pair": str, "direction": str},
        "rotate": {"position": int, "turn": str},
        "advance": {"position": int, "field": int, "index": int},
        "end": {},
    }
)

_RANGES: dict[str, tuple[Sequence[Any], ...]] = {
    "tip": (tuple(PATHS), tuple(PATHS)),
    "rotate": (range(4), ("cw", "ccw")),
    "advance": (range(4), range(FIELDS + 1), range(4 * PAWNS)),
    "end": (),
}


_STEPS = frozenset(
    (verb, *arguments)
    for verb, ranges in _RANGES.items()
    for arguments in itertools.product(*ranges)
)
"""All steps that some position might allow: a quick way to see that nothing is out of range."""


def checked_step(state: IceCultState, step: object) -> Step:
    """``step`` as a legal step of the position.

    Raises:
        InvalidStep: it has another form, or names what no board has.
        IllegalStep: the position does not allow it.
    """
    checked = FORMS.read(step)
    if checked not in _STEPS:
        raise InvalidStep(_out_of_range(checked))
    _check_phase(state, checked[0])
    _CHECKS[checked[0]](state, *checked[1:])
    return checked


def _check_phase(state: IceCultState, verb: object) -> None:
    done = len(state.turn.tips)
    if (verb == "tip") != (done == 2) and state.turn.seat is not None:
        return
    if state.turn.seat is None:
        raise IllegalStep("the match is over")
    if verb == "tip":
        raise IllegalStep("both tips of this turn have been made")
    raise IllegalStep(f"a turn begins with two tips; tips made so far: {done}")


def _out_of_range(step: Step) -> str:
    arguments = zip(step[1:], FORMS[str(step[0])], _RANGES[str(step[0])], strict=True)
    value, name, allowed = next(each for each in arguments if each[0] not in each[2])
    return f"{name} is {_choices(allowed)}, not {describe(value)}"


def _choices(allowed: Sequence[Any]) -> str:
    if isinstance(allowed, range):
        return f"a number from {allowed[0]} to {allowed[-1]}"
    return f"one of {', '.join(allowed)}"


def _check_tip(state: IceCultState, pair: str, direction: str) -> None:
    allowed = DIRECTIONS[pair]
    if direction not in allowed:
        raise IllegalStep(
            f"the pair {pair} is tipped {allowed[0]} or {allowed[1]}, not {direction}"
        )
    if state.turn.tips == (("tip", pair, OPPOSITE[direction]),):
        raise IllegalStep(
            f"the pair {pair} has just been tipped {OPPOSITE[direction]} and may not go back"
        )


def _check_rotate(state: IceCultState, position: int, turn: str) -> None:
    del position, turn
    if not state.arcs_left:
        there = arcs(state.cubes)
        raise IllegalStep(
            f"every arc on top ({there}) has been used" if there else "no arc is on top"
        )


def _check_advance(state: IceCultState, position: int, field: int, index: int) -> None:
    colour = state.cubes[position].symbol
    if colour >= CIRCLE:
        symbol = "a circle" if colour == CIRCLE else "an arc"
        raise IllegalStep(f"the symbol on top at position {position} is {symbol}, not an arrow")
    if state.uses & BITS[position] and not state.circles_left:
        raise IllegalStep(f"the arrow at position {position} has been used, and no circle is left")
    if field:
        _check_pawn(state, position, field, index)
    elif index:
        raise IllegalStep(f"index is 0 for a pawn from the start area, not {index}")
    elif not state.start & BITS[colour]:
        raise IllegalStep(f"no pawn of colour {colour} is in the start area")


def _check_pawn(state: IceCultState, position: int, field: int, index: int) -> None:
    cube = state.cubes[position]
    way = cube.path or 0
    stack = state.paths[way].split("/")[field - 1]
    place = f"field {field} of path {PATHS[way]}"
    if index >= len(stack):
        raise IllegalStep(f"no pawn stands at index {index} of the stack on {place}")
    if stack[index] != str(cube.symbol):
        raise IllegalStep(
            f"the pawn at index {index} of the stack on {place} has colour {stack[index]}, "
            f"the arrow at position {position} has colour {cube.symbol}"
        )


def _check_end(state: IceCultState) -> None:
    owed = state.legal_advances()
    if owed:
        position = owed[0][1]
        raise IllegalStep(
            f"the arrow at position {position} can still advance a pawn, as {describe(owed[0])} "
            "would; a turn ends when no advance is possible"
        )


_CHECKS: dict[Any, Any] = {
    "tip": _check_tip,
    "rotate": _check_rotate,
    "advance": _check_advance,
    "end": _check_end,
}


def checked_forfeit(state: IceCultState, seat: object) -> int:
    """``seat``, if it may forfeit.

    Raises:
        IllegalForfeit: there is no such seat, it is out already, a turn is under way, or the match
            is over.
    """
    if type(seat) is not int or not 0 <= seat < state.players:
        raise IllegalForfeit(f"the seats are 0 to {state.players - 1}; {describe(seat)} is none")
    if state.to_move is None:
        raise IllegalForfeit("the match is over")
    if seat in state.forfeited:
        raise IllegalForfeit(f"seat {seat} has forfeited already")
    if not state.turn_over:
        raise IllegalForfeit("a forfeit is possible only between turns")
    return seat
