"""The name of a game as people write it: an installed game, OpenSpiel's, or a folder."""

from __future__ import annotations

import os
from pathlib import Path

from polynya_foreign.folders import MANIFEST, use


def game_name(text: str, relative_to: Path | None = None) -> str:
    """The name that a game is loaded by.

    Args:
        text: the name of an installed game, ``openspiel:GAME``, or a folder with a ``game.toml``,
            whose game can be loaded from now on, in the processes that this one starts too.
        relative_to: the folder from which a relative path begins; None for the working directory.

    Raises:
        UnknownGame: the folder is no game; the message says why.
    """
    if text.startswith("openspiel:"):
        return f"openspiel_{text.removeprefix('openspiel:')}"
    folder = (relative_to or Path()) / text
    is_path = os.sep in text or text in {os.curdir, os.pardir}
    if is_path or (text and (folder / MANIFEST).is_file()):
        return use(folder).name
    return text
