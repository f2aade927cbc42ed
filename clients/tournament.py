"""The all-language tournament: every SDK's bots meet all others, over TCP, in all games.

    python clients/tournament.py              all SDKs whose toolchain is here
    python clients/tournament.py rust java    only these

The random bots play every game, in Packeis also the greedy ones. Each game is a tournament with a
table at its end; then all replays are played again through the rules. Everything is in
``demo/all-languages.sqlite``, unless ``--database FILE`` says otherwise.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance import CLIENTS, Sdk, missing, selected

from polynya_app.application import DONE, FAILED, run

OPTIONS = {
    "packeis": "{}",
    "arktia": "{ round_limit = 8 }",
    "icecult": "{ turn_limit = 20 }",
}
"""The games, and what keeps matches of random steps short."""
CLOCK = "{ move_ms = 20_000 }"
SEED = 1


def ready(names: Sequence[str]) -> Iterator[Sdk]:
    """The SDKs of these names, or all, as far as their toolchain is here: built."""
    for sdk in selected(names):
        if sentences := missing(sdk):
            print(f"{sdk.language}: does not play. {sentences}")
            continue
        if sdk.build:
            subprocess.run(sdk.build, cwd=sdk.home, check=True, stdout=sys.stderr)  # noqa: S603
        yield sdk


def bots(sdk: Sdk, game: str) -> Iterator[str]:
    """An SDK's bots for a game, as tables of a tournament's description."""
    commands = {"random": sdk.random}
    if sdk.greedy and game == "packeis":
        commands["greedy"] = sdk.greedy
    for name, command in commands.items():
        # what JSON writes for texts and lists of them is TOML too
        yield f"""
[[bots]]
name = "{sdk.name}-{name}"
command = {json.dumps(command)}
directory = {json.dumps(str(sdk.home))}
"""


def description(game: str, sdks: Sequence[Sdk]) -> str:
    """The tournament of one game, in TOML."""
    head = f"""\
name = "languages-{game}"
seed = {SEED}
game = "{game}"
options = {OPTIONS[game]}
clock = {CLOCK}
concurrency = 2
"""
    return head + "".join(bot for sdk in sdks for bot in bots(sdk, game))


def play(game: str, sdks: Sequence[Sdk], database: Path) -> bool:
    """Play one game's tournament and print its table; whether it went well."""
    file = database.with_name(f"languages-{game}.toml")
    file.write_text(description(game, sdks), "utf-8")
    return run(["tournament", "run", str(file), "--database", str(database)]) == DONE


def main(words: Sequence[str]) -> int:
    """Play all games, then verify all replays; 1 if anything failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("sdks", nargs="*", help="only these, by their folders' names")
    parser.add_argument("--game", action="append", choices=OPTIONS, help="only this game")
    parser.add_argument(
        "--database", type=Path, default=CLIENTS.parent / "demo" / "all-languages.sqlite"
    )
    arguments = parser.parse_intermixed_args(words)
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    database: Path = arguments.database.absolute()
    database.parent.mkdir(parents=True, exist_ok=True)
    sdks = list(ready(arguments.sdks))
    played = [play(game, sdks, database) for game in arguments.game or OPTIONS]
    verified = run(["replay", "verify", "--all", "--database", str(database)]) == DONE
    return DONE if all(played) and verified else FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
