"""Where a host does not say how many players a match has, the game does: the least that it has."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polynya_app.serve_settings import read_serve_settings
from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_checks import load_configuration
from polynya_games import UnknownGame, load

MODULE = """
from polynya_games.packeis import Packeis

class Trio(Packeis):
    name = "trio"
    min_players = 3

TRIO = Trio()
"""
TOURNAMENT = """
name = "cup"
game = "trio"
clock = { move_ms = 100 }
"""
BOT = """
[[bots]]
name = "bot-%d"
builtin = "random"
"""


@pytest.fixture(autouse=True)
def _trio(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A distribution with a game for three players at least."""
    metadata = tmp_path / "trio_game-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: trio-game\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[polynya.games]\ntrio = trio_game:TRIO\n")
    (tmp_path / "trio_game.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    load.cache_clear()
    yield
    load.cache_clear()
    sys.modules.pop("trio_game", None)


def test_a_server_plays_matches_of_the_least() -> None:
    assert read_serve_settings(None, {"game": "trio"}).ladder().players == 3


def test_a_server_takes_the_number_that_the_host_gives() -> None:
    assert read_serve_settings(None, {"game": "trio", "players": 4}).ladder().players == 4


def test_a_tournament_has_matches_of_the_least(tmp_path: Path) -> None:
    description = tmp_path / "cup.toml"
    description.write_text(TOURNAMENT + "".join(BOT % number for number in range(4)))
    assert load_configuration(description).players == 3


def test_a_number_that_the_game_does_not_have_is_refused(tmp_path: Path) -> None:
    description = tmp_path / "cup.toml"
    bots = "".join(BOT % number for number in range(4))
    description.write_text(f"players = 2\n{TOURNAMENT}{bots}")
    with pytest.raises(ConfigurationError, match="is for 3 to 4 players, not 2"):
        load_configuration(description)


def test_a_game_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownGame, match="no game 'quartet' is installed"):
        read_serve_settings(None, {"game": "quartet"}).ladder()
    description = tmp_path / "cup.toml"
    bots = "".join(BOT % number for number in range(2))
    description.write_text(TOURNAMENT.replace("trio", "quartet") + bots)
    with pytest.raises(ConfigurationError, match="no game 'quartet' is installed"):
        load_configuration(description)
