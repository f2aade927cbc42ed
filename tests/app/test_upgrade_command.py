"""A newer version beside a server of this one: it reads nothing wrong, and upgrades nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import sqlalchemy as sa
from tests.folders import ROOT
from tests.postgresql import PostgreSQL
from tests.recorded_matches import launcher
from tests.served import bot, serving

from polynya_common.database_address import DatabaseAddress, address_text
from polynya_store import Store
from polynya_store.backends.backend import open_backend
from polynya_store.schema_upgrade import HEAD

NEWER = """
from alembic import op
revision = "9999_next"
down_revision = "HEAD"
def upgrade() -> None:
    op.execute("ALTER TABLE bots ADD COLUMN motto TEXT")
"""
READING = (
    ("ratings",),
    ("replay", "verify", "--all"),
    ("bots", "add", "cid"),
)


@pytest.fixture(params=["file", "postgresql"])
def address(tmp_path: Path, request: pytest.FixtureRequest) -> DatabaseAddress:
    if request.param == "file":
        return tmp_path / "ladder.sqlite"
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.empty()


class NewerVersion:
    """Polynya as it will be: with one more migration."""

    def __init__(self, folder: Path, address: DatabaseAddress) -> None:
        self._folder = folder
        self._address = address
        shutil.copytree(ROOT / "store" / "polynya_store", folder / "polynya_store")
        versions = folder / "polynya_store" / "migrations" / "versions"
        (versions / "9999_next.py").write_text(NEWER.replace("HEAD", HEAD))

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*launcher(), *words, "--database", address_text(self._address)],
            env={**os.environ, "PYTHONPATH": str(self._folder)},
            capture_output=True,
            text=True,
            check=False,
        )


def revision(address: DatabaseAddress) -> str:
    backend = open_backend(address)
    with backend.reading.connect() as connection:
        found = connection.scalar(sa.text("SELECT version_num FROM alembic_version"))
    backend.engine.dispose()
    return str(found)


def said(done: subprocess.CompletedProcess[str]) -> str:
    return " ".join(done.stderr.split())


def test_no_command_of_a_newer_version_changes_tables_that_a_server_plays_into(
    tmp_path: Path, address: DatabaseAddress
) -> None:
    newer = NewerVersion(tmp_path / "newer", address)
    with serving(launcher(), address, "--move", "60000") as server:
        for words in READING:
            done = newer.run(*words)
            assert done.returncode == 1, (words, done)
            assert "was made by an older version of Polynya" in said(done), words
        upgrade = newer.run("db", "upgrade")
        assert upgrade.returncode == 1
        assert re.search(r"is playing into|plays the ladder of", said(upgrade)), upgrade
        with bot(server.port, "ada"), bot(server.port, "bob"):
            server.read_until("a match is over")
        assert server.stop()[0] == 0
    assert revision(address) == HEAD


def test_upgrade_brings_a_database_up_to_date_that_nothing_plays_into(
    tmp_path: Path, address: DatabaseAddress
) -> None:
    with Store.open(address, for_play=True) as store:
        store.bots.set_token("ada", bytes(32))
    newer = NewerVersion(tmp_path / "newer", address)
    assert newer.run("bots", "list").returncode == 1
    assert newer.run("db", "upgrade").returncode == 0
    assert revision(address) == "9999_next"
    listed = newer.run("bots", "list")
    assert (listed.returncode, "ada" in listed.stdout) == (0, True)
    older = subprocess.run(
        [*launcher(), "bots", "list", "--database", address_text(address)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (older.returncode, "made by a newer version" in said(older)) == (1, True)


def test_upgrade_makes_no_database(tmp_path: Path) -> None:
    newer = NewerVersion(tmp_path / "newer", tmp_path / "mistyped.sqlite")
    done = newer.run("db", "upgrade")
    assert (done.returncode, "there is no database" in said(done)) == (1, True)
    assert not (tmp_path / "mistyped.sqlite").exists()
