"""``polynya new-bot`` and ``polynya languages``: a project around a bot that plays at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from polynya_app.commands.programs.calling import polynya
from polynya_app.console.output import write_json, write_line, write_table
from polynya_app.flags.parameters import GameFlag, Json
from polynya_contest.config.builtin_bots import rival_in
from polynya_games import DEFAULT_GAME, load
from polynya_hosting.kits.templates import KITS, write_kit
from polynya_hosting.kits.toolchains import listed_tools, shortcomings


def new_bot(
    folder: Path,
    *,
    language: Annotated[str, Parameter(name="--lang")] = "python",
    game: GameFlag = DEFAULT_GAME,
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
    match = f'{polynya()} match "{kit.run}" {rival_in(game)} --game {game}'
    for line in (f"cd {folder}", *kit.build, match):
        write_line(f"  {line}")
    for sentence in shortcomings(kit.tools):
        write_line(sentence)


def languages(*, as_json: Json = False) -> None:
    """Show the languages whose bots this machine can build and run.

    Uploaded programs are built with the tools of the server's machine. The
    mirrors are the hosts that the build of an uploaded starter kit reaches:
    the setting uploads.mirrors names them.

    Args:
        as_json: Write JSON instead of a table.
    """
    missing = {language: shortcomings(kit.tools) for language, kit in KITS.items()}
    if as_json:
        write_json(
            {
                name: {"missing": said, "mirrors": KITS[name].mirrors}
                for name, said in missing.items()
            }
        )
    else:
        rows = [
            [name, " ".join(said) or "here", ", ".join(KITS[name].mirrors) or "none"]
            for name, said in missing.items()
        ]
        write_table(["language", "tools", "mirrors"], rows)
