"""Games by name: those of this distribution, those from outside, and those that are not there."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from polynya_games import UnknownGame, installed, load
from polynya_games.packeis import PACKEIS

MODULE = """
from polynya_games.packeis import Packeis

class Icier(Packeis):
    name = "icier"
    title = "Icier"

ICIER = Icier()

class Crowd(Packeis):
    name = "crowd"
    max_players = 17

CROWD = Crowd()

class Open(Packeis):
    name = "open"
    secret_seed = True

OPEN = Open()
"""

ENTRY_POINTS = """
[polynya.games]
icier = outside_game:ICIER
misnamed = outside_game:ICIER
absent = outside_game:ABSENT
missing = no_such_module:GAME
crowd = outside_game:CROWD
open = outside_game:OPEN
"""


@pytest.fixture
def _outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another distribution that is installed beside this one."""
    metadata = tmp_path / "outside_game-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outside-game\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "outside_game.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    load.cache_clear()
    yield
    load.cache_clear()
    sys.modules.pop("outside_game", None)


def test_the_games_of_the_distribution_are_installed() -> None:
    assert {"arktia", "icecult", "packeis"} <= set(installed())
    assert list(installed()) == sorted(installed())
    assert load("packeis") is PACKEIS


def test_an_unknown_game_is_refused_with_the_names_that_there_are() -> None:
    with pytest.raises(UnknownGame, match=r"no game 'chess' is installed; there are .*packeis"):
        load("chess")


@pytest.mark.usefixtures("_outside")
def test_a_game_from_outside_is_found_by_its_entry_point() -> None:
    assert load("icier").title == "Icier"


@pytest.mark.usefixtures("_outside")
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("misnamed", "the entry point 'misnamed' of outside_game:ICIER is not a Game of that name"),
        ("absent", "the game 'absent' cannot be imported: module 'outside_game' has no"),
        ("missing", "the game 'missing' cannot be imported: No module named 'no_such_module'"),
    ],
)
def test_an_entry_point_that_gives_no_game_is_refused(name: str, sentence: str) -> None:
    with pytest.raises(UnknownGame) as raised:
        load(name)
    assert str(raised.value).startswith(sentence)


@pytest.mark.usefixtures("_outside")
def test_a_game_for_more_players_than_a_match_can_have_is_refused() -> None:
    with pytest.raises(UnknownGame) as raised:
        load("crowd")
    assert str(raised.value) == (
        "the game 'crowd' says that it is for 2 to 17 players; 2 to 16 are possible"
    )


@pytest.mark.usefixtures("_outside")
def test_a_game_that_would_show_its_secret_deal_is_refused() -> None:
    with pytest.raises(UnknownGame, match="draws from a secret deal and would show it"):
        load("open")
