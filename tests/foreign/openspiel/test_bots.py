"""OpenSpiel's own bots as built-in bots."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyspiel
import pytest

from polynya_contest.config.builtin_bots import games_of_builtin, rival_in
from polynya_foreign.openspiel.bots import PERFECT
from polynya_foreign.openspiel.catalogue import fitting
from polynya_foreign.openspiel.model import kinds


def is_perfect(kind: Any) -> bool:
    return bool(
        kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
        and kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
        and kind.reward_model == pyspiel.GameType.RewardModel.TERMINAL
    )


def test_they_play_all_games_of_their_kind() -> None:
    assert [name for name in fitting() if is_perfect(kinds()[name])] == PERFECT
    assert games_of_builtin("mcts") == [f"openspiel_{name}" for name in PERFECT]
    assert rival_in("openspiel_connect_four") == "mcts"


@pytest.mark.parametrize("game", ["connect_four", "backgammon"])
def test_search_wins_against_the_random_bot(game: str, tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from polynya_app import main; main()", "match"]
    words = ["mcts", "uniform", "--game", f"openspiel_{game}", "--games", "2", "--seed", "3"]
    done = subprocess.run(
        [*command, *words, "--move-ms", "60000", "--json"],
        cwd=tmp_path, check=False, capture_output=True, text=True, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert [bot["wins"] for bot in json.loads(done.stdout)["bots"]] == [2, 0]
