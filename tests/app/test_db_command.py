"""``polynya db`` copies databases that are in use, and puts copies in the place of lost ones."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from tests.descriptions import autumn
from tests.small_disk import small_disk

from polynya_app.application import run
from polynya_store import Store
from polynya_store.backends.sqlite import backend

DESCRIPTION = autumn(cycles=15)


def test_tournament_that_loses_its_disk_goes_on_from_a_backup(
    polynya: list[str], tmp_path: Path
) -> None:
    description, disk = tmp_path / "autumn.toml", tmp_path / "disk"
    description.write_text(DESCRIPTION)
    disk.mkdir()
    database, copy = disk / "polynya.sqlite", tmp_path / "copy.sqlite"
    command = [*polynya, "tournament", "run", str(description), "--database", str(database)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if " of 30 matches" in line:
                break
        assert run(["db", "backup", str(copy), "--database", str(database)]) == 0
        process.kill()
    shutil.rmtree(disk)
    disk.mkdir()

    assert run(["db", "restore", str(copy), "--database", str(database)]) == 0
    again = subprocess.run([*command, "--json"], capture_output=True, timeout=300, check=True)

    table = json.loads(again.stdout)
    assert (table["played"], table["complete"]) == (30, True)
    for check in (["replay", "verify", "--all"], ["ratings", "recompute", "--check"]):
        assert run([*check, "--database", str(database)]) == 0


def test_copy_holds_what_is_not_in_the_main_file_yet(tmp_path: Path) -> None:
    database, copy = tmp_path / "a.sqlite", tmp_path / "copy.sqlite"
    with Store.open(database, for_play=True) as store:
        store.bots.set_token("ada", bytes(32))
        assert run(["db", "backup", str(copy), "--database", str(database)]) == 0
    with Store.open(copy) as store:
        assert [row.name for row in store.bots.all()] == ["ada"]


def test_backup_names_the_key_that_is_not_in_it(
    tmp_path: Path, recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "a.sqlite"
    assert run(["db", "restore", str(recorded), "--database", str(database)]) == 0
    assert run(["tournament", "keygen", "--database", str(database)]) == 0
    capsys.readouterr()
    copy = tmp_path / "copy.sqlite"
    assert run(["db", "backup", str(copy), "--database", str(database), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said == {"file": str(copy), "matches": 2, "keys": [f"{database}.key"]}


@pytest.mark.parametrize("left", ["", "-wal", "-shm"])
def test_restore_replaces_nothing_that_is_left_of_a_database(
    left: str, tmp_path: Path, recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    remains = tmp_path / f"a.sqlite{left}"
    remains.write_bytes(b"left")
    assert run(["db", "restore", str(recorded), "--database", str(tmp_path / "a.sqlite")]) == 1
    assert f"there is a file {remains} already" in capsys.readouterr().err
    assert remains.read_bytes() == b"left"


def test_a_file_that_is_no_database_of_ours_is_refused_and_leaves_no_copy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE matches (id)")
    connection.close()
    for file in (other, tmp_path / "empty.sqlite", tmp_path / "text.sqlite"):
        if file != other:
            file.write_text("" if file.name == "empty.sqlite" else "no database " * 100)
        copy = tmp_path / "copy.sqlite"
        assert run(["db", "backup", str(copy), "--database", str(file)]) == 1
        assert str(file) in capsys.readouterr().err
        assert list(tmp_path.glob("copy*")) == []


def test_damaged_database_is_not_taken_for_a_backup(
    tmp_path: Path, recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "damaged.sqlite"
    content = bytearray(recorded.read_bytes())
    content[8192:] = bytes(len(content) - 8192)
    damaged.write_bytes(content)
    assert run(["db", "restore", str(damaged), "--database", str(tmp_path / "a.sqlite")]) == 1
    assert "damaged" in capsys.readouterr().err
    assert list(tmp_path.glob("a.sqlite*")) == [tmp_path / "a.sqlite.lock"]


def test_prune_removes_old_replays_of_the_ladder_only_when_told_to(
    tmp_path: Path, recorded: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = tmp_path / "ladder.sqlite"
    assert run(["db", "restore", str(recorded), "--database", str(database)]) == 0
    make_ladder_match(database)
    with Store.open(database) as store:
        [of_ladder, of_tournament] = [name for name, _ in store.matches.replays()]
        ratings = store.ratings.find(game="packeis", players=2, system="elo")
    prune = ["db", "prune", "--keep-replays-days", "30", "--json", "--database", str(database)]
    said = []
    for command in (prune, [*prune, "--yes"], prune):
        capsys.readouterr()
        assert run(command) == 0
        report = json.loads(capsys.readouterr().out)
        said.append((report["replays"], report["removed"]))
    assert said == [(1, 0), (1, 1), (0, 0)]
    with Store.open(database) as store:
        assert [name for name, _ in store.matches.replays()] == [of_tournament]
        assert store.ratings.find(game="packeis", players=2, system="elo") == ratings
    assert run(["replay", "show", of_ladder, "--database", str(database)]) == 1
    assert "the host has removed old replays" in capsys.readouterr().err


@pytest.fixture
def old_ladder(tmp_path: Path, recorded: Path) -> Path:
    """A database whose file is mostly an old replay of a ladder match."""
    database = tmp_path / "ladder.sqlite"
    assert run(["db", "restore", str(recorded), "--database", str(database)]) == 0
    make_ladder_match(database)
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE replays SET document = zeroblob(5000000) WHERE match_id = 1")
    return database


def prune_and_shrink(database: Path, *flags: str) -> int:
    words = ["db", "prune", "--keep-replays-days", "30", "--shrink", "--json", *flags]
    return run([*words, "--database", str(database)])


def test_shrink_makes_the_file_smaller_and_changes_nothing_else(
    old_ladder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    large = old_ladder.stat().st_size
    with Store.open(old_ladder) as store:
        ratings = store.ratings.find()
    assert prune_and_shrink(old_ladder) == 0
    assert old_ladder.stat().st_size == large
    capsys.readouterr()
    assert prune_and_shrink(old_ladder, "--yes") == 0
    said = json.loads(capsys.readouterr().out)
    assert said["removed"] == 1
    assert old_ladder.stat().st_size == said["after"] < said["before"] - 5_000_000
    with Store.open(old_ladder) as store:
        assert store.ratings.find() == ratings
    assert run(["replay", "verify", "--all", "--database", str(old_ladder)]) == 0


def test_shrink_is_refused_during_play_and_removes_nothing(
    old_ladder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(backend, "_LOCK_SECONDS", 0)
    with Store.open(old_ladder, for_play=True) as store:
        assert prune_and_shrink(old_ladder, "--yes") == 1
        assert "is playing into" in capsys.readouterr().err
        assert len(list(store.matches.replays())) == 2


def test_shrink_without_room_removes_nothing_and_says_how_much_it_needs(
    old_ladder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with small_disk(20) as folder:
        database = folder / "ladder.sqlite"
        shutil.copy(old_ladder, database)
        assert prune_and_shrink(database, "--yes") == 1
        assert f"MB of free disk in {folder}" in capsys.readouterr().err
        with Store.open(database) as store:
            assert len(list(store.matches.replays())) == 2


def test_shrink_of_a_database_on_a_server_says_that_it_has_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    url = "postgresql://nobody@localhost:1/contest"
    assert run(["db", "prune", "--keep-replays-days", "3", "--shrink", "--database", url]) == 2
    assert "VACUUM FULL" in capsys.readouterr().err


def make_ladder_match(database: Path) -> None:
    """Make the first match one of the ladder; both matches are of a year ago."""
    with closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE matches SET finished_ms = finished_ms - 31536000000")
        connection.execute("UPDATE matches SET pairing_id = NULL WHERE id = 1")


def test_restored_database_has_new_secrets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    database = str(tmp_path / "ladder.sqlite")
    with Store.open(Path(database), for_play=True) as store:
        store.ladder.ready_secret()
    commitments = []
    for command in ("secrets", "restored", "secrets"):
        assert run(["db", command, "--database", database, "--json"]) == 0
        if command == "secrets":
            commitments.append(json.loads(capsys.readouterr().out))
        else:
            capsys.readouterr()
    before, after = commitments
    assert len(after) == 2 * len(before)
    assert {one["secret"] for one in after} == {None}
