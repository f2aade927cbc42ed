"""Real programs of other protocols in matches with bots of ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.clients.toolchains import require
from tests.folders import ROOT
from tests.games.example_games import example_games_of_processes

__all__ = ["example_games_of_processes"]

ADAPT = f"{sys.executable} -m polynya_foreign.adapters"
EXAMPLES = ROOT / "examples" / "engines"
SNAKE = EXAMPLES / "web_snake.py"


def played(folder: Path, *words: str) -> dict[str, Any]:
    """The first bot's row of matches, without a forfeit of anybody's."""
    polynya = str(Path(sys.executable).with_name("polynya"))
    database = str(folder / "matches.sqlite")
    result = subprocess.run(
        [polynya, "match", *words, "--database", database, "--json"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert result.returncode == 0, result.stderr
    rows: list[dict[str, Any]] = json.loads(result.stdout)["bots"]
    assert [row["forfeits"] for row in rows] == [0] * len(rows), result.stdout + result.stderr
    return rows[0]


def test_gnu_go_plays_go(tmp_path: Path) -> None:
    require("gnugo")
    engine = f"{ADAPT} gtp -- /usr/games/gnugo --mode gtp --chinese-rules --capture-all-dead"
    game = ("--game", "openspiel_go", "--option", "board_size=5")
    assert played(tmp_path, engine, "random", *game, "--games", "2", "--move-ms", "20000")["wins"]


def test_stockfish_beats_a_random_bot(tmp_path: Path) -> None:
    require("stockfish")
    engine = f"{ADAPT} uci -- /usr/games/stockfish"
    game = ("--game", "openspiel_chess")
    row = played(tmp_path, engine, "random", *game, "--games", "2", "--move-ms", "800")
    assert row["wins"] == 2


@pytest.mark.usefixtures("example_games_of_processes")
def test_web_server_beats_a_random_snake(tmp_path: Path) -> None:
    engine = f"{ADAPT} http -- {sys.executable} {SNAKE}"
    row = played(
        tmp_path, engine, "random", "--game", "snakes", "--games", "2", "--move-ms", "5000"
    )
    assert row["wins"] == 2


@pytest.mark.parametrize(
    "kind",
    [
        f"lines --template {EXAMPLES}/lines/fish.toml -- perl {EXAMPLES}/lines/fish.pl",
        f"json -- perl {ROOT}/clients/bridge/examples/greedy.pl",
    ],
)
def test_program_of_lines_plays_whole_matches(kind: str, tmp_path: Path) -> None:
    require("perl")
    game = ("--game", "packeis", "--games", "2", "--move-ms", "20000")
    row = played(tmp_path, f"{ADAPT} {kind}", "random", *game)
    assert row["wins"] + row["draws"] + row["losses"] == 2
