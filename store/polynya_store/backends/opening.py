"""The kind of database that an address means."""

from __future__ import annotations

from polynya_common.database_address import DatabaseAddress, DatabaseUrl
from polynya_common.extras import require_packages
from polynya_store.backends.backend import Backend


def open_backend(address: DatabaseAddress, *, durable: bool = True) -> Backend:
    """The database at an address; nothing is opened yet.

    Raises:
        TournamentError: a package that it needs is not installed; the message says what to do.
    """
    # Imported here: most commands need one of them, and each takes its time.
    if isinstance(address, DatabaseUrl):
        require_packages("psycopg")
        from polynya_store.backends.postgresql.backend import PostgreSQLBackend

        return PostgreSQLBackend(address, durable=durable)
    from polynya_store.backends.sqlite.backend import SQLiteBackend

    return SQLiteBackend(address, durable=durable)
