"""Positions of Arktia for tests, written down as what stands where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from polynya_games.arktia import ARKTIA, ArktiaState

MAIN = {"phase": "main", "round": 20}


def stack(text: str) -> list[list[Any]]:
    """A stack from its muglus, bottom to top: ``"1T 0G"``."""
    return [[int(muglu[0]), muglu[1]] for muglu in text.split()]


def document(
    players: int,
    stacks: Mapping[int, str],
    *,
    placed_all: Iterable[int] = (),
    gone: Mapping[int, int] | None = None,
    options: Mapping[str, Any] | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """A position of the main phase that can be: what is nowhere is in reserve, or was taken.

    Args:
        players: the number of seats.
        stacks: by cell, the stack on it.
        placed_all: the seats whose reserve is empty; their missing muglus were taken by the next
            seat, the neutral ones by seat 0.
        gone: by melted cell, the seat that melted it.
        options: set-up options.
        changes: keys of the document with other values.
    """
    data = ARKTIA.setup(players, 0, options).to_json()
    for cell, text in stacks.items():
        data["stacks"][cell] = stack(text)
    standing = [tuple(muglu) for stack in data["stacks"] for muglu in stack]
    for cell, seat in (gone or {}).items():
        data["ice"][cell] = 0
        data["melted"][seat] += 1
    for seat in range(players):
        left = [3 - standing.count((seat, kind)) for kind in "GDT"]
        if seat in placed_all:
            data["taken"][(seat + 1) % players] += sum(left)
            left = [0, 0, 0]
        data["reserve"][seat] = left
    if any(any(reserve) for reserve in data["neutral_reserve"]):
        data["taken"][0] += 3 * players - sum(colour == players for colour, _ in standing)
        data["neutral_reserve"] = [[0, 0, 0]] * players
    data |= MAIN | changes
    data["points"] = [
        sum(bool(stack) and stack[-1][0] == seat for stack in data["stacks"])
        + data["taken"][seat]
        + data["melted"][seat]
        for seat in range(players)
    ]
    return data


def position(players: int, stacks: Mapping[int, str], **rest: Any) -> ArktiaState:
    """The state of :func:`document`, so of a position that the reader accepts."""
    return ARKTIA.state_from_json(document(players, stacks, **rest))


def standing(state: ArktiaState) -> dict[int, str]:
    """What stands where: the inverse of ``stacks`` above."""
    stacks = enumerate(state.to_json()["stacks"])
    return {
        cell: " ".join(f"{colour}{kind}" for colour, kind in muglus)
        for cell, muglus in stacks
        if muglus
    }
