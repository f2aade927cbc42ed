"""``polynya games check`` of games with hidden parts, joint turns and a deal."""

from __future__ import annotations

import json

import pytest
from tests.games.example_games import example_games

from polynya_app.application import run

__all__ = ["example_games"]


@pytest.mark.parametrize(
    ("game", "option", "sentence"),
    [
        ("goofspiel", "cards=3", "2 positions, played over sockets"),
        ("kuhn", "hands=2", "3 positions, played over sockets"),
    ],
)
def test_the_frames_of_the_game_are_compared(
    capsys: pytest.CaptureFixture[str], game: str, option: str, sentence: str
) -> None:
    words = ["--players", "2", "--matches", "1", "--option", option, "--json"]
    assert run(["games", "check", game, *words]) == 0
    findings = {each["check"]: each["found"] for each in json.loads(capsys.readouterr().out)}
    assert sentence == findings["frames_tell_nothing_hidden"]
