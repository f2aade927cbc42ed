"""The schema of a database brought up to date when it is opened; databases of 0.1.0 too."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import sqlalchemy as sa

from polynya_tournaments.errors import StoreError
from polynya_tournaments.store.database_errors import as_store_error
from polynya_tournaments.store.database_file import reading
from polynya_tournaments.store.ratings import applied_ratings

HEAD = "0017"
"""The newest revision in ``migrations/versions``."""

_WITHOUT_DEVIATIONS = ("0001", "0002", "0003")
"""Revisions whose ratings are computed again from the results, by versions and with deviations."""


def prepare(engine: sa.Engine, path: Path, *, create: bool) -> None:
    """Bring the schema up to date, and make a new database with ``create``.

    Raises:
        StoreError: no database, another program's, or one made by a newer version.
    """
    with as_store_error(path):
        if create and not path.exists():
            _make(path)
        elif path.stat().st_size == 0:
            raise StoreError(
                f"{path} is empty, so it is no database; remove it, or give another file"
            )
        revision = _revision(engine, path, create=create)
        if revision == HEAD:
            return
        _use_write_ahead_log(engine)
        _upgrade(engine, path, revision)


def _make(path: Path) -> None:
    """Make a database without tables; it is never an empty file, not even after a kill."""
    new = path.with_name(f"{path.name}.new")
    try:
        new.write_bytes(b"")
        with closing(sqlite3.connect(new)) as connection:
            connection.execute("VACUUM")
        new.replace(path)
    except OSError as error:
        raise StoreError(f"the database {path} cannot be made: {error.strerror}") from error


def _revision(engine: sa.Engine, path: Path, *, create: bool) -> str | None:
    with reading(engine).connect() as connection:
        tables = sa.inspect(connection).get_table_names()
        if "alembic_version" in tables:
            found: str | None = connection.scalar(
                sa.text("SELECT version_num FROM alembic_version")
            )
            return found
    if tables or not create:
        raise StoreError(f"{path} is not a database of Polynya; give another file")
    return None


def _use_write_ahead_log(engine: sa.Engine) -> None:
    connection = engine.raw_connection()
    try:
        # Readers and the writer then do not wait for each other; the file remembers it.
        connection.cursor().execute("PRAGMA journal_mode = WAL")
    finally:
        connection.close()


def _upgrade(engine: sa.Engine, path: Path, revision: str | None) -> None:
    # Imported here: it takes longer than everything else that a command does with a database.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    configuration = Config()
    configuration.set_main_option("path_separator", "os")
    configuration.set_main_option("script_location", "polynya_tournaments:store/migrations")
    with engine.begin() as connection:
        configuration.attributes["connection"] = connection
        try:
            command.upgrade(configuration, "head")
            if revision in _WITHOUT_DEVIATIONS:
                applied_ratings.recompute(connection)
        except CommandError as error:
            raise StoreError(
                f"the database {path} was made by a newer version of Polynya; install that one"
            ) from error
