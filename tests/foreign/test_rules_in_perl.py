"""A rules process that was written in Perl from docs/games-in-any-language.md alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.clients.toolchains import require
from tests.folders import ROOT

from polynya_app.application import DONE, run
from polynya_foreign.folders import VARIABLE

HEAPS = ROOT / "examples" / "games" / "heaps-in-perl"


@pytest.fixture(autouse=True)
def _own_list_of_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    require("perl")
    monkeypatch.setenv(VARIABLE, "")


def test_game_meets_every_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games", "check", str(HEAPS)]) == DONE, capsys.readouterr().out


def test_three_bots_play_matches(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    rules = ["--game", str(HEAPS), "--option", "heaps=4", "--move-ms", "60000"]
    assert run(["match", *["random"] * 3, *rules, "--games", "1", "--seed", "7"]) == DONE
    assert "heaps, 3 of 3 matches" in capsys.readouterr().out
