"""``polynya bots`` gives tokens that are shown once, and ``polynya ratings`` computes again."""

import hashlib
import json
import shutil
import sqlite3
from pathlib import Path

import pytest

from polynya_app.application import run
from polynya_store import Store


def token_of(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.strip()


def stored(database: Path, name: str) -> bytes:
    with Store.open(database) as store:
        return store.bots.token_hashes()[name]


def test_a_new_bot_gets_a_token_of_which_the_hash_is_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "new.sqlite"
    assert run(["bots", "add", "ada", "--database", str(database)]) == 0
    token = token_of(capsys)
    assert len(token) == 43
    assert stored(database, "ada") == hashlib.sha256(token.encode()).digest()
    assert token.encode() not in database.read_bytes()


def test_a_bot_that_has_a_token_is_not_added_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["ada", "--database", str(tmp_path / "new.sqlite")]
    run(["bots", "add", *arguments])
    assert run(["bots", "add", *arguments]) == 1
    assert "polynya bots rotate ada" in capsys.readouterr().err


def test_bots_of_a_file_get_tokens(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names, database = tmp_path / "names.txt", tmp_path / "new.sqlite"
    names.write_text("ada\n\n bob \nada\n")
    run(["bots", "add", "bob", "--database", str(database)])
    capsys.readouterr()
    assert run(["bots", "add", "--from", str(names), "--database", str(database)]) == 0
    written = capsys.readouterr()
    [(name, token)] = [line.split() for line in written.out.splitlines()]
    assert (name, stored(database, "ada")) == ("ada", hashlib.sha256(token.encode()).digest())
    assert "bob has a token already" in written.err


def test_no_bot_of_a_file_with_a_wrong_name_gets_a_token(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names, database = tmp_path / "names.txt", tmp_path / "new.sqlite"
    names.write_text("ada\nADA\n")
    assert run(["bots", "add", "--from", str(names), "--database", str(database)]) == 2
    written = capsys.readouterr()
    assert (written.out, "line 2: " in written.err) == ("", True)


@pytest.mark.parametrize("words", [[], ["ada", "--from", "names.txt"]])
def test_one_name_or_a_file_is_needed(words: list[str], tmp_path: Path) -> None:
    assert run(["bots", "add", *words, "--database", str(tmp_path / "new.sqlite")]) == 2


def test_a_rotated_token_replaces_the_old_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "new.sqlite"
    run(["bots", "add", "ada", "--database", str(database)])
    old = token_of(capsys)
    assert run(["bots", "rotate", "ada", "--database", str(database), "--json"]) == 0
    given = json.loads(capsys.readouterr().out)
    assert given["bot"] == "ada"
    assert given["token"] != old
    assert stored(database, "ada") == hashlib.sha256(given["token"].encode()).digest()


def test_a_bot_without_a_token_is_added_not_rotated(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = shutil.copy(recorded, tmp_path / "copy.sqlite")
    assert run(["bots", "rotate", "greedy", "--database", str(database)]) == 1
    assert capsys.readouterr().err == (
        "polynya: greedy has no token yet; 'polynya bots add greedy' gives one\n"
    )


def test_a_bot_whose_token_was_revoked_is_added_not_rotated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "new.sqlite"
    run(["bots", "add", "ada", "--database", str(database)])
    run(["bots", "revoke", "ada", "--database", str(database)])
    capsys.readouterr()
    assert run(["bots", "rotate", "ada", "--database", str(database)]) == 1
    assert capsys.readouterr().err == (
        "polynya: the token of ada was revoked; 'polynya bots add ada' gives it a new one\n"
    )
    assert run(["bots", "add", "ada", "--database", str(database)]) == 0
    assert stored(database, "ada") == hashlib.sha256(token_of(capsys).encode()).digest()


@pytest.mark.parametrize("command", ["rotate", "revoke", "suspend", "resume"])
def test_a_bot_that_is_not_there_is_named(
    command: str, recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = shutil.copy(recorded, tmp_path / "copy.sqlite")
    assert run(["bots", command, "bob", "--database", str(database)]) == 1
    assert capsys.readouterr().err == (
        "polynya: the database holds no bot bob; 'polynya bots list' says which it holds\n"
    )


def test_all_bots_are_listed_with_and_without_tokens(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = shutil.copy(recorded, tmp_path / "copy.sqlite")
    run(["bots", "add", "greedy", "--database", str(database)])
    capsys.readouterr()
    assert run(["bots", "list", "--database", str(database), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row["name"]: row["registered"] for row in rows} == {"greedy": True, "random": False}


def test_ratings_computed_again_are_the_recorded_ones(
    recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["ratings", "recompute", "--check", "--database", str(recorded)]) == 0
    assert capsys.readouterr().out == "ratings checked: 0 differed from the recorded ones\n"


def test_a_rating_that_was_changed_is_found_and_put_right(
    recorded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = shutil.copy(recorded, tmp_path / "copy.sqlite")
    with sqlite3.connect(database) as connection:
        changed = connection.execute(
            "UPDATE ratings SET rating = 9000"
            " WHERE bot_id = (SELECT id FROM bots WHERE name = 'random')"
        )
        assert changed.rowcount == 1
    connection.close()
    arguments = ["ratings", "recompute", "--database", str(database)]
    assert run([*arguments, "--check"]) == 1
    assert (
        "random in packeis with 2 players (classical) at present: recorded 9000"
        in capsys.readouterr().err
    )
    assert run(arguments) == 0
    capsys.readouterr()
    assert run([*arguments, "--check", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == []


LISTS = {
    "ratings": "holds no ratings: bots get them by rated matches",
    "ratings --game arktia --players 3": "holds no ratings in arktia with 3 players: bots get them",
    "ratings --versions": "holds no ratings: bots get them by rated matches",
    "bots list": "has no bots: 'polynya bots add NAME' registers one",
    "tournament status": "holds no tournaments: 'polynya tournament run FILE.toml' plays one",
}


@pytest.fixture
def empty(tmp_path: Path) -> str:
    """A database in which nothing was recorded yet."""
    database = tmp_path / "empty.sqlite"
    with Store.open(database, for_play=True):
        return str(database)


@pytest.mark.parametrize("command", LISTS)
def test_a_list_without_entries_is_a_sentence_that_says_how_to_get_some(
    command: str, empty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command.split(), "--database", empty]) == 0
    written = capsys.readouterr()
    assert written.out.startswith(f"{empty} {LISTS[command]}")
    assert (written.out.count("\n"), written.err) == (1, "")


@pytest.mark.parametrize("command", LISTS)
def test_a_list_without_entries_is_an_empty_list_as_json(
    command: str, empty: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command.split(), "--database", empty, "--json"]) == 0
    written = capsys.readouterr()
    assert (json.loads(written.out), written.err) == ([], "")


@pytest.mark.parametrize(
    "command",
    [["ratings"], ["bots", "list"], ["bots", "rotate", "ada"], ["tournament", "status"]],
)
def test_a_database_that_is_not_there_is_named(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "no.sqlite"
    assert run([*command, "--database", str(database)]) == 1
    assert f"there is no database {database}; --database names the file" in capsys.readouterr().err
    assert not database.exists()


def test_revoke_suspend_and_resume_say_what_they_did(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = ["--database", str(tmp_path / "db")]
    assert run(["bots", "add", "ada", *database]) == 0
    capsys.readouterr()
    said = []
    for words in (["suspend", "ada", "--why", "it floods"], ["resume", "ada"], ["revoke", "ada"]):
        assert run(["bots", *words, *database]) == 0
        said.append(capsys.readouterr().out.strip())
    assert said == [
        "ada gets no ladder matches any more: it floods; 'polynya bots resume ada' puts it back",
        "ada gets ladder matches again",
        "ada cannot connect any more: its token is revoked; "
        "'polynya bots add ada' gives it a new one",
    ]


def test_an_empty_file_does_not_become_a_database(tmp_path: Path) -> None:
    file = tmp_path / "empty"
    file.touch()
    assert run(["serve", "--database", str(file), "--port", "0"]) == 1
    assert file.read_bytes() == b""
