"""The built-in bots: for each the program, its arguments, and the games that it plays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


def _snakes(strategy: str) -> dict[str, Any]:
    program = str(_FOLDER / "snakes_bot.py")
    return {"program": program, "arguments": ["--strategy", strategy], "games": ["snakes"]}


def _kuhn(alpha: str) -> dict[str, Any]:
    program = str(_FOLDER / "kuhn_bot.py")
    return {"program": program, "arguments": ["--alpha", alpha], "games": ["kuhn"]}


KUHN_TIGHT = _kuhn("0")
"""Never bluffs as first player."""
KUHN_SIXTH = _kuhn("1/6")
"""The middle of the family."""
KUHN_BLUFFER = _kuhn("1/3")
"""Bluffs as often as an equilibrium allows, and always bets the king."""
GOOFSPIEL = {"program": str(_FOLDER / "goofspiel_bot.py"), "arguments": [], "games": ["goofspiel"]}
SNAKES_CAREFUL = _snakes("careful")
"""Never loses at once if it can avoid that."""
SNAKES_FLOOD = _snakes("flood")
"""Keeps room for its whole length, and eats."""
SNAKES_SEARCH = _snakes("search")
"""Looks two turns ahead, and compares the fields that each snake reaches first."""
