"""The token that opens the operator's pages: its hash in the database."""

from __future__ import annotations

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.backends.sql import COUNTED, upsert
from polynya_store.database import Database
from polynya_store.wall_clock import now_ms

NAME = "operator"


class OperatorToken:
    """At most one token is valid at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def claim(self, token_hash: bytes) -> bool:
        """Let the token with this hash open the operator's pages; False if another one does."""
        with self._database.writing() as connection:
            return _claim(connection, token_hash)

    def replace(self, token_hash: bytes) -> None:
        """Let the token with this hash open the operator's pages, and no earlier one."""
        with self._database.writing() as connection:
            connection.execute(sa.delete(schema.operators))
            _claim(connection, token_hash)

    def token_hash(self) -> bytes | None:
        """SHA-256 of the token that opens the operator's pages; None before there is one."""
        table = schema.operators.c
        with self._database.reading() as connection:
            found: bytes | None = connection.scalar(
                sa.select(table.token_hash).where(table.name == NAME)
            )
        return found


def _claim(connection: sa.Connection, token_hash: bytes) -> bool:
    statement = (
        upsert(schema.operators)
        .inline()
        .values(name=NAME, token_hash=token_hash, created_ms=now_ms())
    )
    claimed = connection.execute(statement.on_conflict_do_nothing(), execution_options=COUNTED)
    return claimed.rowcount == 1
