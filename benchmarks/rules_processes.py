"""Turns a second of ``polynya match`` by rules processes, next to the same game in Python.

The game is that of ``polynya new-game``, with 60 heaps of one stone: a match has exactly 60 turns.
Each command plays few and many matches of two random bots, and the difference counts; the games
come by turns, and the median of three rounds is printed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from rich.console import Console

from benchmarks.as_served import CLOCK, POLYNYA
from benchmarks.figures import Figure, table
from polynya_foreign.new_game.writing import write_game

GOAL = 0.5
HEAPS = 60
FEW, MANY = 4, 104
ROUNDS = 3
AT_ONCE = (1, 2)


def measure() -> list[Figure]:
    """The rates, and their ratios to that of the Python game."""
    with tempfile.TemporaryDirectory() as place:
        games = _games(Path(place))
        return [figure for at_once in AT_ONCE for figure in _compared(games, at_once, place)]


def _games(place: Path) -> Mapping[str, str]:
    """The words for ``--game``, for each of the three."""
    installed = place / "heaps-1.dist-info"
    installed.mkdir()
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: heaps\nVersion: 1\n")
    points = "[polynya.games]\nheaps_in_python = benchmarks.heaps_game:HEAPS\n"
    (installed / "entry_points.txt").write_text(points)
    for language, source in (("go", "main.go"), ("python", "rules.py")):
        folder = place / f"heaps_{language}"
        write_game(language, folder)
        text = (folder / source).read_text("utf-8")
        for bound in ("heaps > {}", "len(at.Heaps) <= {}", "heaps <= {}", "len(heaps) <= {}"):
            text = text.replace(bound.format(9), bound.format(HEAPS))
        (folder / source).write_text(text, "utf-8")
    subprocess.run(["go", "build", "-o", "rules"], cwd=place / "heaps_go", check=True)
    return {
        "installed Python game": "heaps_in_python",
        "rules process in Go": f"{place}/heaps_go",
        "rules process in Python": f"{place}/heaps_python",
    }


def _compared(games: Mapping[str, str], at_once: int, place: str) -> list[Figure]:
    rounds = [
        {what: _rate(game, at_once, place) for what, game in games.items()} for _ in range(ROUNDS)
    ]
    base = next(iter(games))
    figures = []
    for what in games:
        name = f"{what}, {at_once} at once, turns/s"
        rate = statistics.median(each[what] for each in rounds)
        figures.append(Figure("rules processes", name, rate, None, "higher"))
        if what != base:
            ratio = statistics.median(each[what] / each[base] for each in rounds)
            goal = GOAL if "Go" in what else None
            title = f"{name} / the installed game's"
            figures.append(Figure("rules processes", title, ratio, goal, "higher"))
    return figures


def _rate(game: str, at_once: int, place: str) -> float:
    few_s, many_s = (_seconds(game, at_once, place, games) for games in (FEW, MANY))
    return HEAPS * (MANY - FEW) / (many_s - few_s)


def _seconds(game: str, at_once: int, place: str, games: int) -> float:
    words = ["match", "random", "random", "--game", game, "--concurrency", str(at_once), *CLOCK]
    words += ["--games", str(games), "--option", f"heaps={HEAPS}", "--option", "stones=1", "--json"]
    path = os.pathsep.join([place, str(Path.cwd()), os.environ.get("PYTHONPATH", "")])
    begin_s = time.monotonic()
    done = subprocess.run(
        [*POLYNYA, *words],
        env={**os.environ, "PYTHONPATH": path.rstrip(os.pathsep)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"polynya {' '.join(words)}: {done.stderr}")
    return time.monotonic() - begin_s


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    Console(width=110).print(table(measure()))
