"""``polynya new-game``: the folder of every language whose tools are here is built and played."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from tests.clients import toolchains

from polynya_app.application import BAD_ARGUMENTS, DONE, FAILED, run
from polynya_foreign.folders import VARIABLE
from polynya_foreign.new_game.writing import TEMPLATES


@pytest.fixture(autouse=True)
def _own_list_of_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(VARIABLE, "")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("language", TEMPLATES)
def test_game_is_built_meets_every_check_and_is_played(
    language: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    toolchains.require(*TEMPLATES[language].needs)
    assert run(["new-game", "--lang", language, f"new_{language}"]) == DONE
    monkeypatch.chdir(f"new_{language}")
    if TEMPLATES[language].build:
        toolchains.run(*shlex.split(TEMPLATES[language].build), cwd=Path.cwd())

    assert run(["games", "check", "./"]) == DONE, capsys.readouterr().out
    options = ["--game", "./", "--games", "2", "--move-ms", "60000"]
    assert run(["match", "random", "random", *options]) == DONE
    assert "2 of 2 matches" in capsys.readouterr().out


@pytest.mark.parametrize("language", TEMPLATES)
def test_no_placeholder_is_left(language: str, tmp_path: Path) -> None:
    assert run(["new-game", "--lang", language, "mine"]) == DONE
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"game.toml", "README.md", "rules.md"}
    assert [path for path in files if "@" in path.read_text("utf-8")] == []


def test_check_says_how_a_program_that_is_missing_is_built(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["new-game", "--lang", "go", "mine"]) == DONE
    assert run(["games", "check", "./mine"]) != DONE
    assert '"./rules" is not there; this builds it: go build -o rules' in capsys.readouterr().err


def test_nothing_is_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "rules.py").write_text("precious")
    assert run(["new-game", "mine"]) == FAILED
    assert "mine is there already, and not empty" in capsys.readouterr().err
    assert (tmp_path / "mine" / "rules.py").read_text() == "precious"


def test_tools_that_are_missing_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run(["new-game", "--lang", "go", "mine"]) == DONE
    assert "Missing here: Go" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["my-game"],
            "the game is named after its folder, and cannot be called 'my-game': "
            "a name is 1 to 32 of a-z",
        ),
        (["packeis"], "an installed game has this name"),
        (["--lang", "cobol", "mine"], "there is no game in 'cobol'; there are python, go, rust"),
    ],
)
def test_other_names_and_languages_are_refused(
    words: list[str], sentence: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["new-game", *words]) == BAD_ARGUMENTS
    assert sentence in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
