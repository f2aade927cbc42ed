"""Whether a step or a forfeit is legal, asked without listing the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from polynya_games.arktia import refusals
from polynya_games.arktia.legal_steps import may_move, melts, placements
from polynya_games.arktia.muglus import HELD, KINDS
from polynya_games.arktia.packing import choices, split_colour
from polynya_games.errors import IllegalForfeit, IllegalStep, InvalidStep, describe
from polynya_games.game import Step
from polynya_games.refusals import refusal
from polynya_games.steps import Forms

if TYPE_CHECKING:
    from polynya_games.arktia.state import ArktiaState

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


def checked_step(state: ArktiaState, step: object) -> Step:
    """``step`` as a legal step of the position.

    Raises:
        InvalidStep: it has another form, or names a kind of muglu that does not exist.
        IllegalStep: the position does not allow it; the message says why.
    """
    checked = FORMS.read(step)
    seat, verb = state.to_move, checked[0]
    if seat is None:
        raise refusal(IllegalStep, refusals.REFUSALS, "match_over")
    only = state.owes or _BEFORE_MAIN.get(state.phase)
    if verb != only if only else verb not in _BEGINNINGS:
        raise refusals.not_now(state, str(verb))
    _CHECKS[verb](state, seat, *checked[1:])
    return checked


def _check_place(state: ArktiaState, seat: int, kind: str, cell: int) -> None:
    if kind not in KINDS or len(kind) != 1:
        raise refusal(InvalidStep, refusals.REFUSALS, "no_kind", value=describe(kind))
    reserves = state.neutral_reserves if state.phase == "neutral" else state.reserves
    if kind not in HELD[reserves[seat]] or not _holds(state, placements(state), cell):
        raise refusals.no_place(state, seat, reserves[seat], kind, cell)


def _check_move(state: ArktiaState, seat: int, start: int, count: int, goal: int) -> None:
    if not may_move(state, seat, start, count, goal):
        raise refusals.no_move(state, seat, start, count, goal)


def _check_keep(state: ArktiaState, _seat: int, colour: int, cell: int) -> None:
    board = state.rules.board
    owed = split_colour(board, state.packed, state.rules.colours)
    lowest = [lowest_cell(group) for group in choices(board, state.packed, owed)]
    if colour != owed or cell not in lowest:
        raise refusals.no_keep(owed, lowest, colour)


def _check_melt(state: ArktiaState, _seat: int, cell: int) -> None:
    if not _holds(state, melts(state), cell):
        raise refusals.no_melt(state, cell)


def _check_retire(_state: ArktiaState, _seat: int) -> None:
    """Always legal where a turn of the main phase begins."""


def lowest_cell(mask: int) -> int:
    """The lowest cell of a mask."""
    return (mask & -mask).bit_length() - 1


def _holds(state: ArktiaState, mask: int, cell: int) -> bool:
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


def checked_forfeit(state: ArktiaState, seat: object) -> int:
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
    return refusal(IllegalForfeit, refusals.REFUSALS, code, **fields)
