"""The document of a position, as bots and tools see it (rules, "State")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polynya_games.icecult.blocks import PATHS
from polynya_games.icecult.paths import unpack

if TYPE_CHECKING:
    from polynya_games.icecult.state import IceCultState


def write_state(state: IceCultState) -> dict[str, Any]:
    """All keys of the rules' document in their order, with lists and plain values only."""
    turn = state.turn
    return {
        "game": "icecult",
        "players": turn.players,
        "phase": state.phase,
        "turn": turn.number,
        "to_move": turn.seat,
        "blocks": [[list(face) for face in cube.faces] for cube in state.cubes],
        "paths": {
            name: [[int(pawn) for pawn in stack] for stack in path.split("/")]
            for name, path in zip(PATHS, state.paths, strict=True)
        },
        "start": unpack(state.start),
        "goal": unpack(state.goal),
        "tips": [list(tip[1:]) for tip in turn.tips],
        "uses": unpack(state.uses),
        "arcs_left": state.arcs_left,
        "winners": list(turn.winners),
        "forfeited": list(turn.forfeited),
        "turn_limit": turn.limit,
    }
