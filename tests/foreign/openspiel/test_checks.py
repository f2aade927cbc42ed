"""Games of OpenSpiel keep what the interface of games promises."""

from __future__ import annotations

from typing import Any

import pytest

from polynya_games import load
from polynya_games.checks import check_game

GAMES: list[tuple[str, dict[str, Any]]] = [
    ("connect_four", {}),
    ("chess", {"chess960": True}),
    ("go", {"board_size": 7, "komi": 6.5}),
    ("einstein_wurfelt_nicht", {}),
    ("kuhn_poker", {}),
    ("leduc_poker", {}),
    ("liars_dice", {}),
    ("hanabi", {}),
    ("phantom_ttt", {}),
    ("matrix_mp", {}),
    ("oshi_zumo", {}),
    ("goofspiel", {"num_cards": 5}),
    ("goofspiel", {"num_cards": 5, "imp_info": True}),
]


@pytest.mark.parametrize(("name", "options"), GAMES, ids=[f"{n}-{len(o)}" for n, o in GAMES])
def test_game_passes_the_check_of_games(name: str, options: dict[str, Any]) -> None:
    game = load(f"openspiel_{name}")
    findings = check_game(game, [game.min_players], 1, [options])
    assert [finding for finding in findings if not finding.ok] == []


def test_more_players_play_on_after_a_forfeit() -> None:
    findings = check_game(load("openspiel_leduc_poker"), [4], 1)
    assert [finding for finding in findings if not finding.ok] == []
