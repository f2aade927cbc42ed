"""The rules of play: which steps and forfeits are legal, and what they make of a position."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from polynya_games.arktia.board import KINDS
from polynya_games.arktia.document import write_state
from polynya_games.arktia.position import (
    Position,
    may_move,
    melts,
    next_placement,
    next_turn,
    placements,
)
from polynya_games.arktia.refusals import REFUSALS, no_keep, no_melt, no_move, no_place, not_now
from polynya_games.arktia.stacks import (
    ALL,
    CARRIED,
    CELLS,
    CODE,
    CODE_AT,
    HELD,
    LEFT,
    LIFTED,
    MERGED,
    OCCUPIED,
    PUT,
    SINGLE,
    added,
    choices,
    keep,
    settle,
    split_colour,
    taken_from,
)
from polynya_games.errors import IllegalForfeit, IllegalStep, InvalidStep, describe
from polynya_games.game import Step
from polynya_games.refusals import refusal
from polynya_games.steps import Forms

FORMS = Forms(
    {
        "neutral": {"kind": str, "cell": int},
        "place": {"kind": str, "cell": int},
        "move": {"from": int, "count": int, "to": int},
        "keep": {"colour": int, "cell": int},
        "melt": {"cell": int},
        "retire": {},
    }
)

_BEFORE_MAIN = {"neutral": "neutral", "opening": "place"}
"""By phase: its only verb."""
_BEGINNINGS = ("place", "move", "retire")
"""The verbs that begin a turn of the main phase."""


class ArktiaState(Position, frozen=True, gc=False):
    """A position that can be played on; see :class:`Position`."""

    def to_json(self) -> dict[str, Any]:
        """The document that the rules describe under "State"."""
        return write_state(self)

    def apply(self, step: object) -> ArktiaState:
        """The position after a step; its form and its legality are checked first."""
        return self.apply_legal(checked_step(self, step))

    def apply_legal(self, step: Step) -> ArktiaState:
        """The position after a step that is known to be legal."""
        seat = self.to_move
        if seat is None:
            raise refusal(IllegalStep, REFUSALS, "match_over")
        return _EFFECTS[step[0]](self, seat, step)

    def forfeit(self, seat: int) -> ArktiaState:
        """The position after a seat has forfeited: as if it had retired."""
        leaving = checked_forfeit(self, seat)
        forfeited, out = (*self.forfeited, leaving), self.out | 1 << leaving
        changed = msgspec.structs.replace(self, forfeited=forfeited, out=out)
        if len(forfeited) == self.players - 1 or out == self.rules.everyone:
            return msgspec.structs.replace(changed, phase="over", to_move=None)
        return changed._pass_on(leaving) if leaving == self.to_move else changed

    def _place_neutral(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        _, kind, cell = step
        packed = self.packed ^ PUT[cell][SINGLE[self.players][kind]]
        held = taken_from(self.neutral_reserves, seat, kind)
        changed = msgspec.structs.replace(self, packed=packed, neutral_reserves=held)
        return changed._pass_on(seat)

    def _place(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        _, kind, cell = step
        packed = self.packed ^ PUT[cell][SINGLE[seat][kind]]
        reserves = taken_from(self.reserves, seat, kind)
        if self.phase == "main":
            return self._ended(seat, packed, self.ice, reserves, self.taken, self.melted, self.out)
        return msgspec.structs.replace(self, packed=packed, reserves=reserves)._pass_on(seat)

    def _move(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        _, start, count, goal = step
        packed = self.packed
        code, below = packed >> CODE_AT[start] & CODE, packed >> CODE_AT[goal] & CODE
        merged = MERGED[below][LIFTED[code][count]]
        put_start, put_goal = PUT[start], PUT[goal]
        packed ^= put_start[code] ^ put_start[LEFT[code][count]]
        packed ^= put_goal[below] ^ put_goal[merged]
        if carried := CARRIED[code][count]:
            return self._settled(seat, packed, self.taken, carried)
        if not self.reserves[seat]:
            return self._before_melting(seat, packed, self.taken)
        return self._ended(seat, packed, self.ice, self.reserves, self.taken, self.melted, self.out)

    def _keep(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        _, colour, cell = step
        groups = self.rules.board.groups(self.packed >> CELLS * colour & ALL)
        group = next(group for group in groups if group >> cell & 1)
        packed, lost = keep(self.packed, colour, group)
        later = [other for other in self.rules.colours if other > colour and other != seat]
        return self._settled(seat, packed, added(self.taken, seat, lost), later)

    def _settled(
        self, seat: int, packed: int, taken: tuple[int, ...], colours: Sequence[int]
    ) -> ArktiaState:
        """After a move: remove what is cut off, then go on to what the turn still needs."""
        packed, lost, owed = settle(self.rules.board, packed, colours)
        taken = added(taken, seat, lost)
        if owed:
            return msgspec.structs.replace(self, packed=packed, taken=taken, owes="keep")
        if not self.reserves[seat]:
            return self._before_melting(seat, packed, taken)
        return self._ended(seat, packed, self.ice, self.reserves, taken, self.melted, self.out)

    def _before_melting(self, seat: int, packed: int, taken: tuple[int, ...]) -> ArktiaState:
        """After a move with an empty reserve: a tile must be melted; a seat that cannot is out."""
        rules, ice = self.rules, self.ice
        if rules.board.meltable(ice) & ~(packed >> OCCUPIED):
            return ArktiaState(
                rules,
                packed,
                ice,
                self.reserves,
                self.neutral_reserves,
                taken,
                self.melted,
                self.out,
                self.forfeited,
                "main",
                self.round,
                seat,
                "melt",
            )
        out = self.out | 1 << seat
        return self._ended(seat, packed, self.ice, self.reserves, taken, self.melted, out)

    def _melt(self, seat: int, step: tuple[Any, ...]) -> ArktiaState:
        ice, melted = self.ice ^ 1 << step[1], added(self.melted, seat, 1)
        return self._ended(seat, self.packed, ice, self.reserves, self.taken, melted, self.out)

    def _retire(self, seat: int, _step: tuple[Any, ...]) -> ArktiaState:
        out = self.out | 1 << seat
        return self._ended(seat, self.packed, self.ice, self.reserves, self.taken, self.melted, out)

    def _ended(
        self,
        seat: int,
        packed: int,
        ice: int,
        reserves: tuple[int, ...],
        taken: tuple[int, ...],
        melted: tuple[int, ...],
        out: int,
    ) -> ArktiaState:
        """After a turn of the main phase: pass on to the next seat."""
        rules = self.rules
        following, number, out = next_turn(rules, packed, ice, reserves, out, seat, self.round)
        return ArktiaState(
            rules,
            packed,
            ice,
            reserves,
            self.neutral_reserves,
            taken,
            melted,
            out,
            self.forfeited,
            "over" if following is None else "main",
            number,
            following,
        )

    def _pass_on(self, seat: int) -> ArktiaState:
        """Pass the turn on to the seat that follows, in any phase."""
        if self.phase != "main":
            following = next_placement(
                self.rules, self.packed, self.reserves, self.neutral_reserves, self.out
            )
            if following is not None:
                phase, other = following
                return msgspec.structs.replace(self, phase=phase, to_move=other)
            return msgspec.structs.replace(self, round=1)._pass_on_main(-1)
        return self._pass_on_main(seat)

    def _pass_on_main(self, seat: int) -> ArktiaState:
        return self._ended(
            seat, self.packed, self.ice, self.reserves, self.taken, self.melted, self.out
        )


_EFFECTS: dict[int | str, Callable[[ArktiaState, int, Step], ArktiaState]] = {
    "neutral": ArktiaState._place_neutral,
    "place": ArktiaState._place,
    "move": ArktiaState._move,
    "keep": ArktiaState._keep,
    "melt": ArktiaState._melt,
    "retire": ArktiaState._retire,
}


def checked_step(state: Position, step: object) -> Step:
    """``step`` as a legal step of the position.

    Raises:
        InvalidStep: it has another form, or names a kind of muglu that does not exist.
        IllegalStep: the position does not allow it; the message says why.
    """
    checked = FORMS.read(step)
    seat, verb = state.to_move, checked[0]
    if seat is None:
        raise refusal(IllegalStep, REFUSALS, "match_over")
    only = state.owes or _BEFORE_MAIN.get(state.phase)
    if verb != only if only else verb not in _BEGINNINGS:
        raise not_now(state, str(verb))
    _CHECKS[verb](state, seat, *checked[1:])
    return checked


def _check_place(state: Position, seat: int, kind: str, cell: int) -> None:
    if kind not in KINDS or len(kind) != 1:
        raise refusal(InvalidStep, REFUSALS, "no_kind", value=describe(kind))
    reserves = state.neutral_reserves if state.phase == "neutral" else state.reserves
    if kind not in HELD[reserves[seat]] or not _holds(state, placements(state), cell):
        raise no_place(state, seat, reserves[seat], kind, cell)


def _check_move(state: Position, seat: int, start: int, count: int, goal: int) -> None:
    if not may_move(state, seat, start, count, goal):
        raise no_move(state, seat, start, count, goal)


def _check_keep(state: Position, _seat: int, colour: int, cell: int) -> None:
    board = state.rules.board
    owed = split_colour(board, state.packed, state.rules.colours)
    lowest = [lowest_cell(group) for group in choices(board, state.packed, owed)]
    if colour != owed or cell not in lowest:
        raise no_keep(owed, lowest, colour)


def _check_melt(state: Position, _seat: int, cell: int) -> None:
    if not _holds(state, melts(state), cell):
        raise no_melt(state, cell)


def _check_retire(_state: Position, _seat: int) -> None:
    """Always legal where a turn of the main phase begins."""


def lowest_cell(mask: int) -> int:
    """The lowest cell of a mask."""
    return (mask & -mask).bit_length() - 1


def _holds(state: Position, mask: int, cell: int) -> bool:
    """Whether a cell, any number, is one of a mask."""
    return 0 <= cell < state.rules.board.cells and bool(mask >> cell & 1)


_CHECKS: dict[int | str, Callable[..., None]] = {
    "neutral": _check_place,
    "place": _check_place,
    "move": _check_move,
    "keep": _check_keep,
    "melt": _check_melt,
    "retire": _check_retire,
}


def checked_forfeit(state: Position, seat: object) -> int:
    """``seat``, if it may forfeit.

    Raises:
        IllegalForfeit: there is no such seat, it is out already, a turn is under way, or the
            match is over.
    """
    if type(seat) is not int or not 0 <= seat < state.players:
        raise _illegal("no_seat", last=state.players - 1, seat=describe(seat))
    if state.to_move is None:
        raise _illegal("match_over")
    if state.out >> seat & 1:
        code = "forfeited_already" if seat in state.forfeited else "out_already"
        raise _illegal(code, seat=seat)
    if state.owes is not None:
        raise _illegal("step_owed", seat=state.to_move, owed=state.owes)
    return seat


def _illegal(code: str, **fields: Any) -> IllegalForfeit:
    return refusal(IllegalForfeit, REFUSALS, code, **fields)
