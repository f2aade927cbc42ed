"""``polynya games`` lists what is installed and finds games that break their promises."""

import json
from collections.abc import Mapping
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from polynya_app.application import run
from polynya_app.commands.inspection import games
from polynya_games import load
from polynya_games.packeis import Packeis, PackeisState


def test_the_three_games_are_listed_with_their_options(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["games", "list", "--json"]) == 0
    listed = {game["name"]: game for game in json.loads(capsys.readouterr().out)}
    assert sorted(listed) == ["arktia", "icecult", "packeis"]
    assert [option["name"] for option in listed["arktia"]["options"]] == [
        option.name for option in load("arktia").options
    ]


def test_a_game_that_cannot_be_loaded_does_not_hide_the_others(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here = EntryPoint("packeis", "polynya_games.packeis:PACKEIS", "polynya.games")
    gone = EntryPoint("gone", "no_such_module:GAME", "polynya.games")
    monkeypatch.setattr(games, "installed", lambda: {"gone": gone, "packeis": here})
    assert run(["games", "list"]) == 1
    table = capsys.readouterr().out
    assert "cannot be loaded" in table
    assert "Packeis am Pol" in table


def test_a_game_of_ours_passes_all_checks(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games", "check", "packeis", "--players", "2", "--matches", "1"]) == 0
    assert capsys.readouterr().out.endswith("all checks hold\n")


class Careless(Packeis):
    """Packeis that plays with two whoever asks."""

    def setup(
        self,
        players: int,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> PackeisState:
        return super().setup(min(players, 2), seed, options)


def test_a_broken_promise_is_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "load", lambda _: Careless())
    assert run(["games", "check", "careless", "--matches", "1", "--json"]) == 1
    findings = {each["check"]: each for each in json.loads(capsys.readouterr().out)}
    assert not findings["bad_setups_are_refused"]["ok"]
    assert "is not refused" in findings["bad_setups_are_refused"]["found"]
