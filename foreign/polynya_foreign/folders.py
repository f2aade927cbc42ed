"""Finds the games of folders: each has a ``game.toml`` and a program that knows the rules."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Final

from polynya_foreign.foreign_game import ForeignGame
from polynya_foreign.game_folder import MANIFEST as MANIFEST
from polynya_foreign.game_folder import read_folder
from polynya_games import Game, UnknownGame, installed
from polynya_server.log import log

VARIABLE: Final = "POLYNYA_GAME_FOLDERS"
"""The environment variable that lists the folders, with ``os.pathsep`` between them."""

_GAMES: dict[Path, ForeignGame] = {}
_UNREADABLE: set[Path] = set()
_LOCK = threading.Lock()


def use(folder: Path) -> Game:
    """The game of a folder, which this process and those that it starts can load from now on.

    Raises:
        UnknownGame: the folder has no game that can be played, or its name is taken; the message
            says why.
    """
    path = folder.resolve()
    if os.pathsep in str(path):
        raise UnknownGame(f"the path of a game's folder has no {os.pathsep!r}: {path}")
    game = _game(path)
    if game.name in installed():
        raise UnknownGame(f"{path}: an installed game is called {game.name!r} already")
    for other in _listed():
        if other != path and _name_of(other) == game.name:
            raise UnknownGame(f"{path}: the game of {other} is called {game.name!r} too")
    with _LOCK:
        paths = _listed()
        if path not in paths:
            os.environ[VARIABLE] = os.pathsep.join(map(str, [*paths, path]))
    return game


def find(name: str) -> Game | None:
    """The game of a folder that is listed in ``POLYNYA_GAME_FOLDERS``; None if none has this name.

    A path, which has a separator as ``./nim``, is that of a folder: it is listed from now on, also
    for the processes that this one starts. A listed folder that cannot be read is passed over: the
    log says why, once.

    Raises:
        UnknownGame: the folder of a path cannot be read as a game; the message says why.
    """
    if os.sep in name:
        return use(Path(name))
    return next((_game(path) for path in _listed() if _name_of(path) == name), None)


def _name_of(path: Path) -> str | None:
    """The name of the game of a listed folder; None, and a warning, if there is none."""
    try:
        return _game(path).name
    except UnknownGame as error:
        with _LOCK:
            is_known = path in _UNREADABLE
            _UNREADABLE.add(path)
        if not is_known:
            log.warning("a folder that is listed has no game", variable=VARIABLE, why=str(error))
        return None


def _listed() -> list[Path]:
    return [Path(each) for each in os.environ.get(VARIABLE, "").split(os.pathsep) if each]


def _game(path: Path) -> ForeignGame:
    with _LOCK:
        game = _GAMES.get(path)
        if game is None:
            game = _GAMES[path] = ForeignGame(read_folder(path))
        return game
