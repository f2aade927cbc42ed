"""Random games agree with pyspiel turn by turn; a thousand of each are in nightly runs."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.folders import DOCS
from tests.foreign.openspiel.lockstep import compare, numbers_of_players
from tests.selection import IS_LONG, most

from polynya_foreign.openspiel.catalogue import fitting

QUICK = [
    "antichess",
    "backgammon",
    "bargaining",
    "battleship",
    "blotto",
    "breakthrough",
    "checkers",
    "clobber",
    "connect_four",
    "coordinated_mp",
    "dark_hex",
    "dots_and_boxes",
    "einstein_wurfelt_nicht",
    "euchre",
    "first_sealed_auction",
    "go_fish",
    "goofspiel",
    "hanabi",
    "hearts",
    "kuhn_poker",
    "leduc_poker",
    "liars_dice",
    "maedn",
    "mancala",
    "matching_pennies_3p",
    "matrix_pd",
    "nim",
    "oshi_zumo",
    "othello",
    "pentago",
    "phantom_ttt",
    "skat",
    "snake",
    "social_deduction",
    "tic_tac_toe",
    "tiny_bridge_4p",
    "universal_poker",
]


@pytest.mark.parametrize("name", fitting() if IS_LONG else QUICK)
def test_random_games_agree_with_openspiel(name: str) -> None:
    counts = numbers_of_players(name)
    for seed in range(most(2, 1_000)):
        compare(name, counts[seed % len(counts)], seed)


def test_page_has_the_table_of_all_games() -> None:
    command = [sys.executable, str(DOCS / "openspiel_table.py"), "--check"]
    assert subprocess.run(command, check=False, capture_output=True, timeout=600).returncode == 0
