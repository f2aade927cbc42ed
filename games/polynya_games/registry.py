"""The games that are installed: entry points of the group ``polynya.games``."""

from __future__ import annotations

import functools
from importlib.metadata import EntryPoint, entry_points

from polynya_games.errors import UnknownGame
from polynya_games.game import LEAST_PLAYERS, MOST_PLAYERS, Game

GROUP = "polynya.games"

DEFAULT_GAME = "packeis"
"""The game that is played where none is named."""


def installed() -> dict[str, EntryPoint]:
    """The entry points of all installed games by name, in alphabetical order."""
    return {point.name: point for point in sorted(entry_points(group=GROUP), key=lambda p: p.name)}


@functools.cache
def load(name: str) -> Game:
    """The game that is registered as ``name``.

    Raises:
        UnknownGame: there is none, or its entry point does not give a :class:`Game`, or that says
            an impossible number of players, or draws from a secret and hides nothing.
    """
    points = installed()
    if name not in points:
        raise UnknownGame(f"no game {name!r} is installed; there are {', '.join(points) or 'none'}")
    try:
        game = points[name].load()
    except (ImportError, AttributeError) as error:
        raise UnknownGame(f"the game {name!r} cannot be imported: {error}") from error
    if not isinstance(game, Game) or game.name != name:
        raise UnknownGame(
            f"the entry point {name!r} of {points[name].value} is not a Game of that name"
        )
    if not LEAST_PLAYERS <= game.min_players <= game.max_players <= MOST_PLAYERS:
        raise UnknownGame(
            f"the game {name!r} says that it is for {game.min_players} to {game.max_players} "
            f"players; {LEAST_PLAYERS} to {MOST_PLAYERS} are possible"
        )
    if game.secret_seed and not game.has_view:
        raise UnknownGame(
            f"the game {name!r} draws from a secret deal and would show it to every player: "
            "its states need a method view(seat), and its class `has_view = True`"
        )
    return game
