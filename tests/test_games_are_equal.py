"""A game from outside is worth as much as ours: nothing above ``games`` names one of them.

The boards of the web pages and pictures are chosen by a game's name, and so are their texts; a game
without one gets the general board. The built-in bots are found by their files among the examples of
the Python SDK, where some are named after the game that they play.
"""

from __future__ import annotations

import json
from importlib.metadata import distribution

import pytest
from tests.folders import PACKAGES, ROOT

from polynya_games import load

KINDS = {".py", ".html", ".js", ".css", ".toml", ".sql"}
BOARDS = ROOT / "web" / "polynya_web" / "static"
PICTURES = ROOT / "web" / "polynya_web" / "pictures" / "boards"
TEXTS = ROOT / "web" / "polynya_web" / "texts"


def words() -> set[str]:
    """The names and titles of the games of this distribution, in small letters."""
    points = distribution("polynya").entry_points
    games = [load(point.name) for point in points if point.group == "polynya.games"]
    return {game.name for game in games} | {game.title.lower() for game in games}


def names_a_game(text: str) -> bool:
    return any(word in text.lower() for word in words())


def test_no_module_above_the_games_names_one() -> None:
    above = [folder for name, folder in PACKAGES.items() if name != "polynya_games"]
    files = [path for folder in above for path in sorted(folder.rglob("*"))]
    boards = {BOARDS / "boards.css", *(BOARDS / "boards").rglob("*"), *PICTURES.rglob("*")}
    read = [path for path in files if path.suffix in KINDS and path not in boards]
    assert len(read) > 300
    assert [str(path.relative_to(ROOT)) for path in read if names_a_game(path.read_text())] == []


@pytest.mark.parametrize("language", ["en", "de"])
def test_only_the_texts_of_a_games_board_name_it(language: str) -> None:
    texts = json.loads((TEXTS / f"{language}.json").read_text())
    boards = tuple(f"board.{word}." for word in words())
    assert [key for key, text in texts.items() if names_a_game(f"{key} {text}")] == [
        key for key in texts if key.startswith(boards)
    ]
