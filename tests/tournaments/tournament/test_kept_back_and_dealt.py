"""Tournaments of games with hidden parts: what they keep back, and what they rate."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.games.example_games import example_games

from polynya_app.application import run
from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_checks import load_configuration
from polynya_server.records import decode_replay
from polynya_store import Store

__all__ = ["example_games"]

CUP = """
name = "cup"
game = "GAME"
reveal = "tournament"
clock = {move_ms = 60000}
options = {cards = 3}
[[bots]]
name = "ann"
builtin = "random"
[[bots]]
name = "bob"
builtin = "random"
"""
SHORT = ("--option", "cards=3", "--game", "goofspiel", "--move-ms", "60000", "--games", "2")


@pytest.mark.parametrize(("seed", "rated"), [((), True), (("--seed", "5"), False)])
def test_matches_whose_deals_can_be_foreseen_are_not_rated(
    tmp_path: Path, seed: tuple[str, ...], rated: bool
) -> None:
    path = tmp_path / "contest.sqlite"
    assert run(["match", "goofspiel", "random", *SHORT, *seed, "--database", str(path)]) == 0
    with Store.open(path) as store:
        assert [rated] * 2 == [row.rated for row in store.matches.find()]
        assert rated == bool(store.ratings.find())


def test_tournament_says_in_its_replays_when_they_may_be_seen(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(CUP.replace("GAME", "goofspiel"))
    assert run(["tournament", "run", str(tmp_path / "cup.toml")]) == 0
    with Store.open(tmp_path / "polynya.sqlite") as store:
        [row, *_] = store.matches.find(tournament="cup")
        record = decode_replay(store.matches.public_replay(row.match))
    assert (record.setup.reveal, row.kept_back) == ("tournament", False)


def test_reveal_is_refused_for_a_game_that_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(
        CUP.replace("GAME", "packeis").replace("options = {cards = 3}\n", "")
    )
    with pytest.raises(ConfigurationError, match=r"reveal: .* hides nothing"):
        load_configuration(tmp_path / "cup.toml")
