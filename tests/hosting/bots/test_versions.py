"""``polynya match NAME@VERSION``: a file says how versions are started, and what it lacks."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.folders import DOCS

from polynya_app.application import run
from polynya_app.commands.play.match import configurations
from polynya_common.errors import ConfigurationError
from polynya_contest.config.tournament_configuration import BotConfiguration
from polynya_hosting.bots.versions import BotVersions

BOT = """
import random, sys
import polynya_client

polynya_client.run(
    lambda turn: [random.choice(turn.legal)],
    wants=["legal"],
    software={"name": "mine", "version": sys.argv[1]},
)
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "bots.toml"
    path.write_text(text, encoding="utf-8")
    return path


SILENT_BOT = """
import random
import polynya_client

polynya_client.run(lambda turn: [random.choice(turn.legal)], wants=["legal"])
"""


def versions(folder: Path, *pairs: tuple[str, str]) -> Path:
    """A file with versions of mine: each with what its program declares."""
    (folder / "bot.py").write_text(BOT, encoding="utf-8")
    tables = [
        f'[[bots]]\nname = "mine"\nversion = "{version}"\n'
        f"command = {json.dumps([sys.executable, 'bot.py', declared])}\n"
        for version, declared in pairs
    ]
    return written(folder, "\n".join(tables))


def test_a_version_is_started_as_the_file_says(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        '[[bots]]\nname = "mine"\nversion = "1.2"\ncommand = "./bot --fast"\ndirectory = "old"\n'
        'environment = { LEVEL = "3" }\n',
    )
    assert configurations(["mine@1.2"], BotVersions(path)) == [
        BotConfiguration(
            name="mine-1.2",
            command="./bot --fast",
            directory=str(tmp_path / "old"),
            environment={"LEVEL": "3"},
            folder=str(tmp_path / "old"),
        )
    ]


def test_the_only_version_needs_no_number(tmp_path: Path) -> None:
    path = versions(tmp_path, ("1.2", "1.2"))
    assert [bot.name for bot in configurations(["mine", "greedy"], BotVersions(path))] == [
        "mine-1.2",
        "greedy",
    ]


def test_names_of_versions_are_names_for_the_protocol(tmp_path: Path) -> None:
    path = versions(tmp_path, ("2026-11 (β) and much more of this", "x"))
    [bot] = configurations(["mine@2026-11 (β) and much more of this"], BotVersions(path))
    assert bot.name == "mine-2026-11__β__and_much_more_of_this".replace("β", "_")[:28]


@pytest.mark.parametrize(
    ("word", "sentence"),
    [
        ("mine@1.4", "bots.toml has no mine@1.4; it has mine@1.2 and mine@1.3"),
        ("yours@1", "bots.toml has no yours@1; it has versions of mine"),
        ("mine", "bots.toml has several versions of mine: name one of mine@1.2 and mine@1.3"),
    ],
)
def test_unknown_version_is_refused_with_the_known_ones(
    tmp_path: Path, word: str, sentence: str
) -> None:
    known = BotVersions(versions(tmp_path, ("1.2", "1.2"), ("1.3", "1.3")))
    with pytest.raises(ConfigurationError) as error:
        known.find(word)
    assert sentence in str(error.value)


GOOD = {"name": "a", "version": "1", "command": "x"}


def table(**changes: str) -> str:
    """A version as TOML, with keys changed; "" leaves one out."""
    keys = {key: value for key, value in (GOOD | changes).items() if value}
    return "\n".join(["[[bots]]", *(f"{key} = {json.dumps(keys[key])}" for key in keys), ""])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[bot]]", "unknown key bot; did you mean bots?"),
        (table(verzion="1"), "unknown key bots[0].verzion; did you mean version?"),
        (table(command=""), "command"),
        (table(name="a b"), "bots[0].name: 'a b' is not a valid name"),
        (table(version=" "), "bots[0].version: it is empty"),
        (table(command=" "), "bots[0].command: it is empty"),
        (table(command="'"), "bots[0].command: No closing quotation"),
        (table() + table(), "bots[1]: a@1 occurs twice"),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(ConfigurationError) as error:
        BotVersions(path)
    assert str(error.value).startswith(f"{path}: ")
    assert sentence in str(error.value)


def test_the_example_for_hosts_is_read(tmp_path: Path) -> None:
    page = (DOCS / "hosting" / "matches.md").read_text(encoding="utf-8")
    [example] = re.findall(r"```toml\n(\[\[bots\]\]\n.*?)```", page, re.DOTALL)
    known = BotVersions(written(tmp_path, example))
    assert known.find("mine@1.2") != known.find("mine@1.3")


def test_without_a_file_the_sentence_says_what_it_would_hold(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing = str(tmp_path / "bots.toml")
    assert run(["match", "mine@1", "greedy", "--bots", missing]) == 2
    said = capsys.readouterr().err
    assert f"there is no {missing} that says how mine@1 is started" in said


def test_two_versions_play_until_it_is_decided_or_enough(
    polynya: list[str], tmp_path: Path
) -> None:
    versions(tmp_path, ("1.2", "1.2"), ("1.3", "1.3"))
    words = "match mine@1.3 mine@1.2 --sprt elo0=0 elo1=50 --games 4 --move-ms 60000 --json"
    done = subprocess.run(
        [*polynya, *words.split()], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert {bot["name"] for bot in result["bots"]} == {"mine-1.3", "mine-1.2"}
    assert result["sprt"]["decision"] in ("H0", "H1", "undecided")
    assert result["played"] % 2 == 0
    assert "declares" not in done.stderr


def test_a_program_that_declares_another_version_is_named(
    polynya: list[str], tmp_path: Path
) -> None:
    versions(tmp_path, ("1.2", "1.3"), ("1.3", "1.3"))
    words = "match mine@1.3 mine@1.2 --games 2 --move-ms 60000 --database cup.sqlite"
    done = subprocess.run(
        [*polynya, *words.split()], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "mine@1.2 declares version 1.3: is its command the right one?" in done.stderr
    assert "mine@1.3 declares" not in done.stderr


def test_a_program_that_declares_no_version_is_not_named(
    polynya: list[str], tmp_path: Path
) -> None:
    versions(tmp_path, ("1.3", "it does not read this"))
    (tmp_path / "bot.py").write_text(SILENT_BOT, encoding="utf-8")
    words = "match mine@1.3 random --games 2 --move-ms 60000 --database cup.sqlite"
    done = subprocess.run(
        [*polynya, *words.split()], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "declares" not in done.stderr


def test_a_bots_file_of_another_program_matters_only_to_those_who_ask_for_a_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    known = BotVersions(written(tmp_path, 'token = "x"\n').relative_to(tmp_path))
    assert known.find("greedy") is None
    with pytest.raises(ConfigurationError, match="unknown key token"):
        known.find("greedy@1")
