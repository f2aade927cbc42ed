"""Who may see the operator's pages: the hash of one token."""

from __future__ import annotations

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from polynya_tournaments.store import schema
from polynya_tournaments.store.bots.registered_bots import now_ms

NAME = "operator"


def claim(connection: sa.Connection, token_hash: bytes) -> bool:
    """Set the hash if there is none yet; whether it was set."""
    statement = insert(schema.operators).values(
        name=NAME, token_hash=token_hash, created_ms=now_ms()
    )
    return connection.execute(statement.on_conflict_do_nothing()).rowcount == 1


def replace(connection: sa.Connection, token_hash: bytes) -> None:
    """Set the hash, in place of one that may be there."""
    connection.execute(sa.delete(schema.operators))
    claim(connection, token_hash)


def token_hash(connection: sa.Connection) -> bytes | None:
    """The SHA-256 of the token; None before there is one."""
    table = schema.operators.c
    found: bytes | None = connection.scalar(sa.select(table.token_hash).where(table.name == NAME))
    return found
