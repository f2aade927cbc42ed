"""Opening a database: schema versions, the lock for playing, and sentences for what goes wrong."""

from __future__ import annotations

import os
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, cast

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from polynya_common.database_address import make_folder
from polynya_common.errors import StoreError
from polynya_store import Store, schema, schema_upgrade
from polynya_store.backends.sqlite import backend
from polynya_store.backends.sqlite.files import restore


def alembic_configuration() -> Config:
    configuration = Config()
    configuration.set_main_option("path_separator", "os")
    configuration.set_main_option("script_location", "polynya_store:migrations")
    return configuration


WRITTEN_BY_0_2_0 = (
    "was written by Polynya 0.2.0 or older. This version reads databases of 0.3.0 and later. "
    "Use Polynya 0.2.0 for it, or begin a new database."
)


def make_database_of_0_2_0(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        CREATE TABLE alembic_version (version_num VARCHAR(32) NOT NULL);
        INSERT INTO alembic_version VALUES ('0023');
        CREATE TABLE matches (id INTEGER PRIMARY KEY);
        """
    )
    connection.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "polynya.sqlite"


def test_new_database_has_the_schema_that_the_code_uses(path: Path) -> None:
    with Store.open(path, for_play=True) as store, store.database.reading() as connection:
        assert compare_metadata(MigrationContext.configure(connection), schema.metadata) == []


def test_the_newest_migration_is_the_one_that_the_code_expects() -> None:
    scripts = ScriptDirectory.from_config(alembic_configuration())
    assert scripts.get_current_head() == schema_upgrade.HEAD


def test_opening_again_keeps_what_is_there(path: Path) -> None:
    with Store.open(path, for_play=True) as store:
        store.bots.set_token("ann", b"1" * 32)
    with Store.open(path) as store:
        assert [(bot.name, bot.registered) for bot in store.bots.all()] == [("ann", True)]


def test_commits_wait_for_the_disk_and_readers_do_not_wait(path: Path) -> None:
    with Store.open(path, for_play=True) as store, store.database.reading() as connection:
        full, log, keys = (
            connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("synchronous", "journal_mode", "foreign_keys")
        )
    assert (full, log, keys) == (2, "wal", 1)


def test_reader_reads_during_a_write(path: Path) -> None:
    with (
        Store.open(path, for_play=True) as store,
        store.database.writing(),
        Store.open(path) as reader,
    ):
        assert reader.bots.all() == []


def test_transactions_that_write_do_not_lose_updates(path: Path) -> None:
    with Store.open(path, for_play=True) as store, store.database.writing() as connection:
        connection.execute(sa.select(schema.bots)).all()
        other = sqlite3.connect(path, timeout=0, isolation_level=None)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()


def test_a_folder_that_is_not_there_is_refused_and_not_made(tmp_path: Path) -> None:
    said = f"there is no folder {tmp_path}/a for the database c.sqlite; make it, or give another"
    with pytest.raises(StoreError, match=re.escape(said)):
        Store.open(tmp_path / "a" / "c.sqlite", for_play=True)
    assert list(tmp_path.iterdir()) == []


def test_the_folder_that_a_description_names_is_made(tmp_path: Path) -> None:
    make_folder(tmp_path / "a" / "c.sqlite")
    assert list(tmp_path.iterdir()) == [tmp_path / "a"]


def test_folders_above_it_are_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"the folder .*/a/b cannot be made: No such file"):
        make_folder(tmp_path / "a" / "b" / "c.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_a_database_to_be_read_must_be_there(path: Path) -> None:
    with pytest.raises(StoreError, match=f"there is no database {path}"):
        Store.open(path)


def test_a_folder_is_no_database(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is a folder; give the database's file"):
        Store.open(tmp_path, for_play=True)


def test_another_kind_of_file_is_refused(path: Path) -> None:
    path.write_bytes(b"PK\x03\x04 something else entirely" * 100)
    with pytest.raises(StoreError, match="is not an SQLite database"):
        Store.open(path, for_play=True)


def test_another_programs_database_is_refused_and_left_alone(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE songs (title)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="is not a database of Polynya"):
        Store.open(path, for_play=True)
    assert path.read_bytes() == before


def test_a_newer_versions_database_is_refused(path: Path) -> None:
    with Store.open(path, for_play=True) as store, store.database.writing() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StoreError, match="made by a newer version of Polynya"):
        Store.open(path)


@pytest.mark.parametrize("for_play", [True, False])
def test_database_of_0_2_0_is_refused_and_left_alone(path: Path, *, for_play: bool) -> None:
    make_database_of_0_2_0(path)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=re.escape(f"{path} {WRITTEN_BY_0_2_0}")):
        Store.open(path, for_play=for_play)
    assert path.read_bytes() == before


def test_copy_of_a_database_of_0_2_0_is_not_restored(path: Path, tmp_path: Path) -> None:
    make_database_of_0_2_0(path)
    with pytest.raises(StoreError, match=re.escape(f"{path} {WRITTEN_BY_0_2_0}")):
        restore(path, tmp_path / "restored.sqlite")
    assert not (tmp_path / "restored.sqlite").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"the folder .*/file/sub cannot be made: Not a directory"):
        make_folder(tmp_path / "file" / "sub" / "x.sqlite")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_read_only_folder_is_named(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(StoreError, match="cannot be written: Permission denied"):
        Store.open(tmp_path / "x.sqlite", for_play=True)


def test_two_processes_do_not_play_into_one_database(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = f"""
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from polynya_store import Store
with Store.open(Path({str(path)!r}), for_play=True):
    print("open", flush=True)
    input()
"""
    player = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with player:
        assert player.stdout is not None
        player.stdout.readline()
        with monkeypatch.context() as patience:
            patience.setattr(backend, "_LOCK_SECONDS", 0)
            with pytest.raises(StoreError, match=f"process .number {player.pid}. is playing into"):
                Store.open(path, for_play=True)
        player.kill()
    with Store.open(path, for_play=True) as store:
        assert store.bots.all() == []


def test_opening_waits_for_an_orphaned_writer(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # As the process that was killed has left it to its writer.
    file = cast("IO[str]", backend.lock_for_play(path)._lock)

    class Clock:
        """That of the wall goes on when it is slept; the writer waits for as long as it may."""

        now_s = 0.0

        def monotonic(self) -> float:
            return self.now_s

        def sleep(self, seconds: float) -> None:
            self.now_s += seconds
            if self.now_s > backend.BUSY_SECONDS and not file.closed:
                file.close()

    monkeypatch.setattr(backend, "time", Clock())
    backend.lock_for_play(path).close()
    assert file.closed


def test_one_process_plays_at_a_time_where_there_is_no_flock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fcntl", None)
    with Store.open(path, for_play=True), pytest.raises(StoreError, match="another process is"):
        Store.open(path, for_play=True)
    Store.open(path, for_play=True).close()


def test_databases_are_made_at_the_same_time_by_several_threads(tmp_path: Path) -> None:
    def made(number: int) -> bool:
        with Store.open(tmp_path / f"{number}.sqlite", for_play=True) as store:
            return store.uploads.all() == []

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(made, range(16)))
