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
from polynya_games.icecult.refusals import REFUSALS
from polynya_games.icecult.rules_config import FIELDS, PAWNS
from polynya_games.refusals import refusal
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
        raise _out_of_range(checked)
    _check_phase(state, checked[0])
    _CHECKS[checked[0]](state, *checked[1:])
    return checked


def _check_phase(state: IceCultState, verb: object) -> None:
    done = len(state.turn.tips)
    if (verb == "tip") != (done == 2) and state.turn.seat is not None:
        return
    if state.turn.seat is None:
        raise _illegal("match_over")
    if verb == "tip":
        raise _illegal("tipped_twice")
    raise _illegal("tips_first", count=done)


def _out_of_range(step: Step) -> InvalidStep:
    arguments = zip(step[1:], FORMS[str(step[0])], _RANGES[str(step[0])], strict=True)
    value, name, allowed = next(each for each in arguments if each[0] not in each[2])
    found: dict[str, Any] = {"name": name, "value": describe(value)}
    if isinstance(allowed, range):
        found |= {"least": allowed[0], "most": allowed[-1]}
        return refusal(InvalidStep, REFUSALS, "no_number", **found)
    return refusal(InvalidStep, REFUSALS, "no_choice", choices=", ".join(allowed), **found)


def _check_tip(state: IceCultState, pair: str, direction: str) -> None:
    allowed = DIRECTIONS[pair]
    if direction not in allowed:
        one, other = allowed[0], allowed[1]
        raise _illegal("other_direction", pair=pair, one=one, other=other, direction=direction)
    if state.turn.tips == (("tip", pair, OPPOSITE[direction]),):
        raise _illegal("tip_undone", pair=pair, direction=OPPOSITE[direction])


def _check_rotate(state: IceCultState, position: int, turn: str) -> None:
    del position, turn
    if not state.arcs_left:
        there = arcs(state.cubes)
        raise _illegal("arcs_used", count=there) if there else _illegal("no_arc")


def _check_advance(state: IceCultState, position: int, field: int, index: int) -> None:
    colour = state.cubes[position].symbol
    if colour >= CIRCLE:
        symbol = "circle" if colour == CIRCLE else "arc"
        raise _illegal(f"{symbol}_on_top", position=position)
    if state.uses & BITS[position] and not state.circles_left:
        raise _illegal("arrow_used", position=position)
    if field:
        _check_pawn(state, position, field, index)
    elif index:
        raise _illegal("start_has_no_index", index=index)
    elif not state.start & BITS[colour]:
        raise _illegal("none_at_start", colour=colour)


def _check_pawn(state: IceCultState, position: int, field: int, index: int) -> None:
    cube = state.cubes[position]
    way = cube.path or 0
    stack = state.paths[way].split("/")[field - 1]
    place = {"index": index, "field": field, "path": PATHS[way]}
    if index >= len(stack):
        raise _illegal("no_pawn", **place)
    if (colour := int(stack[index])) != cube.symbol:
        raise _illegal(
            "pawn_of_other_colour", colour=colour, position=position, arrow=cube.symbol, **place
        )


def _check_end(state: IceCultState) -> None:
    owed = state.legal_advances()
    if owed:
        raise _illegal("advance_owed", position=owed[0][1], step=describe(owed[0]))


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
        raise _illegal_forfeit("no_seat", last=state.players - 1, seat=describe(seat))
    if state.to_move is None:
        raise _illegal_forfeit("match_over")
    if seat in state.forfeited:
        raise _illegal_forfeit("forfeited_already", seat=seat)
    if not state.turn_over:
        raise _illegal_forfeit("forfeit_within_turn")
    return seat


def _illegal(code: str, **fields: Any) -> IllegalStep:
    return refusal(IllegalStep, REFUSALS, code, **fields)


def _illegal_forfeit(code: str, **fields: Any) -> IllegalForfeit:
    return refusal(IllegalForfeit, REFUSALS, code, **fields)
