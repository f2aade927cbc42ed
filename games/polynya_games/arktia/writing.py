"""The document of a position, as bots and tools see it (rules, "State")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polynya_games.arktia.muglus import COUNTS
from polynya_games.arktia.packing import stack_at
from polynya_games.rows import written

if TYPE_CHECKING:
    from polynya_games.arktia.state import ArktiaState


def write_state(state: ArktiaState) -> dict[str, Any]:
    """All keys of the rules' document in their order, with lists and plain values only."""
    rules = state.rules
    board, seats = rules.board, range(rules.players)
    return {
        "game": "arktia",
        "players": rules.players,
        "phase": state.phase,
        "round": state.round,
        "to_move": state.to_move,
        "rows": written(board.rows),
        "ice": [state.ice >> cell & 1 for cell in range(board.cells)],
        "stacks": [
            [list(muglu) for muglu in stack_at(state.packed, cell)] for cell in range(board.cells)
        ],
        "reserve": [list(COUNTS[reserve]) for reserve in state.reserves],
        "neutral_reserve": [list(COUNTS[reserve]) for reserve in state.neutral_reserves],
        "taken": list(state.taken),
        "melted": list(state.melted),
        "points": list(state.points),
        "out": [bool(state.out >> seat & 1) for seat in seats],
        "forfeited": list(state.forfeited),
        "round_limit": rules.round_limit,
        "owes": state.owes,
    }
