"""The box that rules processes run in: a sandbox of hosted bots, chosen once for this process.

It stands in the environment, so that processes which inherit the list of game folders inherit the
box, too.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec

from polynya_common.errors import ConfigurationError
from polynya_contest.config.sandbox_settings import SandboxSettings, check_sandbox
from polynya_foreign.game_folder import GameFolder
from polynya_games import GameError, load
from polynya_hosting.sandbox.interface import Program, Sandbox
from polynya_hosting.sandbox.no_sandbox import NO_SANDBOX
from polynya_hosting.sandbox.selection import sandbox_of
from polynya_hosting.sandbox.visible_files import is_too_much

VARIABLE: Final = "POLYNYA_RULES_SANDBOX"
"""The environment variable with the box: a driver's name, or settings as JSON."""

_LIMITING: Final = """IFS=,
for each in $1; do
  most=${each#*=}
  case $each in
    core=*) ulimit -c "$most" ;;
    cpu=*) ulimit -t "$most" ;;
    data=*) ulimit -d "$((most / 1024))" ;;
    fsize=*) ulimit -f "$((most / 512))" ;;
    nofile=*) ulimit -n "$most" ;;
    nproc=*) ulimit -u "$most" 2>/dev/null || ulimit -p "$most" ;;
  esac || exit 126
done
unset IFS
shift
exec "$@"
"""
"""A script of sh that keeps to the settings of a guard which a sandbox leaves to it.

It takes the place of the guard, whose standard input is a socket to the server: questions come by
the program's own standard input.
"""


@dataclass(frozen=True)
class BoxedCommand:
    """How a rules process is started.

    Attributes:
        words: its command.
        directory: its working directory.
        environment: all its variables.
        inherits: the descriptors that it inherits.
    """

    words: tuple[str, ...]
    directory: Path
    environment: dict[str, str]
    inherits: tuple[int, ...]


def box_rules(name: str, settings: SandboxSettings) -> None:
    """Run the rules processes of this process, and of those that it starts, in a sandbox.

    Args:
        name: the game that is played; nothing is done for a game without a process.
        settings: of the sandbox; the driver ``none`` changes nothing, because the environment may
            name a box.
    """
    if settings.driver == "none":
        return
    with suppress(GameError):  # an unknown game is refused where the settings are checked
        if load(name).waits:
            os.environ[VARIABLE] = msgspec.json.encode(settings).decode()


def chosen() -> str:
    """The box as the environment names it; empty for none."""
    return os.environ.get(VARIABLE, "")


@contextmanager
def command_in(box: str, game: GameFolder) -> Iterator[BoxedCommand]:
    """The command of a game's program in a box; at the end of the block nothing of it is left.

    Args:
        box: as the environment names it.
        game: whose program.

    Raises:
        ConfigurationError: the box cannot be used here; the message says what to do.
        OSError: it cannot be made.
    """
    folder = Path(game.folder)
    sandbox = sandbox_in(box, game.memory_mb)
    words, limiting = game.program, ("/bin/sh", "-c", _LIMITING, "/bin/sh")
    if sandbox is NO_SANDBOX:
        limited = (*limiting, f"data={game.memory_mb * 1024 * 1024}", *words)
        yield BoxedCommand(limited, folder, dict(os.environ), ())
        return
    if is_too_much(folder):
        raise ConfigurationError(
            f"rules may read their whole folder, and {folder} holds more than a game: put the "
            "game into a folder of its own"
        )
    program = Program(words, {}, folder, folder)
    with sandbox.enclose(program, limiting) as made:
        yield BoxedCommand(
            tuple(made.words), made.directory, dict(made.environment), tuple(made.inherits)
        )


@lru_cache(maxsize=64)
def sandbox_in(box: str, memory_mb: int) -> Sandbox:
    """The sandbox that the environment names, with this limit of memory.

    Raises:
        ConfigurationError: there is none like this here; the message says what to do.
    """
    if not box:
        return NO_SANDBOX
    text = box if box.startswith("{") else msgspec.json.encode({"driver": box}).decode()
    try:
        settings = msgspec.json.decode(text, type=SandboxSettings)
    except msgspec.MsgspecError as error:
        raise ConfigurationError(
            f"{VARIABLE}: it is the name of a driver, such as bubblewrap, or settings as JSON, "
            f"and {error}"
        ) from error
    limits = msgspec.structs.replace(settings.limits, memory_mb=memory_mb)
    settings = msgspec.structs.replace(settings, limits=limits)
    check_sandbox(settings)
    return sandbox_of(settings)
