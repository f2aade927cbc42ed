"""Why a step is illegal, in a sentence: slow and plain, asked only when it is known to be."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polynya_games.arktia.board import Board
from polynya_games.arktia.legal_steps import landings
from polynya_games.arktia.muglus import CODES, HELD, LIFTS, shape
from polynya_games.arktia.packing import ALL, CELLS, OCCUPIED, stack_at

if TYPE_CHECKING:
    from polynya_games.arktia.state import ArktiaState


def not_now(state: ArktiaState, verb: str) -> str:
    """Why a verb has no place here."""
    if state.owes is not None:
        return f'the turn is not over: a "{state.owes}" is owed now, not a "{verb}"'
    if state.phase == "main":
        return f'no "{verb}" is owed: a turn begins with "place", "move" or "retire"'
    only = "neutral" if state.phase == "neutral" else "place"
    return f'in the phase {state.phase} the only verb is "{only}", not "{verb}"'


def no_cell(state: ArktiaState, cell: int) -> str | None:
    """Why a cell is no existing tile, None if it is one."""
    if not 0 <= cell < state.rules.board.cells:
        return f"there is no cell {cell}: the cells are 0 to {state.rules.board.cells - 1}"
    return None if state.ice >> cell & 1 else f"the tile of cell {cell} has melted"


def no_place(state: ArktiaState, seat: int, reserve: int, kind: str, cell: int) -> str:
    """Why a muglu may not be placed there."""
    if kind not in HELD[reserve]:
        colour = "neutral " if state.phase == "neutral" else ""
        return f"seat {seat} has no {colour}{kind} in reserve"
    if (missing := no_cell(state, cell)) is not None:
        return missing
    if stack := stack_at(state.packed, cell):
        return f"cell {cell} is not empty: it holds {shape(stack)}"
    return f"cell {cell} is not next to {_needed(state, seat)}"


def _needed(state: ArktiaState, seat: int) -> str:
    if state.phase == "neutral":
        return "a tile with a neutral muglu"
    if state.packed >> CELLS * seat & ALL:
        return f"a tile with a muglu of colour {seat}"
    return "an occupied tile"


def no_move(state: ArktiaState, seat: int, start: int, count: int, goal: int) -> str:
    """Why this number of muglus may not go from one cell to another."""
    if (missing := no_cell(state, start) or no_cell(state, goal)) is not None:
        return missing
    stack = stack_at(state.packed, start)
    if not stack:
        return f"cell {start} is empty"
    if stack[-1][0] != seat:
        return f"seat {seat} does not control cell {start}: colour {stack[-1][0]} does"
    if not 1 <= count <= len(stack):
        return f"from the {shape(stack)} on cell {start} 1 to {len(stack)} go, not {count}"
    board = state.rules.board
    if not board.reach(start, state.ice) >> goal & 1:
        return _no_way(board, start, goal)
    lifted = stack[len(stack) - count :]
    _, landing, _ = LIFTS[CODES[stack]][count - 1]
    if not landings(state.packed, state.ice)[landing] >> goal & 1:
        return f"{shape(lifted)} may not land on {shape(stack_at(state.packed, goal))}"
    return f"the move would leave colour {seat} in more than one group"


def _no_way(board: Board, start: int, goal: int) -> str:
    if start == goal:
        return f"cell {start} is where the move begins"
    if board.reach(start, board.everything) >> goal & 1:
        return f"between cell {start} and cell {goal} a tile has melted"
    down, east = (
        there - here for here, there in zip(board.centres[start], board.centres[goal], strict=True)
    )
    if down == 0 or abs(down) == abs(east):
        return f"between cell {start} and cell {goal} a tile is missing"
    return f"cell {goal} does not lie in a straight line from cell {start}"


def no_keep(owed: int, lowest: list[int], colour: int) -> str:
    """Why a group may not be kept."""
    if colour != owed:
        return f"colour {owed} is dealt with now, not colour {colour}"
    cells = ", ".join(str(cell) for cell in lowest)
    return f"the largest groups of colour {owed} are named by their lowest cells: {cells}"


def no_melt(state: ArktiaState, cell: int) -> str:
    """Why a tile may not be melted."""
    if (missing := no_cell(state, cell)) is not None:
        return missing
    if state.packed >> OCCUPIED + cell & 1:
        return f"cell {cell} is not empty: it holds {shape(stack_at(state.packed, cell))}"
    if (state.rules.board.neighbours[cell] & state.ice).bit_count() == 6:
        return f"cell {cell} is not at the edge: it has six neighbours"
    return f"without cell {cell} the ice would fall apart"
