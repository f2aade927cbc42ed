"""Where a player may place, move to and melt: masks of cells, and the legal steps made of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from polynya_games.arktia.board import Board
from polynya_games.arktia.muglus import HELD, LIFTED, LIFTS, MERGED, OWNER
from polynya_games.arktia.packing import (
    ALL,
    CELLS,
    CODE,
    CODE_AT,
    CONTROL,
    DISCS,
    GLOBES,
    OCCUPIED,
    TORI,
    TORI_WITH_DISC,
    choices,
    split_colour,
)
from polynya_games.bitsets import cells_of
from polynya_games.game import Step

if TYPE_CHECKING:
    from polynya_games.arktia.state import ArktiaState


def legal_steps(state: ArktiaState) -> list[Step]:
    """All legal steps of a position, sorted."""
    if state.to_move is None:
        return []
    if state.owes == "keep":
        return _keeps(state)
    if state.owes == "melt":
        return [("melt", cell) for cell in cells_of(melts(state))]
    if state.phase == "main":
        return [*_moves(state, state.to_move), *_places(state, state.to_move), ("retire",)]
    if state.phase == "opening":
        return _places(state, state.to_move)
    held = HELD[state.neutral_reserves[state.to_move]]
    cells = list(cells_of(placements(state)))
    return [("neutral", kind, cell) for kind in held for cell in cells]


def placements(state: ArktiaState) -> int:
    """The cells on which the player to move may place a muglu of any kind in its reserve.

    The muglus that a new one has to touch are one group: the neutral ones, all there are, or the
    seat's own. So their joining cells are the cells next to it, and every cell as long as there is
    none.
    """
    packed, seat = state.packed, state.to_move
    if state.phase == "neutral":
        touched = packed >> CELLS * state.rules.players & ALL
    else:
        touched = packed >> CELLS * (seat or 0) & ALL
        if not touched:
            touched = packed >> OCCUPIED & ALL
    return state.rules.board.joins(touched) & state.ice & ~(packed >> OCCUPIED)


def melts(state: ArktiaState) -> int:
    """The tiles that may be melted."""
    return state.rules.board.meltable(state.ice) & ~(state.packed >> OCCUPIED)


def landings(packed: int, ice: int) -> tuple[int, int, int, int]:
    """The cells on which a lifted part may land, by its landing (see ``muglus.LANDING``)."""
    empty = ice & ~(packed >> OCCUPIED)
    return (
        empty | ((packed >> DISCS | packed >> TORI_WITH_DISC) & ALL),
        empty | (packed >> TORI & ALL),
        empty | (packed >> GLOBES & ALL),
        empty,
    )


def goals(board: Board, packed: int, ice: int, seat: int) -> Iterator[tuple[int, int, int]]:
    """Each cell and count from which a seat can move, with the mask of the cells to which."""
    own = packed >> CELLS * seat & ALL
    own_joins = board.joins(own)
    land = landings(packed, ice)
    controlled = packed >> CONTROL + CELLS * seat & ALL
    while controlled:
        low = controlled & -controlled
        controlled ^= low
        start = low.bit_length() - 1
        reach = board.reach(start, ice)
        for count, landing, stays in LIFTS[packed >> CODE_AT[start] & CODE]:
            goal = reach & land[landing] & (own_joins if stays else board.joins(own ^ low))
            if goal:
                yield start, count, goal


def may_move(state: ArktiaState, seat: int, start: int, count: int, goal: int) -> bool:
    """Whether a seat may move ``count`` muglus from one cell to another, for any numbers."""
    packed, board = state.packed, state.rules.board
    if not 0 <= start < board.cells or not 0 <= goal < board.cells:
        return False
    own = packed >> CELLS * seat & ALL
    code, below = packed >> CODE_AT[start] & CODE, packed >> CODE_AT[goal] & CODE
    if OWNER[code] != seat or not 0 < count <= len(LIFTS[code]):
        return False
    if not MERGED[below][LIFTED[code][count]]:
        return False
    stays = LIFTS[code][count - 1][2]
    joins = board.joins(own if stays else own ^ 1 << start)
    return bool(board.reach(start, state.ice) & joins & 1 << goal)


def can_act(board: Board, packed: int, ice: int, reserve: int, seat: int) -> bool:
    """Whether a seat whose turn comes in the main phase can place or move."""
    own = packed >> CELLS * seat & ALL
    empty = ice & ~(packed >> OCCUPIED)
    if reserve and board.joins(own) & empty:
        return True
    controlled = packed >> CONTROL + CELLS * seat & ALL
    while controlled:  # the usual case: a whole stack can go to an empty tile
        low = controlled & -controlled
        controlled ^= low
        if board.reach(low.bit_length() - 1, ice) & empty & board.joins(own & ~low):
            return True
    return next(goals(board, packed, ice, seat), None) is not None


def _moves(state: ArktiaState, seat: int) -> list[Step]:
    steps = []
    board = state.rules.board
    for start, count, mask in goals(board, state.packed, state.ice, seat):
        moves = board.moves[start][count]
        while mask:
            low = mask & -mask
            mask ^= low
            steps.append(moves[low])
    return steps


def _places(state: ArktiaState, seat: int) -> list[Step]:
    held = HELD[state.reserves[seat]]
    if not held:
        return []
    cells = [1 << cell for cell in cells_of(placements(state))]
    return [
        places[cell]
        for kind in held
        for places in [state.rules.board.places[kind]]
        for cell in cells
    ]


def _keeps(state: ArktiaState) -> list[Step]:
    board, packed = state.rules.board, state.packed
    colour = split_colour(board, packed, state.rules.colours)
    lowest = [group & -group for group in choices(board, packed, colour)]
    return [("keep", colour, low.bit_length() - 1) for low in lowest]
