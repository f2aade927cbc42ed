"""``polynya check --bot`` and kits, with games that hide things or ask several seats at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.games.example_games import example_games

from polynya_app.application import run
from polynya_conformance.bot.bot_check import check_bot
from polynya_conformance.bot.scripted_match import Rules
from polynya_conformance.requirements import Verdict
from polynya_contest.config.builtin_bots import builtin_command, rival_in
from polynya_games import load

__all__ = ["example_games"]


@pytest.mark.parametrize("game", ["kuhn", "goofspiel", "snakes"])
async def test_good_bot_fails_nothing_in_such_a_game(game: str) -> None:
    findings = await check_bot(builtin_command("random"), Rules(load(game), 2, 3_000))
    assert [found for found in findings if found.verdict is Verdict.FAIL] == []


def test_rival_of_a_new_bot_plays_its_game() -> None:
    assert {game: rival_in(game) for game in ("packeis", "goofspiel", "kuhn", "snakes", "nim")} == {
        "packeis": "greedy",
        "goofspiel": "goofspiel",
        "kuhn": "kuhn",
        "snakes": "snakes-careful",
        "nim": "random",
    }


@pytest.mark.parametrize("game", ["kuhn", "goofspiel", "snakes"])
def test_readme_of_a_new_bot_names_a_rival_that_plays_its_game(game: str, tmp_path: Path) -> None:
    assert run(["new-bot", "--game", game, str(tmp_path / "ada")]) == 0
    readme = (tmp_path / "ada" / "README.md").read_text()
    assert f'match ".venv/bin/python bot.py" {rival_in(game)} --game {game}' in readme


def test_games_check_takes_a_number_of_players(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games", "check", "kuhn", "--players", "2", "--matches", "2"]) == 0
    assert "all checks hold" in capsys.readouterr().out
