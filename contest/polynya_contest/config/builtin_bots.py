"""The bots that come with Polynya: the SDK's examples, from a checkout or from the wheel."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from polynya_common.errors import ConfigurationError
from polynya_common.extras import shipped
from polynya_common.text import join_words

_SUFFIX = "_bot.py"


@dataclass(frozen=True, slots=True)
class Room:
    """How much a program may write into its folder.

    Attributes:
        mib: the size of all files together.
        entries: how many files and folders.
    """

    mib: int
    entries: int


@dataclass(frozen=True, slots=True)
class BotCommand:
    """The program to start.

    Attributes:
        words: the command's words.
        environment: variables added to ours.
        directory: its working directory, None for ours.
        folder: the folder that it may read in a sandbox; None for that of the first file that the
            words name or, if they name none, the working directory.
        room: how much it may write into that folder there; None for nothing.
    """

    words: tuple[str, ...]
    environment: Mapping[str, str]
    directory: str | None = None
    folder: str | None = None
    room: Room | None = None


def _home() -> Path:
    """The folder that holds ``examples`` and the SDK ``polynya_client``."""
    return shipped("sdks", "clients") / "python"


def builtin_names() -> list[str]:
    """The names of the built-in bots (``random``, ``greedy``, …), sorted."""
    return sorted(
        path.name.removesuffix(_SUFFIX) for path in (_home() / "examples").glob(f"*{_SUFFIX}")
    )


def games_of_builtin(name: str) -> list[str] | None:
    """The games that a built-in bot plays; None for all that are installed."""
    if name == "random":
        return None
    if name == "greedy":
        return [other for other in builtin_names() if other not in ("greedy", "random")]
    return [name]


def builtin_command(name: str) -> BotCommand:
    """The command that starts a built-in bot.

    Raises:
        ConfigurationError: there is none of this name; the message lists those that there are.
    """
    if name not in builtin_names():
        raise ConfigurationError(
            f"there is no built-in bot {name!r}; there are {join_words(builtin_names())}"
        )
    home = _home()
    return BotCommand(
        words=(sys.executable, str(home / "examples" / f"{name}{_SUFFIX}")),
        environment={"PYTHONPATH": str(home)},
        folder=str(home),
    )
