"""Packs the folder of a game for workers that do not have it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

from polynya_common.errors import ConfigurationError
from polynya_foreign.foreign_game import ForeignGame
from polynya_games import load
from polynya_hosting.sandbox.visible_files import is_too_much
from polynya_protocol.errors import printable
from polynya_tournaments.distribution.folder_archives import is_packed, pack_folder


def pack_game(name: str, private: Mapping[str, Path]) -> bytes | None:
    """The folder of a game as an archive; None for a game that is installed.

    Args:
        name: the game's.
        private: files and folders that must not travel, by their description.

    Raises:
        ConfigurationError: the folder cannot travel; the message says what to do.
    """
    game = load(name)
    if not isinstance(game, ForeignGame):
        return None
    folder = Path(game.folder.folder).resolve()
    try:
        _check(folder, private)
        _check_program(folder, game.folder.program)
        return pack_folder(folder)
    except (ConfigurationError, OSError) as error:
        raise ConfigurationError(
            f"game {name}: its folder cannot be sent to workers: {error}"
        ) from error


def _check(folder: Path, private: Mapping[str, Path]) -> None:
    advice = "put the game into a folder of its own"
    if is_too_much(folder):
        raise ConfigurationError(f"{folder} holds more than a game: {advice}")
    for what, path in private.items():
        if path.resolve().is_relative_to(folder):
            raise ConfigurationError(f"{what} {path} is there: {advice}")


def _check_program(folder: Path, words: Iterable[str]) -> None:
    """Refuse a program of the folder that does not travel, or is named by its place here."""
    for word in words:
        path = Path(os.path.normpath(folder / word))
        if not path.is_relative_to(folder) or not path.exists():
            continue
        if not is_packed(path, folder):
            raise ConfigurationError(
                f"its program names {printable(word)}, and virtual environments and caches are not "
                "sent to workers: name a program that is on each worker, such as python3"
            )
        if os.path.isabs(word):
            inside = printable(str(path.relative_to(folder)))
            raise ConfigurationError(
                f"its program names {printable(word)}: name it from the folder, {inside}"
            )
