"""A folder with a game.toml is a game that is loaded by its name."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.folders import DOCS, ROOT
from tests.recorded_matches import launcher

from polynya_app.application import DONE, run
from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_checks import load_configuration
from polynya_foreign.answers import WrongAnswer, decode, facts
from polynya_foreign.board_answers import board_of
from polynya_foreign.folders import VARIABLE, find, use
from polynya_foreign.foreign_game import ForeignGame
from polynya_foreign.game_folder import read_folder
from polynya_games import (
    Game,
    InvalidBoard,
    InvalidOption,
    RulesFailed,
    Termination,
    UnknownGame,
    load,
    recorded_name,
)
from polynya_games.boards import EMPTY, Board, Cell, Drawing, Grid, Rows, document_rows
from polynya_tournaments.uploads.archives.manifest import read_manifest
from polynya_tournaments.uploads.errors import UploadError

NIM = ROOT / "examples" / "games" / "nim-process"
SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><g/></svg>'
DATABASE = ("--database", "nim.sqlite")
GENEROUS = ("--games", "4", "--move-ms", "60000", "--seed", "1", *DATABASE)
ONCE = "n = sys.path[0] + '/asked'; x = open(n, 'a'); x.write('.'); x.tell() > 2 and sys.exit(1)"
"""Statements of a rules process that end it when it has been asked twice."""


def polynya(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, VARIABLE: str(NIM) if words[0] == "replay" else ""}
    return subprocess.run(
        [*launcher(), *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.fixture
def nim(monkeypatch: pytest.MonkeyPatch) -> Game:
    monkeypatch.setenv(VARIABLE, "")
    return use(NIM)


def test_folder_is_listed_for_the_processes_that_this_one_starts(nim: Game) -> None:
    assert nim.waits
    assert os.environ[VARIABLE] == str(NIM)
    assert find("nim_process") is nim


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("packeis", "packeis"),
        ("openspiel:connect_four", "openspiel_connect_four"),
        ("openspiel_connect_four", "openspiel_connect_four"),
        ("no-such-game", "no-such-game"),
    ],
)
def test_game_is_recorded_by_its_name_whatever_people_write(written: str, name: str) -> None:
    assert recorded_name(written) == name


def test_tournament_names_a_folder_from_where_its_file_lies(
    nim: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(NIM, tmp_path / "nim")
    monkeypatch.setenv(VARIABLE, "")
    file = tmp_path / "cup.toml"
    file.write_text(
        'name = "cup"\ngame = "./nim"\ndatabase = "cup.sqlite"\nclock = { move_ms = 1000 }\n'
        '[[bots]]\nname = "ada"\nbuiltin = "random"\n[[bots]]\nname = "bob"\nbuiltin = "random"\n'
    )
    assert load_configuration(file).game == nim.name


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
        recorded_name(str(tmp_path))


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("player", "3", "unknown key player; did you mean players?"),
        ("folder", "'/'", "unknown key folder; there are name,"),
        ("title", "3", "title: a text is needed, not 3"),
        ("players", "[5, 2]", "players is a number or [least, greatest], from 2 to 16"),
        ("workers", "0", "workers is from 1 to 64, not 0"),
        ("title", "", "game.toml is not TOML: look at line 2"),
        ("options", "[{ defalt = 1 }]", "unknown key options[0].defalt; did you mean default?"),
    ],
)
def test_mistake_in_a_manifest_is_named_with_its_remedy(
    tmp_path: Path, key: str, value: str, sentence: str
) -> None:
    good = {"name": "'nim'", "title": "'Nim'", "players": "2", "program": "['nim']"}
    lines = [f"{name} = {text}\n" for name, text in {**good, key: value}.items()]
    (tmp_path / "game.toml").write_text("".join(lines))

    with pytest.raises(UnknownGame, match=re.escape(sentence)):
        recorded_name(str(tmp_path))


def test_name_that_a_stranger_sends_opens_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, "")
    shutil.copytree(NIM, tmp_path / "nim")
    (tmp_path / "bot").mkdir()
    manifest = f'name = "ada"\nrun = "python3 bot.py"\ngames = ["{tmp_path / "nim"}"]\n'
    (tmp_path / "bot" / "polynya.toml").write_text(
        manifest + 'version = "1"\nlanguage = "python"\n'
    )

    with pytest.raises(UploadError, match="no game"):
        read_manifest(tmp_path / "bot")
    with pytest.raises(UnknownGame):
        load(str(tmp_path / "nim"))

    assert os.environ[VARIABLE] == ""


def test_listed_folder_without_a_game_hides_no_other_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, os.pathsep.join([str(tmp_path), str(NIM)]))

    found = find("nim_process")

    assert found is not None
    assert found.name == "nim_process"
    assert find("other") is None


def test_tournament_says_why_a_folder_is_no_game(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('name = "cup"\ngame = "./nim"\nbots = []\n')

    with pytest.raises(ConfigurationError, match=r"game: .*nim/game\.toml: there is no such file"):
        load_configuration(tmp_path / "cup.toml")


@pytest.mark.parametrize(
    ("written", "name"),
    [(str(NIM), "nim_process"), ("openspiel:connect_four", "openspiel_connect_four")],
)
def test_project_of_a_bot_has_the_name_that_servers_send(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str, name: str
) -> None:
    monkeypatch.setenv(VARIABLE, "")
    assert run(["new-bot", str(tmp_path / "bot"), "--game", written]) == DONE
    assert read_manifest(tmp_path / "bot").games == (name,)


@pytest.mark.parametrize("words", [("match", "random", "random"), ("serve",)])
def test_name_of_a_folder_without_its_path_is_refused_with_what_to_write(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: tuple[str, ...],
) -> None:
    shutil.copytree(NIM, tmp_path / "heaps")
    monkeypatch.chdir(tmp_path)

    assert run([*words, "--game", "heaps"]) == 2

    assert "no game 'heaps' is installed; write ./heaps" in capsys.readouterr().err


def test_installed_game_is_played_also_where_a_folder_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(NIM, tmp_path / "packeis")
    monkeypatch.chdir(tmp_path)

    assert run(["new-bot", "bot", "--game", "packeis"]) == DONE

    assert read_manifest(tmp_path / "bot").games == ("packeis",)


def test_game_meets_every_check(nim: Game, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["games", "check", nim.name]) == DONE, capsys.readouterr().out


def test_matches_of_a_folder_are_played_and_verified(nim: Game, tmp_path: Path) -> None:
    found = polynya(tmp_path, "match", "random", "random", "--game", str(NIM), *GENEROUS)
    verified = polynya(tmp_path, "replay", "verify", "--all", *DATABASE)

    assert (found.returncode, "4 of 4 matches" in found.stdout) == (0, True), found.stderr
    assert "4 replays verified, 0 with differences" in verified.stdout
    assert nim.waits


def test_rules_that_fail_cost_no_bot_anything_and_the_other_pairings_go_on(tmp_path: Path) -> None:
    source = (NIM / "nim.py").read_text()
    shutil.copy(NIM / "game.toml", tmp_path)
    failing = '    if question["step"][1] == 3:\n        sys.exit(3)\n    stones -='
    (tmp_path / "nim.py").write_text(source.replace("    stones -=", failing))

    found = polynya(tmp_path, "match", "random", "random", "--game", str(tmp_path), *GENEROUS)

    assert found.returncode == 1
    assert "so no bot is to blame: Nim: the rules process ended" in found.stderr
    assert "mend the game, then give the command again" in found.stderr
    assert "forfeited" not in found.stderr


def test_rules_that_fail_before_the_first_match_are_named(tmp_path: Path) -> None:
    shutil.copy(NIM / "game.toml", tmp_path)
    (tmp_path / "nim.py").write_text("raise SystemExit(4)")

    found = polynya(tmp_path, "match", "random", "random", "--game", str(tmp_path), *GENEROUS)

    assert (found.returncode, found.stderr) == (1, "polynya: Nim: the rules process ended\n")


def test_a_match_whose_set_up_failed_is_annulled_and_has_nothing_to_verify(tmp_path: Path) -> None:
    shutil.copy(NIM / "game.toml", tmp_path)
    source = (NIM / "nim.py").read_text()
    once = f'if asked["ask"] == "set_up":\n        {ONCE}\n    print('
    (tmp_path / "nim.py").write_text(source.replace("print(", once))

    found = polynya(tmp_path, "match", "random", "random", "--game", str(tmp_path), *GENEROUS)
    verified = polynya(tmp_path, "replay", "verify", "--all", *DATABASE)

    assert "the rules of the game failed at turn 0, so no bot is to blame" in found.stderr
    assert ", 0 with differences" in verified.stdout


def test_session_of_the_page_is_that_of_its_program() -> None:
    page = (DOCS / "games-in-any-language.md").read_text("utf-8")
    session = page.partition("<!-- session -->\n```\n")[2].partition("```")[0].splitlines()
    questions, answers = ([line[2:] for line in session if line[0] == sign] for sign in "→←")
    done = subprocess.run(
        [sys.executable, NIM / "nim.py"],
        input="\n".join(questions),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert len(questions) == 5
    assert done.stdout.splitlines() == answers


def test_board_of_an_answer_is_shown_on_pages_and_terminals(nim: Game) -> None:
    document = nim.setup(2, 1, {"stones": 3}).to_json()
    assert nim.board(document) == Rows(["o o o"])
    assert document_rows(nim, document) == ["o o o"]
    assert nim.state_from_json(document).to_json() == document


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        (
            {"grid": [[None, {"colour": 1, "shape": "disc"}]], "column_labels": ["a", "b"]},
            Grid([[EMPTY, Cell(1, "disc")]], column_labels=["a", "b"]),
        ),
        ({"svg": SVG, "title": "two"}, Drawing(SVG, "two")),
    ],
)
def test_grid_and_drawing_are_read_from_an_answer(told: dict[str, Any], expected: Board) -> None:
    assert board_of(told) == expected


@pytest.mark.parametrize(
    "told",
    [
        {},
        {"rows": ["a"], "svg": SVG},
        {"rows": ["a\x1b[2J"]},
        {"rows": "abc"},
        {"grid": [[{"colour": "pink"}]]},
        {"grid": [[{"hover": 1}]]},
        {"svg": SVG.replace("<g/>", "<script>alert(1)</script>")},
        {"svg": SVG.replace("<g/>", '<g onload="alert(1)"/>')},
    ],
)
def test_board_of_another_form_is_refused(told: dict[str, Any]) -> None:
    with pytest.raises(InvalidBoard):
        board_of(told)


def test_answer_with_too_large_a_board_is_no_answer() -> None:
    board = {"rows": ["x" * 1_000] * 256}
    answer = {"id": 1, "document": {}, "acting": [0], "legal": {"0": [["a"]]}, "board": board}
    read = decode(json.dumps(answer | {"board": {"rows": ["x"]}}).encode())
    assert facts(read, 2, joint=False, has_view=False).board == {"rows": ["x"]}
    with pytest.raises(WrongAnswer, match="a board has at most"):
        facts(decode(json.dumps(answer).encode()), 2, joint=False, has_view=False)
