"""Creates the schema of a new database, and upgrades or refuses an older one."""

from __future__ import annotations

from pathlib import Path
from threading import Lock

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_store.backends.backend import Backend, refuse_older
from polynya_store.database import as_store_error
from polynya_store.schema import metadata

_VERSIONS = Path(__file__).parent / "migrations" / "versions"
_KNOWN = {path.stem for path in _VERSIONS.glob("[0-9]*.py")}
HEAD = max(_KNOWN)
"""The newest revision: the name of the last file of ``migrations/versions``."""

_ONE_AT_A_TIME = Lock()
"""Alembic keeps its state in global variables, so only one upgrade runs at a time."""

_REVISION = sa.Table(
    "alembic_version",
    sa.MetaData(naming_convention={"pk": "%(table_name)s_pkc"}),
    sa.Column("version_num", sa.String(32), primary_key=True),
)
"""Alembic's table, as Alembic makes it."""


class OlderSchemaError(StoreError):
    """The database is of an older version, and this process may not bring it up to date."""


def prepare(backend: Backend, *, for_play: bool) -> None:
    """Make a new database or bring the schema up to date, both only ``for_play``.

    Raises:
        StoreError: no database, another program's, or a database of a version that is too old or
            newer, or that may not be upgraded now: another process plays, or this one only reads.
    """
    with as_store_error(backend):
        if for_play:
            backend.make()
        revision = _revision(backend, create=for_play)
        if revision == HEAD:
            return
        refuse_older(backend.address, revision)
        if revision is not None:
            _check_may_upgrade(backend, revision, for_play=for_play)
        backend.before_upgrade()
        if revision is None:
            _make_tables(backend)
        else:
            _upgrade(backend)


def _check_may_upgrade(backend: Backend, revision: str, *, for_play: bool) -> None:
    if revision not in _KNOWN:
        raise StoreError(
            f"the database {backend.address} was made by a newer version of Polynya; "
            "install that one"
        )
    if not for_play:
        raise OlderSchemaError(
            f"the database {backend.address} was made by an older version of Polynya, and this "
            "command does not change it: stop the servers and tournaments that play into it, then "
            "'polynya db upgrade' brings it up to date"
        )


def _revision(backend: Backend, *, create: bool) -> str | None:
    with backend.reading.connect() as connection:
        tables = sa.inspect(connection).get_table_names()
        if _REVISION.name in tables:
            return connection.scalar(sa.select(_REVISION.c.version_num))
    if tables:
        raise StoreError(f"{backend.address} is not a database of Polynya; give another one")
    if not create:
        raise StoreError(f"there is nothing in the database {backend.address} yet")
    return None


def _make_tables(backend: Backend) -> None:
    with backend.engine.begin() as connection:
        if sa.inspect(connection).has_table(_REVISION.name):
            return  # another process has made them meanwhile
        metadata.create_all(connection)
        backend.announce_changes(connection)
        _REVISION.create(connection)
        connection.execute(sa.insert(_REVISION).values(version_num=HEAD))


def _upgrade(backend: Backend) -> None:
    # Imported here: it takes longer than everything else that a command does with a database.
    from alembic import command
    from alembic.config import Config

    configuration = Config()
    configuration.set_main_option("path_separator", "os")
    configuration.set_main_option("script_location", "polynya_store:migrations")
    with _ONE_AT_A_TIME, backend.engine.begin() as connection:
        configuration.attributes["connection"] = connection
        command.upgrade(configuration, "head")
