"""Names of steps: OpenSpiel's names of actions, made unique and printable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any


def action_names(state: Any, seat: int) -> Mapping[str, int]:
    """The legal actions of a seat by name.

    Where two legal actions of a position have one name, `` #`` and the number of the action follow
    each of these names. Characters that cannot be printed become spaces.

    Args:
        state: OpenSpiel's state.
        seat: a seat that chooses in it.
    """
    actions = state.legal_actions(seat)
    names = [printed(state.action_to_string(seat, action)) for action in actions]
    counts = Counter(names)
    return {
        name if counts[name] == 1 else f"{name} #{action}": action
        for name, action in zip(names, actions, strict=True)
    }


def printed(text: str) -> str:
    """The text in one line, with a space for each character that cannot be printed."""
    return "".join(sign if sign.isprintable() else " " for sign in text).strip()
