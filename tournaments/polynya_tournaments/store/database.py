"""The open database as repositories see it: a path, and transactions that read or write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from polynya_tournaments.errors import StoreError
from polynya_tournaments.store import database_file
from polynya_tournaments.store.database_errors import DatabaseGoneError, as_store_error


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
        self._file_id: tuple[int, int] | None = None

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A transaction that sees the database as it is now, and delays no writer.

        Raises:
            StoreError: the database cannot be read.
        """
        with as_store_error(self.path), self._reading.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that may write: durable when the block is left.

        Raises:
            StoreError: the database cannot be written.
        """
        with as_store_error(self.path), self.engine.begin() as connection:
            yield connection

    def remember_file(self) -> None:
        """From now on :meth:`check_file_unchanged` expects the file that is at the path now."""
        self._file_id = database_file.file_id(self.path)

    def check_file_unchanged(self) -> None:
        """Refuse to write into a file that has no name any more.

        A file that was removed or replaced while it is open can be written as before, and what is
        written is lost with it.

        Raises:
            DatabaseGoneError: the file is not there; it may come back.
            StoreError: another file has taken its place.
        """
        found = database_file.file_id(self.path)
        if found is None:
            raise DatabaseGoneError(f"the database {self.path} is gone; put the same file back")
        if found != self._file_id:
            raise StoreError(
                f"another file has taken the place of the database {self.path} while it was in "
                "use; start again with the right one"
            )
