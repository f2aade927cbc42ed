"""Files of earlier versions: they open, go on, and are verified by the rules they were made by."""

from __future__ import annotations

import gzip
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from polynya_app.application import run
from polynya_app.serve_settings import read_serve_settings
from polynya_contest.config.retired_settings import RetiredSettingWarning
from polynya_evidence.bundles.bundle_reader import read_bundle
from polynya_evidence.bundles.verification import verify
from polynya_store import Store

FILES = Path(__file__).parents[2] / "fixtures" / "v0_1_0"
COMPLETE = ("swiss", "double", "cup", "robin", "test", "pods")


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("earlier") / "contest.sqlite"
    path.write_bytes(gzip.decompress((FILES / "contest.sqlite.gz").read_bytes()))
    return path


@pytest.mark.parametrize("tournament", COMPLETE)
def test_a_bundle_of_0_1_0_is_verified(tournament: str) -> None:
    found = verify(read_bundle(FILES / f"{tournament}.zip"))
    assert found.differences == ()
    assert any("estimates" in sentence for sentence in found.unchecked)


@pytest.mark.parametrize("tournament", COMPLETE)
def test_a_table_of_0_1_0_keeps_its_places_and_points(database: Path, tournament: str) -> None:
    expected = json.loads((FILES / f"{tournament}.json").read_text())
    with Store.open(database) as store:
        table = store.tournaments.standings(tournament)
    shown = [(row["place"], row["name"], row["points"]) for row in expected["rows"]]
    assert shown == [(row.place, row.name, row.points) for row in table.rows]
    assert expected["over"] == table.over


@pytest.mark.parametrize("tournament", COMPLETE)
def test_a_description_of_0_1_0_continues_its_tournament(
    database: Path, tournament: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = FILES / f"{tournament}.toml"
    assert run(["tournament", "run", str(file), "--database", str(database)]) == 0
    assert "another description" not in capsys.readouterr().err


def test_a_tournament_that_0_1_0_began_ends_by_the_rules_it_began_with(
    database: Path, tmp_path: Path
) -> None:
    description = (FILES / "begun.toml").read_text() + "withdrawn = true\n"
    file = tmp_path / "begun.toml"
    file.write_text(description)
    assert run(["tournament", "run", str(file), "--database", str(database)]) == 0
    with Store.open(database) as store:
        assert store.tournaments.standings("begun").complete
        assert "rules" not in store.tournaments.recorded("begun").description


def test_settings_of_0_1_0_hold_with_warnings_for_removed_ones() -> None:
    with pytest.warns(RetiredSettingWarning, match="server.private_epoll does nothing any more"):
        settings = read_serve_settings(FILES / "serve.toml", {})
    assert (settings.game, settings.concurrency, settings.anchors) == ("packeis", 8, {"rock": 1500})
    assert (settings.server_settings.port, settings.server_settings.kernel_times) == (4343, False)
    assert settings.web == {"port": 8081, "play": True}


def test_ratings_of_0_1_0_are_kept_to_the_bit(tmp_path: Path) -> None:
    path = tmp_path / "contest.sqlite"
    path.write_bytes(gzip.decompress((FILES / "contest.sqlite.gz").read_bytes()))
    with closing(sqlite3.connect(path)) as connection:
        question = "SELECT name, game, players, rating FROM ratings JOIN bots ON id = bot_id"
        before = sorted(connection.execute(question).fetchall())
    with Store.open(path) as store:
        rows = store.ratings.find()
        assert before == sorted((row.bot, row.game, row.players, row.rating) for row in rows)
        assert store.ratings.differences() == []
