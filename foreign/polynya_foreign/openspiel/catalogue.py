"""The games of OpenSpiel that can be played here, and why the others cannot."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Mapping
from typing import Final

import pyspiel

from polynya_foreign.openspiel.game import SpielGame
from polynya_foreign.openspiel.model import kinds
from polynya_games import MOST_PLAYERS, UnknownGame

PLAYERS: Final[Mapping[str, tuple[int, int]]] = {
    "tiny_hanabi": (2, 2),
    "universal_poker": (2, 2),
}
"""Where OpenSpiel's default parameters fit fewer numbers of players than it says."""


def unfit(name: str) -> str | None:
    """Why a game of OpenSpiel cannot be played here; None if it can."""
    kind = kinds()[name]
    if kind.dynamics == pyspiel.GameType.Dynamics.MEAN_FIELD:
        return "it is a mean-field game: its players are a distribution, and no seats"
    if not kind.is_concrete:
        return "it is no game, but changes another one, which a parameter names"
    if not kind.default_loadable:
        return "it is read from a file"
    if kind.chance_mode == pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC:
        return "it draws in secret from a generator of its own, so no record can play it again"
    if kind.max_num_players < 2:
        return "it is for one player"
    if name == "pathfinding":
        return "its number of players follows from its grid, which has one player"
    return None


def fitting() -> list[str]:
    """OpenSpiel's names of the games that can be played here, in alphabetical order."""
    return [name for name in kinds() if unfit(name) is None]


@functools.cache
def game(name: str) -> SpielGame:
    """One of OpenSpiel's games.

    Args:
        name: OpenSpiel's name, ``connect_four``.

    Raises:
        UnknownGame: OpenSpiel has none of this name, or it cannot be played here.
    """
    if name not in kinds():
        close = ", ".join(difflib.get_close_matches(name, kinds(), 4))
        hint = f"; there are {close}" if close else ""
        raise UnknownGame(f"OpenSpiel has no game {name!r}{hint}; docs/openspiel.md lists them")
    if (reason := unfit(name)) is not None:
        raise UnknownGame(f"OpenSpiel's {name} cannot be played here: {reason}")
    kind = kinds()[name]
    players = (max(2, kind.min_num_players), min(MOST_PLAYERS, kind.max_num_players))
    return SpielGame(kind, PLAYERS.get(name, players))
