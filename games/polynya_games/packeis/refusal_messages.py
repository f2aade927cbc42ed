"""Why a step is refused, in a sentence for the bot's author: asked only when it is known to be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polynya_games.errors import IllegalStep, InvalidStep, describe
from polynya_games.packeis.bits import BIT, CELLS
from polynya_games.packeis.slides import slide

if TYPE_CHECKING:
    from polynya_games.packeis.state import PackeisState

_VERBS = {"placement": "place", "movement": "move"}


def refusal(state: PackeisState, step: Any) -> InvalidStep | IllegalStep:
    """The error for a step of the right form that is not legal."""
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
