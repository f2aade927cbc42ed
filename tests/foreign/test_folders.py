"""A folder with a game.toml is a game that is loaded by its name."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from polynya_foreign.folders import VARIABLE, find
from polynya_foreign.foreign_game import ForeignGame
from polynya_foreign.game_folder import read_folder
from polynya_foreign.names import game_name
from polynya_games import Game, InvalidOption, RulesFailed, Termination, UnknownGame

NIM = Path(__file__).parent / "nim"


@pytest.fixture
def nim(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv(VARIABLE, "")
    assert game_name("nim", NIM.parent) == "folder_nim"
    game = find("folder_nim")
    assert game is not None
    return game


def test_folder_is_listed_for_the_processes_that_this_one_starts(nim: Game) -> None:
    assert nim.waits
    assert os.environ[VARIABLE] == str(NIM)


def test_other_names_are_returned_as_they_are() -> None:
    assert game_name("packeis") == "packeis"
    assert game_name("openspiel:connect_four") == "openspiel_connect_four"


def test_match_is_played_to_its_end(nim: Game) -> None:
    state = nim.initial_state(3, 0, {"stones": 4})
    state = state.apply(["take", 3]).apply(["take", 1])
    assert state.outcome is not None
    assert state.outcome.ranking == (2, 1, 2)


def test_position_survives_its_document(nim: Game) -> None:
    state = nim.initial_state(3, 0).apply(["take", 3]).forfeit(2)
    again = nim.state_from_json(state.to_json())
    assert again.to_json() == state.to_json()
    assert again.legal_steps() == state.legal_steps()


def test_forfeit_of_two_players_ends_the_match_without_the_process(nim: Game) -> None:
    outcome = nim.initial_state(2, 0).forfeit(0).outcome
    assert outcome is not None
    assert (outcome.termination, outcome.ranking) == (Termination.FORFEIT, (2, 1))


def test_refused_option_is_the_sentence_of_the_process(nim: Game) -> None:
    with pytest.raises(InvalidOption, match="stones is 1 to 99, not 100"):
        nim.initial_state(2, 0, {"stones": 100})


@pytest.mark.parametrize("said", ["", "nonsense", "[]", "NaN", '{"id":2}', '{"id":1}'])
def test_unusable_answer_fails_the_rules(tmp_path: Path, said: str) -> None:
    shutil.copy(NIM / "game.toml", tmp_path)
    (tmp_path / "nim.py").write_text(f"input(); print({said!r})", encoding="ascii")
    with pytest.raises(RulesFailed):
        ForeignGame(read_folder(tmp_path)).setup(2, 0)


def test_folder_without_a_manifest_is_no_game(tmp_path: Path) -> None:
    with pytest.raises(UnknownGame, match="there is no such file"):
        game_name(str(tmp_path))
