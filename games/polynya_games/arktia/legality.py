"""Whether one step is legal, asked without listing the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from polynya_games.arktia import reasons
from polynya_games.arktia.legal import may_move, melts, placements
from polynya_games.arktia.removal import choices, split_colour
from polynya_games.arktia.reserves import HELD
from polynya_games.arktia.stacks import KINDS
from polynya_games.errors import IllegalStep, InvalidStep
from polynya_games.game import Step
from polynya_games.turns import describe

if TYPE_CHECKING:
    from polynya_games.arktia.state import ArktiaState

_BEFORE_MAIN = {"neutral": "neutral", "opening": "place"}
"""By phase: its only verb."""
_BEGINNINGS = ("place", "move", "retire")
"""The verbs that begin a turn of the main phase."""


def require_legal(state: ArktiaState, step: Step) -> None:
    """Do nothing if a step of the right form is legal.

    Raises:
        InvalidStep: it names a kind of muglu that does not exist.
        IllegalStep: the position does not allow it; the message says why.
    """
    seat, verb = state.to_move, step[0]
    if seat is None:
        raise IllegalStep("the match is over")
    only = state.owes or _BEFORE_MAIN.get(state.phase)
    if verb != only if only else verb not in _BEGINNINGS:
        raise IllegalStep(reasons.not_now(state, str(verb)))
    _CHECKS[verb](state, seat, *step[1:])


def _check_place(state: ArktiaState, seat: int, kind: str, cell: int) -> None:
    if kind not in KINDS or len(kind) != 1:
        raise InvalidStep(f"kind is G (globe), D (disc) or T (torus), not {describe(kind)}")
    reserves = state.neutral_reserves if state.phase == "neutral" else state.reserves
    if kind not in HELD[reserves[seat]] or not _holds(state, placements(state), cell):
        raise IllegalStep(reasons.no_place(state, seat, reserves[seat], kind, cell))


def _check_move(state: ArktiaState, seat: int, start: int, count: int, goal: int) -> None:
    if not may_move(state, seat, start, count, goal):
        raise IllegalStep(reasons.no_move(state, seat, start, count, goal))


def _check_keep(state: ArktiaState, _seat: int, colour: int, cell: int) -> None:
    board = state.setting.board
    owed = split_colour(board, state.packed, state.setting.colours)
    lowest = [lowest_cell(group) for group in choices(board, state.packed, owed)]
    if colour != owed or cell not in lowest:
        raise IllegalStep(reasons.no_keep(owed, lowest, colour))


def _check_melt(state: ArktiaState, _seat: int, cell: int) -> None:
    if not _holds(state, melts(state), cell):
        raise IllegalStep(reasons.no_melt(state, cell))


def _check_retire(_state: ArktiaState, _seat: int) -> None:
    """Always legal where a turn of the main phase begins."""


def lowest_cell(mask: int) -> int:
    """The lowest cell of a mask."""
    return (mask & -mask).bit_length() - 1


def _holds(state: ArktiaState, mask: int, cell: int) -> bool:
    """Whether a cell, any number, is one of a mask."""
    return 0 <= cell < state.setting.board.cells and bool(mask >> cell & 1)


_CHECKS: dict[int | str, Callable[..., None]] = {
    "neutral": _check_place,
    "place": _check_place,
    "move": _check_move,
    "keep": _check_keep,
    "melt": _check_melt,
    "retire": _check_retire,
}
