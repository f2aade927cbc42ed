"""The games have one layout of modules, and within each the imports go one way."""

from __future__ import annotations

import re

import pytest
from tests.folders import ROOT

GAMES = ROOT / "games" / "polynya_games"
LAYOUT = ["board", "position", "refusals", "document", "rules", "setup", "encoding", "__init__"]
"""What each game has, from below."""
OF_ONE_GAME = {
    "arktia": {"stacks": "board"},
    "icecult": {"whole_turns": "rules"},
    "packeis": {"islands": "position", "endgame": "rules"},
}
"""Modules that only one game has, each with the one that it stands above."""


def order(game: str) -> list[str]:
    modules = list(LAYOUT)
    for module, below in OF_ONE_GAME.get(game, {}).items():
        modules.insert(modules.index(below) + 1, module)
    return modules


@pytest.mark.parametrize("game", ["arktia", "icecult", "packeis"])
def test_each_game_has_the_modules_of_the_layout(game: str) -> None:
    found = {path.stem for path in (GAMES / game).glob("*.py")}
    assert set(order(game)) == found


@pytest.mark.parametrize("game", ["arktia", "icecult", "packeis"])
def test_modules_of_a_game_import_only_those_below(game: str) -> None:
    above: set[tuple[str, str]] = set()
    for place, module in enumerate(modules := order(game)):
        text = (GAMES / game / f"{module}.py").read_text(encoding="utf-8")
        imported = set(re.findall(rf"polynya_games\.{game}\.(\w+) import", text))
        above |= {(module, other) for other in imported - set(modules[:place])}
    assert set() == above
