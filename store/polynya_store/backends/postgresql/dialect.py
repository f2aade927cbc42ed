"""SQLAlchemy's PostgreSQL made to hold what the store's tables hold in SQLite's files.

Text sorts by its code points for every language of the server, and has no longest length. JSON
is kept as the text that was written: its keys stay in their order, and equal texts are equal.
"""

from __future__ import annotations

import select
from typing import Any

import sqlalchemy as sa
from psycopg import Connection, Error
from psycopg.types.string import StrDumper, TextLoader
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.base import PGTypeCompiler
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

NAME = "postgresql+polynya"


class _Types(PGTypeCompiler):
    def visit_TEXT(self, type_: Any, **words: Any) -> str:  # noqa: ARG002, N802 - SQLAlchemy's form
        """Of a column with the order of code points; a cast cannot have one."""
        is_column = isinstance(words.get("type_expression"), sa.Column)
        return 'TEXT COLLATE "C"' if is_column else "TEXT"

    visit_VARCHAR = visit_JSON = visit_TEXT  # noqa: N815 - as above


class _JsonText(sa.JSON):
    """JSON as text: written and read as for a database that has no such type."""

    render_bind_cast = False


class Dialect(PGDialect_psycopg):
    """Found by SQLAlchemy under ``NAME``."""

    supports_statement_cache = True
    supports_native_json_serialization = False
    supports_native_json_deserialization = False
    type_compiler_cls = _Types

    def do_ping(self, dbapi_connection: Any) -> bool:
        """Whether the server has not closed it, without a message to it."""
        return is_open(dbapi_connection)

    colspecs = {**PGDialect_psycopg.colspecs, sa.JSON: _JsonText}  # noqa: RUF012 - SQLAlchemy's form


class _WithoutNul(StrDumper):
    """Text as PostgreSQL takes it: it has no code point 0, which a hostile bot may send."""

    def dump(self, obj: str) -> Any:
        """The text, with the replacement character instead."""
        return super().dump(obj.replace("\0", "\ufffd"))


def is_open(connection: Connection[Any]) -> bool:
    """Whether the server has not closed it: nothing comes on it that was not asked for."""
    if connection.closed:
        return False
    poll = select.poll()
    poll.register(connection.fileno(), select.POLLIN)
    if not poll.poll(0):
        return True
    try:
        connection.execute("SELECT 1")
    except Error:
        return False
    return True


def prepare_connection(connection: Connection[Any]) -> None:
    """Settings of a new connection's values."""
    connection.adapters.register_dumper(str, _WithoutNul)
    for kind in ("json", "jsonb"):  # of the server's own tables
        connection.adapters.register_loader(kind, TextLoader)


registry.register("postgresql.polynya", __name__, "Dialect")
