"""The open database as repositories see it: a path, and transactions that read or write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from polynya_tournaments.store import database_file
from polynya_tournaments.store.failures import explained


class Database:
    """Transactions on one SQLite file.

    Attributes:
        path: the file.
        engine: makes its connections; transactions begin with the write lock taken.
    """

    def __init__(self, path: Path, engine: sa.Engine) -> None:
        self.path = path
        self.engine = engine
        self._reading = database_file.reading(engine)

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that sees the database as it is now, and delays no writer.

        Raises:
            StoreError: the database cannot be read.
        """
        with explained(self.path), self._reading.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that may write: durable when the block is left.

        Raises:
            StoreError: the database cannot be written.
        """
        with explained(self.path), self.engine.begin() as connection:
            yield connection
