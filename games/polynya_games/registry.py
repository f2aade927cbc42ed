"""Finds games by name: those that are installed, then those that a finder knows.

An installed game is an entry point of the group ``polynya.games``. A finder is an entry point of
the group ``polynya.game_finders``: a function that is given a name, or the path or the other form
that a host writes, and returns the :class:`~polynya_games.game.Game`, or None if it is not of its
kind. Finders bring the games of other systems; they are imported only for a name that no entry
point has. Names come from strangers too, in uploads, records and addresses of pages, so no name
opens a path: only :func:`recorded_name` does.
"""

from __future__ import annotations

import functools
import re
from importlib.metadata import EntryPoint, entry_points

from polynya_games.errors import UnknownGame
from polynya_games.game import LEAST_PLAYERS, MOST_PLAYERS, Game

GROUP = "polynya.games"
FINDERS = "polynya.game_finders"

_NAME = re.compile(r"[a-z0-9_]+")
"""The form of the names that finders are asked for on behalf of strangers."""

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
    if name in points:
        game: Game | None = _imported(points[name])
    else:
        game = _found(name) if _NAME.fullmatch(name) else None
    if game is None:
        raise UnknownGame(f"no game {name!r} is installed; there are {', '.join(points) or 'none'}")
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


def recorded_name(text: object) -> str:
    """The name that a game is recorded with; a host may write the path of its folder instead.

    What a stranger sends is never given to this function: it opens the folder, whose program runs.
    A text that names no game is returned as it is: what is wrong with it is said when it is loaded.

    Raises:
        TypeError: it is no text.
        UnknownGame: a finder knows the form, and there is no such game; the message says why.
    """
    if not isinstance(text, str):
        raise TypeError
    if _NAME.fullmatch(text) or text in installed():
        return text
    game = _found(text)
    return text if game is None else game.name


def _imported(point: EntryPoint) -> Game:
    """The game of an entry point."""
    try:
        game = point.load()
    except (ImportError, AttributeError) as error:
        raise UnknownGame(f"the game {point.name!r} cannot be imported: {error}") from error
    if not isinstance(game, Game) or game.name != point.name:
        raise UnknownGame(
            f"the entry point {point.name!r} of {point.value} is not a Game of that name"
        )
    return game


def _found(name: str) -> Game | None:
    """The game that the first finder knows by this name, None if none does."""
    for point in sorted(entry_points(group=FINDERS), key=lambda each: each.name):
        try:
            find = point.load()
        except (ImportError, AttributeError) as error:
            raise UnknownGame(
                f"the finder of games {point.name!r} cannot be imported: {error}"
            ) from error
        game: Game | None = find(name)
        if game is not None:
            return game
    return None
