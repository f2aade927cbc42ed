"""Poolers between a server and PostgreSQL: refused where sessions do not last."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import psycopg

from polynya_common.database_address import DatabaseUrl
from polynya_common.errors import StoreError

_TRIES = 3


def refuse_transaction_pooler(
    connect: Callable[[], psycopg.Connection[Any]], url: DatabaseUrl
) -> None:
    """Refuse a pooler that gives a session to one client for a transaction only.

    The lock of a server that plays belongs to a session, and would be a stranger's.

    Raises:
        StoreError: a setting of one connection is found in another one.
    """
    with connect() as first:
        if not _is_pooled(first):
            return
        for _ in range(_TRIES):
            word = secrets.token_hex(8)
            first.execute("SELECT set_config('polynya.probe', %s, false)", (word,))
            first.commit()
            with connect() as second:
                found = second.execute("SELECT current_setting('polynya.probe', true)").fetchone()
            if found == (word,):
                raise StoreError(
                    f"{url} leads to a connection pooler in transaction mode, in which no lock "
                    "lasts: connect to PostgreSQL itself, or set pool_mode = session"
                )


def _is_pooled(connection: psycopg.Connection[Any]) -> bool:
    """Whether something between has answered for the server: it tells another process."""
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    connection.commit()
    return row != (connection.info.backend_pid,)
