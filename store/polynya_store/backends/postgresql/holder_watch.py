"""A process on standby as the server that plays sees it: a lock on a connection that it keeps."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from polynya_common.errors import StoreError
from polynya_store.backends import play_session


class PostgreSQLWatch:
    """Implements ``HolderWatch``.

    Args:
        engine: makes the connection; its transactions only read.
        claims: what is waited for.
        sentence: an error in words.
    """

    def __init__(
        self, engine: sa.Engine, claims: Sequence[str], sentence: Callable[[Exception], str]
    ) -> None:
        self._engine = engine
        self._claims = claims
        self._sentence = sentence
        self._connection: sa.Connection | None = None
        self._awaited: int | None = None

    def look(self) -> str | None:
        """The process that plays; it sees from now on that this one waits for it."""
        try:
            return self._look()
        except sa.exc.DBAPIError as error:
            self.close()
            raise StoreError(self._sentence(error)) from error

    def _look(self) -> str | None:
        if self._connection is None:
            self._connection = self._engine.connect()
            with self._connection.begin():
                self._connection.exec_driver_sql(play_session.KEEPALIVES)
        with self._connection.begin():
            found = play_session.holder(self._connection, self._claims)
            if found is None:
                return None
            number, who = found
            if number != self._awaited:
                play_session.wait_for(self._connection, number)
                self._awaited = number
        return who

    def close(self) -> None:
        """End the connection, and the lock with it."""
        if self._connection is not None:
            self._connection.invalidate()
            self._connection.close()
        self._connection = self._awaited = None
