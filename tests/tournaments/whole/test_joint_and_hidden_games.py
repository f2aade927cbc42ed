"""Each example game with hidden parts or joint turns in each format, verified from its bundle."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.games.example_games import example_games
from tests.tournaments.whole.test_every_format import FORMATS, drawn, names_of, play

__all__ = ["example_games"]

OPTIONS = {
    "kuhn": "hands = 4",
    "goofspiel": "cards = 3",
    "snakes": "size = 7, turn_limit = 6",
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("game", OPTIONS)
def test_game_is_played_to_its_end_and_verified(game: str, name: str, tmp_path: Path) -> None:
    table = played(tmp_path, game, name)["table"]
    assert (table.format, table.complete, table.unplayed) == (name, True, ())
    assert sorted(row.name for row in table.rows) == names_of(name)


@pytest.mark.parametrize("name", ["round_robin", "gauntlet", "knockout"])
def test_formats_for_more_than_two_take_four_snakes(name: str, tmp_path: Path) -> None:
    assert played(tmp_path, "snakes", name, "players = 4")["table"].complete


@pytest.mark.parametrize("game", OPTIONS)
def test_matches_whose_deals_follow_from_a_named_seed_are_not_rated(
    game: str, tmp_path: Path
) -> None:
    found = played(tmp_path, game, "round_robin", "seed = 5")
    assert found["table"].complete
    assert not any(rating.games for rating in found["ratings"])


def played(folder: Path, game: str, name: str, more: str = "") -> dict[str, Any]:
    """Play a tournament of bots that move at random; its results, verified from its bundle."""
    bots = "".join(f"[[bots]]\nname = '{bot}'\nbuiltin = 'random'\n" for bot in names_of(name))
    description = folder / "cup.toml"
    description.write_text(
        f'name = "cup"\ngame = "{game}"\nclock = {{ initial_ms = 600_000 }}\n{more}\n'
        f'start_ms = 60_000\nformat = "{name}"\noptions = {{ {OPTIONS[game]} }}\n'
        f"{FORMATS[name]}\n{bots}"
    )
    play(description)
    return drawn(description)
