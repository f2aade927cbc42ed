"""The store's tests run on both kinds of databases, but for those of a file's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.postgresql import PostgreSQL

from polynya_common.database_address import DatabaseAddress

BOTH = ("file", "postgresql")


@pytest.fixture(params=BOTH)
def address(tmp_path: Path, request: pytest.FixtureRequest) -> DatabaseAddress:
    """Where a new store is, of both kinds; see ``kinds.py`` for tests of one kind."""
    if request.param == "file":
        return tmp_path / "polynya.sqlite"
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.new()
