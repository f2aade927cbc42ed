"""OpenSpiel's games by names such as ``openspiel_connect_four``; with the extra ``openspiel``."""

from __future__ import annotations

import importlib

from polynya_common.extras import missing_package
from polynya_games import Game, UnknownGame

PREFIX = "openspiel_"
"""The beginning of the names of OpenSpiel's games."""


def find(name: str) -> Game | None:
    """The game of OpenSpiel with a name such as ``openspiel_connect_four``; None for other names.

    People may write ``openspiel:connect_four`` in its place.

    Raises:
        UnknownGame: OpenSpiel is not installed, has no such game, or the game cannot be played
            here; the message says why.
    """
    name = name.replace("openspiel:", PREFIX, 1) if name.startswith("openspiel:") else name
    if not name.startswith(PREFIX):
        return None
    try:
        catalogue = importlib.import_module("polynya_foreign.openspiel.catalogue")
    except ModuleNotFoundError as error:
        sentence = missing_package(error)
        if sentence is None:
            raise
        raise UnknownGame(f"the game {name!r} is not there: {sentence}") from error
    game: Game = catalogue.game(name.removeprefix(PREFIX))
    return game
