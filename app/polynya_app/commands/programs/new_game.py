"""``polynya new-game``: a game folder whose rules work at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polynya_app.commands.programs.calling import polynya
from polynya_app.console.output import write_line
from polynya_foreign.new_game.writing import write_game
from polynya_hosting.kits.toolchains import listed_tools, shortcomings


def new_game(
    folder: Path,
    *,
    language: Annotated[str, Parameter(name="--lang")] = "python",
) -> None:
    """Write a game folder whose rules are a program that works at once.

    The game is a Nim with options for two to four players; the rest is yours.
    Its program needs nothing but its language. The command overwrites nothing.
    It names missing tools, and how to install them.

    Args:
        folder: A new folder; the game gets its name, of a-z, 0-9 and _.
        language: python, go, rust or javascript.
    """
    template = write_game(language, folder)
    write_line(f"{folder} is a game with rules in {template.title}.")
    write_line(f"It needs {listed_tools(template.tools)}. Next:")
    called = polynya()
    build = [template.build] if template.build else []
    check = f"{called} games check ./"
    for line in (f"cd {folder}", *build, check, f"{called} match random random --game ./"):
        write_line(f"  {line}")
    for sentence in shortcomings(template.tools):
        write_line(sentence)
