"""Positions of Ice Cult for tests, written down as what is on top and who stands where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from polynya_games.icecult import ICECULT, IceCultState
from polynya_games.icecult.board import ARC, CIRCLE, USUAL

SYMBOLS = {"circle": (CIRCLE, None), "arc": (ARC, None)}


def faces(block: int, top: str) -> list[list[Any]]:
    """A block with ``top`` on top: ``"2E"`` (an arrow of colour 2 to the east), arc or circle."""
    wanted = SYMBOLS.get(top) or (int(top[0]), top[1])
    return [list(face) for face in next(c.faces for c in USUAL[block] if c.faces[0] == wanted)]


def path(text: str) -> list[list[int]]:
    """The stacks of a path, inside out: ``"01 - 3 - -"`` has colour 1 on 0 on field 1, …"""
    return [[int(colour) for colour in stack if colour != "-"] for stack in text.split()]


def document(
    players: int, tops: str, paths: Mapping[str, str] | None = None, **changes: Any
) -> dict[str, Any]:
    """A position in action 2; pawns that stand nowhere are in the start area.

    Args:
        players: the number of seats.
        tops: what is on top at the four positions, ``"2E circle arc 0N"``.
        paths: the pawns on the paths that are not empty.
        changes: keys of the document with other values.
    """
    symbols = tops.split()
    data = ICECULT.setup(players).to_json() | {
        "phase": "act",
        "tips": [["N", "N"], ["S", "N"]],
        "blocks": [faces(block, top) for block, top in enumerate(symbols)],
        "arcs_left": symbols.count("arc"),
    }
    for name, text in (paths or {}).items():
        data["paths"][name] = path(text)
    data |= changes
    standing = [pawn for stacks in data["paths"].values() for stack in stacks for pawn in stack]
    for colour in range(4):
        data["start"][colour] = 5 - data["goal"][colour] - standing.count(colour)
    return data


def acting(
    players: int, tops: str, paths: Mapping[str, str] | None = None, **changes: Any
) -> IceCultState:
    """The position of :func:`document`."""
    return ICECULT.state_from_json(document(players, tops, paths, **changes))


def after(state: IceCultState, *steps: list[Any]) -> IceCultState:
    """The position after some steps, each of them checked."""
    for step in steps:
        state = state.apply(step)
    return state


def steps(state: IceCultState, verb: str) -> list[list[Any]]:
    """The legal steps with a verb."""
    return [list(step) for step in state.legal_steps() if step[0] == verb]
