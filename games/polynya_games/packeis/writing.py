"""The document of a position, as bots and tools see it (rules, "State")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polynya_games.bitsets import cells_of
from polynya_games.rows import written

if TYPE_CHECKING:
    from polynya_games.packeis.state import PackeisState


def write_state(state: PackeisState) -> dict[str, Any]:
    """All keys of the rules' document in their order, with lists and plain values only."""
    document: dict[str, Any] = {
        "game": "packeis",
        "players": state.players,
        "phase": state.phase,
        "to_move": state.to_move,
        "fish": list(state.fish),
        "penguins": [list(cells_of(own)) for own in state.penguins],
        "fish_caught": list(state.fish_caught),
        "floes_caught": list(state.floes_caught),
        "out": list(state.out),
        "forfeited": list(state.forfeited),
    }
    if state.layout.rows is not None:
        document["rows"] = written(state.layout.rows)
    return document
