"""A connection on which PostgreSQL tells of changes: see ``migrations/announcements.py``."""

from __future__ import annotations

from typing import Any

import psycopg

from polynya_common.database_address import DatabaseUrl
from polynya_store.backends.backend import DatabaseGoneError
from polynya_store.backends.postgresql import errors


class PostgreSQLNews:
    """Implements ``News``.

    Args:
        connection: for nothing else.
        url: for sentences.
    """

    def __init__(self, connection: psycopg.Connection[Any], url: DatabaseUrl) -> None:
        self._connection = connection
        self._url = url
        connection.autocommit = True
        connection.execute("LISTEN polynya_changes")

    def fileno(self) -> int:
        """Of its socket."""
        return self._connection.fileno()

    def take(self) -> None:
        """Take all that has come; a transaction sends one notification for all its changes."""
        try:
            for _ in self._connection.notifies(timeout=0):
                pass
        except psycopg.Error as error:
            raise DatabaseGoneError(errors.sentence(error, self._url)) from error

    def close(self) -> None:
        """End the connection."""
        self._connection.close()
