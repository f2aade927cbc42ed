"""The schema of a database brought up to date when it is opened; databases of 0.1.0 too."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_store.backends.backend import Backend
from polynya_store.database import as_store_error
from polynya_store.ratings import applied_ratings

_VERSIONS = Path(__file__).parent / "migrations" / "versions"
HEAD = max(path.name for path in _VERSIONS.glob("[0-9]*.py")).partition("_")[0]
"""The newest revision: the number that the last file of ``migrations/versions`` begins with."""

_WITHOUT_DEVIATIONS = ("0001", "0002", "0003")
"""Revisions whose ratings are computed again from the results, by versions and with deviations."""


def prepare(backend: Backend, *, create: bool) -> None:
    """Bring the schema up to date, and make a new database with ``create``.

    Raises:
        StoreError: no database, another program's, or one made by a newer version.
    """
    with as_store_error(backend):
        if create:
            backend.make()
        revision = _revision(backend, create=create)
        if revision == HEAD:
            return
        backend.before_upgrade()
        _upgrade(backend, revision)


def _revision(backend: Backend, *, create: bool) -> str | None:
    with backend.reading.connect() as connection:
        tables = sa.inspect(connection).get_table_names()
        if "alembic_version" in tables:
            found: str | None = connection.scalar(
                sa.text("SELECT version_num FROM alembic_version")
            )
            return found
    if tables:
        raise StoreError(f"{backend.address} is not a database of Polynya; give another one")
    if not create:
        raise StoreError(f"there is nothing in the database {backend.address} yet")
    return None


def _upgrade(backend: Backend, revision: str | None) -> None:
    # Imported here: it takes longer than everything else that a command does with a database.
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    configuration = Config()
    configuration.set_main_option("path_separator", "os")
    configuration.set_main_option("script_location", "polynya_store:migrations")
    with backend.engine.begin() as connection:
        configuration.attributes["connection"] = connection
        try:
            command.upgrade(configuration, "head")
            if revision in _WITHOUT_DEVIATIONS:
                applied_ratings.recompute(connection)
        except CommandError as error:
            raise StoreError(
                f"the database {backend.address} was made by a newer version of Polynya; "
                "install that one"
            ) from error
