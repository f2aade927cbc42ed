"""The built-in bots: the SDK's examples, and those that other distributions register.

A distribution registers a bot as an entry point of the group ``polynya.bots``: a mapping with
``program``, the path of a Python program, ``arguments``, a list of words, and ``games``, the names
of the games that it plays. The SDK is on the program's path. A bot of ours comes before another of
the same name.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from polynya_common.errors import ConfigurationError
from polynya_common.extras import shipped
from polynya_common.text import join_words

_SUFFIX = "_bot.py"
GROUP = "polynya.bots"


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
    return sorted({*_own_names(), *_registered()})


def _own_names() -> list[str]:
    paths = sorted((_home() / "examples").glob(f"*{_SUFFIX}"))
    return [path.name.removesuffix(_SUFFIX) for path in paths]


def _registered() -> Mapping[str, EntryPoint]:
    return {point.name: point for point in entry_points(group=GROUP)}


def _description(point: EntryPoint) -> Mapping[str, Any]:
    """The description of a bot by its distribution.

    Raises:
        ConfigurationError: it cannot be imported, or is not of the form.
    """
    try:
        description: Any = point.load()
    except (ImportError, AttributeError) as error:
        raise ConfigurationError(
            f"the bot {point.name!r} cannot be imported: {error}; reinstall its distribution"
        ) from error
    if not isinstance(description, Mapping) or set(description) != {
        "program",
        "arguments",
        "games",
    }:
        raise ConfigurationError(
            f"{point.value}, the bot {point.name!r}, is not a mapping with the keys program, "
            "arguments and games"
        )
    return description


def games_of_builtin(name: str) -> list[str] | None:
    """The games that a built-in bot plays; None for all that are installed."""
    if name == "random":
        return None
    if name == "greedy":
        return [other for other in _own_names() if other not in ("greedy", "random")]
    if name not in _own_names() and (point := _registered().get(name)):
        return list(_description(point)["games"])
    return [name]


def rival_in(game: str) -> str:
    """A built-in bot that plays a game better than at random, if there is one."""
    for name in ("greedy", *sorted(_registered())):
        if game in (games_of_builtin(name) or ()):
            return name
    return "random"


def builtin_command(name: str) -> BotCommand:
    """The command that starts a built-in bot.

    Raises:
        ConfigurationError: there is none of this name; the message lists those that there are.
    """
    home = _home()
    if name not in _own_names():  # to find the others takes some hundredths of a second
        registered = _registered()
        if name not in registered:
            raise ConfigurationError(
                f"there is no built-in bot {name!r}; there are {join_words(builtin_names())}"
            )
        bot = _description(registered[name])
        return BotCommand(
            words=(sys.executable, str(bot["program"]), *map(str, bot["arguments"])),
            environment={"PYTHONPATH": str(home)},
        )
    return BotCommand(
        words=(sys.executable, str(home / "examples" / f"{name}{_SUFFIX}")),
        environment={"PYTHONPATH": str(home)},
        folder=str(home),
    )
