"""The rules of play: which steps and forfeits are legal, and what they make of a position."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from polynya_games.errors import IllegalForfeit, IllegalStep, InvalidStep, describe
from polynya_games.game import Step
from polynya_games.icecult.board import BITS, CIRCLE, FIELDS, ONE, PATHS, PAWNS, advanced
from polynya_games.icecult.document import write_state
from polynya_games.icecult.position import (
    DIRECTIONS,
    OPPOSITE,
    PAIRS,
    Position,
    Turn,
    arcs,
    circles,
    winners,
)
from polynya_games.icecult.refusals import REFUSALS
from polynya_games.refusals import refusal
from polynya_games.steps import Forms

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


class IceCultState(Position, frozen=True, gc=False):
    """A position of Ice Cult that can be played on; see :class:`Position`."""

    def apply(self, step: object) -> IceCultState:
        """The position after ``step``, which is checked first.

        Raises:
            InvalidStep: it has not the form of one of the four steps.
            IllegalStep: the position does not allow it; the message says why.
        """
        return self.apply_legal(checked_step(self, step))

    def apply_legal(self, step: Step) -> IceCultState:
        """The position after a step that came from ``legal_steps()``, without checking it again."""
        verb = step[0]
        if verb == "advance":
            return self._advance(step)
        if verb == "tip":
            return self._tip(step)
        if verb == "rotate":
            return self._rotate(step)
        return IceCultState(self.turn.following(), self.cubes, self.paths, self.start, self.goal)

    def _tip(self, step: Any) -> IceCultState:
        turn = self.turn
        _, pair, direction = step
        cubes = [*self.cubes]
        one, other = PAIRS[pair]
        cubes[one] = cubes[one].turned[direction]
        cubes[other] = cubes[other].turned[direction]
        tops = tuple(cubes)
        tipped = Turn(
            turn.players, turn.limit, turn.number, turn.seat, turn.forfeited, (*turn.tips, step)
        )
        if not turn.tips:
            return IceCultState(tipped, tops, self.paths, self.start, self.goal)
        return IceCultState(
            tipped, tops, self.paths, self.start, self.goal, 0, circles(tops), arcs(tops)
        )

    def _rotate(self, step: Any) -> IceCultState:
        _, position, turn = step
        cubes = [*self.cubes]
        cubes[position] = cubes[position].turned[turn]
        return replace(self, cubes=tuple(cubes), arcs_left=self.arcs_left - 1)

    def _advance(self, step: Any) -> IceCultState:
        _, position, field, index = step
        cubes, uses, start, circles_left = self.cubes, self.uses, self.start, self.circles_left
        cube = cubes[position]
        colour = cube.symbol
        way: Any = cube.path
        paths = [*self.paths]
        paths[way], reached, towers = advanced(paths[way], colour, field, index)
        if uses & BITS[position]:
            circles_left -= 1
        if not field:
            start -= ONE[colour]
        goal = self.goal + reached
        if (towers or reached) and (won := winners(self.turn, towers, goal)):
            return IceCultState(self.turn.over(won), cubes, tuple(paths), start, goal)
        uses += ONE[position]
        return IceCultState(
            self.turn, cubes, tuple(paths), start, goal, uses, circles_left, self.arcs_left
        )

    def forfeit(self, seat: int) -> IceCultState:
        """The position after ``seat`` has forfeited; its pawns stay, as neutral ones.

        Raises:
            IllegalForfeit: there is no such seat, it is out already, or a turn is under way.
        """
        leaving = checked_forfeit(self, seat)
        return replace(self, turn=self.turn.without(leaving))

    def to_json(self) -> dict[str, Any]:
        """The state as bots and tools see it (rules, "State, as bots and tools see it")."""
        return write_state(self)


def checked_step(state: Position, step: object) -> Step:
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


def _check_phase(state: Position, verb: object) -> None:
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


def _check_tip(state: Position, pair: str, direction: str) -> None:
    allowed = DIRECTIONS[pair]
    if direction not in allowed:
        one, other = allowed[0], allowed[1]
        raise _illegal("other_direction", pair=pair, one=one, other=other, direction=direction)
    if state.turn.tips == (("tip", pair, OPPOSITE[direction]),):
        raise _illegal("tip_undone", pair=pair, direction=OPPOSITE[direction])


def _check_rotate(state: Position, position: int, turn: str) -> None:
    del position, turn
    if not state.arcs_left:
        there = arcs(state.cubes)
        raise _illegal("arcs_used", count=there) if there else _illegal("no_arc")


def _check_advance(state: Position, position: int, field: int, index: int) -> None:
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


def _check_pawn(state: Position, position: int, field: int, index: int) -> None:
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


def _check_end(state: Position) -> None:
    owed = state.legal_advances()
    if owed:
        raise _illegal("advance_owed", position=owed[0][1], step=describe(owed[0]))


_CHECKS: dict[Any, Any] = {
    "tip": _check_tip,
    "rotate": _check_rotate,
    "advance": _check_advance,
    "end": _check_end,
}


def checked_forfeit(state: Position, seat: object) -> int:
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
