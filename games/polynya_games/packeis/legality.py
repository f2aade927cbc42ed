"""Why a step or a forfeit is refused, in sentences for the bot's author."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from polynya_games.errors import IllegalForfeit, IllegalStep, InvalidStep
from polynya_games.game import Step
from polynya_games.packeis.bits import BIT, CELLS
from polynya_games.packeis.moves import NO_WAY, PLACE_CELLS, slide
from polynya_games.steps import Forms
from polynya_games.turns import describe

if TYPE_CHECKING:
    from polynya_games.packeis.state import PackeisState

_FORMS: Final = Forms({"place": {"cell": int}, "move": {"from": int, "to": int}})
_VERBS = {"placement": "place", "movement": "move"}


def checked_step(state: PackeisState, step: object) -> Step:
    """``step`` as a legal step of the position.

    Raises:
        InvalidStep: it has another form, or a cell that no board has.
        IllegalStep: the position does not allow it.
    """
    checked = _FORMS.read(step)
    if state.phase == "movement":
        origin, way = state.layout.board.ways.get(checked, NO_WAY)
        seat: Any = state.to_move
        if state.penguins[seat] & origin and way & state.free == way:
            return checked
    elif checked in PLACE_CELLS and state.phase == "placement":
        cell = PLACE_CELLS[checked]
        if state.layout.fish[cell] == 1 and state.free & BIT[cell]:
            return checked
    raise _refusal(state, checked)


def _refusal(state: PackeisState, step: Any) -> InvalidStep | IllegalStep:
    verb, *cells = step
    for cell in cells:
        if not 0 <= cell < CELLS:
            return InvalidStep(f"cells are numbered 0 to {CELLS - 1}; {describe(cell)} is none")
    if state.to_move is None:
        return IllegalStep("the match is over")
    if verb != _VERBS[state.phase]:
        return IllegalStep(f"the phase is {state.phase}: the verb is {_VERBS[state.phase]}")
    why_not = _why_not_place if verb == "place" else _why_not_move
    return IllegalStep(why_not(state, *cells))


def _why_not_place(state: PackeisState, cell: int) -> str:
    if state.occupied & BIT[cell]:
        return f"there is a penguin on {cell} already"
    if not state.free & BIT[cell]:
        return f"there is no floe at {cell} any more"
    fish = state.layout.fish[cell]
    return f"penguins are placed on floes with one fish; the floe on {cell} carries {fish} fish"


def _why_not_move(state: PackeisState, origin: int, target: int) -> str:
    for seat, own in enumerate(state.penguins):
        if own & BIT[origin] and seat != state.to_move:
            return f"the penguin on {origin} belongs to seat {seat}"
    if not state.occupied & BIT[origin]:
        return f"there is no penguin on {origin}"
    board = state.layout.board
    if target not in board.targets[origin]:
        return f"{target} does not lie in a straight line from {origin}"
    ray = next(ray for ray in board.rays[origin] if target in ray)
    blocked = ray[len(slide(ray, state.free))]
    what = "there is a penguin on" if state.occupied & BIT[blocked] else "there is no floe at"
    return f"{what} {blocked}" + ("" if blocked == target else f", on the way to {target}")


def checked_forfeit(state: PackeisState, seat: object) -> int:
    """``seat`` as one that may forfeit.

    Raises:
        IllegalForfeit: there is no such seat, it is out already, or the match is over.
    """
    if type(seat) is not int or not 0 <= seat < state.players:
        raise IllegalForfeit(f"the seats are 0 to {state.players - 1}; {describe(seat)} is none")
    if state.to_move is None:
        raise IllegalForfeit("the match is over")
    if seat in state.forfeited:
        raise IllegalForfeit(f"seat {seat} has forfeited already")
    if state.out[seat]:
        raise IllegalForfeit(f"seat {seat} has withdrawn and cannot forfeit any more")
    return seat
