"""``polynya new-bot``: a project in some language around a bot that plays at once."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polynya_app.console.output import write_line
from polynya_games import DEFAULT_GAME, load
from polynya_hosting.bots.templates import write_kit
from polynya_hosting.bots.toolchains import listed_tools, shortcomings


def new_bot(
    folder: Path,
    *,
    language: Annotated[str, Parameter(name="--lang")] = "python",
    game: str = DEFAULT_GAME,
) -> None:
    """Write a project around a bot that builds and plays at once.

    The bot plays a random legal step; the rest is yours. The project has a copy
    of the SDK's sources, so it builds without an installation of Polynya. The
    command overwrites nothing. It names missing tools, and how to install them.

    Args:
        folder: A new folder; the bot gets its name.
        language: python, typescript, rust, go, cpp, java, or bridge for any
            other, over standard input and output.
        game: The game that it plays.
    """
    load(game)
    kit = write_kit(language, game, folder)
    write_line(f"{folder} is a bot in {language} for {game}.")
    write_line(f"It needs {listed_tools(kit.tools)}. {kit.network} Next:")
    match = f'{_polynya()} match "{kit.run}" greedy --game {game}'
    for line in (f"cd {folder}", *kit.build, match):
        write_line(f"  {line}")
    for sentence in shortcomings(kit.tools):
        write_line(sentence)


def _polynya() -> str:
    """How this command is called from another folder: by its file where ``PATH`` has none."""
    called = Path(sys.argv[0]).absolute()
    if shutil.which("polynya") is None and called.name == "polynya":
        return shlex.quote(str(called))
    return "polynya"
