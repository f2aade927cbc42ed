"""``polynya db copy`` moves a contest between a file and a PostgreSQL server, both ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.postgresql import PostgreSQL

from polynya_app.application import run
from polynya_store import Store


def copied(
    capsys: pytest.CaptureFixture[str], source: str | Path, target: str | Path
) -> dict[str, object]:
    assert run(["db", "copy", str(source), str(target), "--json"]) == 0, capsys.readouterr().err
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return {key: value for key, value in found.items() if key not in ("from", "to")}


def test_there_and_back_it_is_the_same(
    recorded: Path,
    postgresql: PostgreSQL,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # the logs of a match lie in the working folder
    url, back = postgresql.empty().secret, tmp_path / "back.sqlite"
    there = copied(capsys, recorded, url)
    assert there == copied(capsys, url, back)
    assert there["differing_ratings"] == 0
    for database in (url, str(back)):
        assert run(["replay", "verify", "--all", "--database", database]) == 0
        assert run(["ratings", "recompute", "--check", "--database", database]) == 0
    # New matches come after those that were copied.
    words = ["match", "random", "random", "--seed", "1", "--move-ms", "60000"]
    assert run([*words, "--database", url]) == 0


def test_filled_database_is_refused(
    recorded: Path, postgresql: PostgreSQL, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgresql.empty().secret
    copied(capsys, recorded, url)
    assert run(["db", "copy", str(recorded), url]) == 1
    assert "holds bots already; give an empty database" in " ".join(capsys.readouterr().err.split())


def test_source_that_is_not_there_is_refused_and_not_made(
    postgresql: PostgreSQL, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    missing, empty = tmp_path / "missing.sqlite", postgresql.empty()
    for source, target in ((missing, empty.secret), (empty.secret, tmp_path / "new.sqlite")):
        assert run(["db", "copy", str(source), str(target)]) == 1
        named = str(missing) if source is missing else str(empty)
        assert named in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []
    assert postgresql.execute("SELECT FROM pg_tables WHERE schemaname = 'public'", empty.name) == []


def test_database_in_use_is_refused(
    postgresql: PostgreSQL, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    url = postgresql.new()
    with Store.open(url, for_play=True, claims=["the tournament autumn"]):
        for words in ((url.secret, str(tmp_path / "x.sqlite")), (str(tmp_path / "y"), url.secret)):
            Store.open(tmp_path / "y", for_play=True).close()
            assert run(["db", "copy", *words]) == 1
            assert "plays the tournament autumn since" in " ".join(capsys.readouterr().err.split())
