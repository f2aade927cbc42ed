"""Files of earlier versions, from 0.3.0 on: they open, go on, and are verified."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from tests.fixtures.make import BEGUN, COMPLETE, FILES

from polynya_app.application import run
from polynya_app.serve_settings import read_serve_settings
from polynya_evidence.bundles.bundle_reader import read_bundle
from polynya_evidence.bundles.verification import verify
from polynya_store import Store, schema


@pytest.fixture
def earlier(tmp_path: Path) -> Path:
    path = tmp_path / "contest.sqlite"
    path.write_bytes(gzip.decompress((FILES / "contest.sqlite.gz").read_bytes()))
    return path


@pytest.fixture
def database(earlier: Path) -> Path:
    assert run(["db", "upgrade", "--database", str(earlier)]) == 0
    return earlier


def test_database_gets_todays_schema(earlier: Path) -> None:
    with Store.open(earlier, for_play=True) as store, store.database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []


@pytest.mark.parametrize("tournament", COMPLETE)
def test_bundle_is_verified(tournament: str) -> None:
    found = verify(read_bundle(FILES / f"{tournament}.zip"))
    assert (found.signed, found.differences, found.unchecked) == (True, (), ())


@pytest.mark.parametrize("tournament", COMPLETE)
def test_table_is_the_same(database: Path, tournament: str) -> None:
    expected = json.loads((FILES / f"{tournament}.json").read_text())
    with Store.open(database) as store:
        table = store.tournaments.standings(tournament)
    shown = [(row["place"], row["name"], row["points"]) for row in expected["rows"]]
    assert shown == [(row.place, row.name, row.points) for row in table.rows]
    assert expected["over"] == table.over


@pytest.mark.parametrize("tournament", COMPLETE)
def test_description_continues_its_tournament(
    database: Path, tournament: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = FILES / f"{tournament}.toml"
    assert run(["tournament", "run", str(file), "--database", str(database)]) == 0
    assert "another description" not in capsys.readouterr().err


def test_tournament_that_was_begun_is_played_to_its_end(database: Path, tmp_path: Path) -> None:
    file = tmp_path / "begun.toml"
    file.write_text((FILES / f"{BEGUN}.toml").read_text() + "withdrawn = true\n")
    with Store.open(database) as store:
        assert not store.tournaments.standings(BEGUN).complete
    assert run(["tournament", "run", str(file), "--database", str(database)]) == 0
    with Store.open(database) as store:
        assert store.tournaments.standings(BEGUN).complete


def test_settings_hold() -> None:
    settings = read_serve_settings(FILES / "serve.toml", {})
    assert (settings.game, settings.concurrency) == ("packeis", 8)
    assert settings.rating.anchors == {"rock": 1500}
    server = settings.make_server_settings()
    assert (server.port, server.kernel_times) == (4343, False)
    assert settings.web == {"port": 8081, "play": True}


def test_ratings_are_kept_to_the_bit(earlier: Path) -> None:
    with closing(sqlite3.connect(earlier)) as connection:
        question = "SELECT name, game, players, rating FROM ratings JOIN bots ON id = bot_id"
        before = sorted(connection.execute(question).fetchall())
    with Store.open(earlier, for_play=True) as store:
        rows = store.ratings.find()
        assert before == sorted((row.bot, row.game, row.players, row.rating) for row in rows)
        assert store.ratings.differences() == []


def test_replays_in_the_database_and_in_files_are_verified(database: Path) -> None:
    files = [str(path) for path in sorted(FILES.glob("*.replay"))]
    assert len(files) == 2
    assert run(["replay", "verify", *files]) == 0
    assert run(["replay", "verify", "--all", "--database", str(database)]) == 0


def test_matches_as_text_are_imported(tmp_path: Path) -> None:
    files = [str(path) for path in sorted(FILES.glob("*.match"))]
    database = tmp_path / "new.sqlite"
    assert run(["bots", "add", "someone", "--database", str(database)]) == 0
    assert run(["replay", "import", *files, "--database", str(database)]) == 0
    with Store.open(database) as store:
        assert len(store.matches.find()) == len(files) == 2
