"""Whether a step or a forfeit is legal, asked without listing the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from polynya_games.errors import IllegalForfeit, describe
from polynya_games.game import Step
from polynya_games.packeis.bits import BIT
from polynya_games.packeis.board import NO_WAY
from polynya_games.packeis.legal_steps import PLACE_CELLS
from polynya_games.packeis.refusals import REFUSALS, step_refusal
from polynya_games.refusals import refusal
from polynya_games.steps import Forms

if TYPE_CHECKING:
    from polynya_games.packeis.state import PackeisState

FORMS: Final = Forms({"place": {"cell": int}, "move": {"from": int, "to": int}})


def checked_step(state: PackeisState, step: object) -> Step:
    """``step`` as a legal step of the position.

    Raises:
        InvalidStep: it has another form, or a cell that no board has.
        IllegalStep: the position does not allow it.
    """
    checked = FORMS.read(step)
    if state.phase == "movement":
        origin, way = state.layout.board.ways.get(checked, NO_WAY)
        seat: Any = state.to_move
        if state.penguins[seat] & origin and way & state.free == way:
            return checked
    elif checked in PLACE_CELLS and state.phase == "placement":
        cell = PLACE_CELLS[checked]
        if state.layout.fish[cell] == 1 and state.free & BIT[cell]:
            return checked
    raise step_refusal(state, checked)


def checked_forfeit(state: PackeisState, seat: object) -> int:
    """``seat``, if it may forfeit.

    Raises:
        IllegalForfeit: there is no such seat, it is out already, or the match is over.
    """
    if type(seat) is not int or not 0 <= seat < state.players:
        raise _illegal("no_seat", last=state.players - 1, seat=describe(seat))
    if state.to_move is None:
        raise _illegal("match_over")
    if seat in state.forfeited:
        raise _illegal("forfeited_already", seat=seat)
    if state.out[seat]:
        raise _illegal("withdrawn", seat=seat)
    return seat


def _illegal(code: str, **fields: Any) -> IllegalForfeit:
    return refusal(IllegalForfeit, REFUSALS, code, **fields)
