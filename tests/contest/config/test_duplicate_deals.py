"""Duplicate deals are for matches whose bots have no way to remember a deal."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.games.example_games import example_games

from polynya_common.errors import ConfigurationError
from polynya_contest.config.duplicate_deals import foresees_deals, way_out
from polynya_contest.config.tournament_checks import check_for_play, load_configuration
from polynya_contest.config.tournament_configuration import TournamentConfiguration

__all__ = ["example_games"]

CUP = """
name = "cup"
game = "kuhn"
duplicate = true
fresh_processes = true
clock = {move_ms = 1000}
sandbox = {driver = "bubblewrap"}
bots = [{name = "ann", builtin = "random"}, {name = "bob", builtin = "random"}]
"""


def cup(folder: Path, old: str = "", new: str = "") -> TournamentConfiguration:
    path = folder / "cup.toml"
    path.write_text(CUP.replace(old, new) if old else CUP)
    return load_configuration(path)


@pytest.mark.parametrize("driver", ["bubblewrap", "landlock"])
def test_new_processes_in_closed_sandboxes_play_rated_matches(tmp_path: Path, driver: str) -> None:
    found = cup(tmp_path, "bubblewrap", driver)
    check_for_play(found)
    assert not foresees_deals(found)


def test_uploaded_bots_have_a_closed_sandbox_without_a_setting(tmp_path: Path) -> None:
    text = CUP.replace('builtin = "random"', 'upload = "rook@1"').replace(
        'sandbox = {driver = "bubblewrap"}', ""
    )
    assert way_out(cup(tmp_path, CUP, text)) == ""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('{name = "ann", builtin = "random"}', '{name = "ann", external = true}', "from outside"),
        ('"bubblewrap"', '"none"', "may tell each other the deals"),
        ('"bubblewrap"', '"command", command = ["nice", "{command}"]', "tell each other"),
        ("fresh_processes = true", "", "fresh_processes = true starts new ones"),
    ],
)
def test_they_are_refused_where_a_bot_may_remember_a_deal(
    tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    found = cup(tmp_path, old, new)
    with pytest.raises(ConfigurationError, match=f"duplicate: .*{sentence}"):
        check_for_play(found)
    assert foresees_deals(found)


def test_they_are_refused_for_a_game_without_a_secret_deal(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="duplicate: Packeis am Pol deals nothing"):
        cup(tmp_path, "kuhn", "packeis")
