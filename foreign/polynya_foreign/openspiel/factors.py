"""Factors that make OpenSpiel's returns integers: scores are returns times the factor, rounded."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final

_STATED: Final[Mapping[str, int]] = {
    "coop_box_pushing": 10,
    "skat": 240,
    "tiny_bridge_2p": 6,
}
"""By OpenSpiel's name: the factor, if it is neither 1 nor one of those below."""

_SHARES: Final = {"blotto", "go_fish", "goofspiel", "pig", "quoridor", "yacht"}
"""Games in which winners share 1 among them, and losers -1."""

_SPLIT_POTS: Final = {"leduc_poker", "repeated_leduc_poker"}
"""Games in which two of more than two players can share an odd pot."""

FALLBACK: Final = 1_000
"""The factor where returns may have any fraction: scores are then rounded."""


def factor(name: str, game: Any, values: Mapping[str, Any]) -> int:
    """The factor of a game.

    Args:
        name: OpenSpiel's name.
        game: OpenSpiel's game with its parameters.
        values: the parameters that do not have their default.
    """
    players = game.num_players()
    if players == 2 and (game.min_utility(), game.max_utility()) == (-1.0, 1.0):
        return 1
    if any(isinstance(value, (float, str)) for value in values.values()):
        return FALLBACK
    if name in _SHARES:
        return math.lcm(*range(1, players))
    if name in _SPLIT_POTS and players > 2:
        return 2
    return _STATED.get(name, 1)
