"""SQLAlchemy's PostgreSQL made to hold what SQLite's files hold, and its errors in sentences.

Text sorts by its code points for every language of the server, and has no longest length. JSON
is kept as the text that was written: its keys stay in their order, and equal texts are equal.
"""

from __future__ import annotations

import re
import select
from collections.abc import Mapping
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import Connection, Error
from psycopg.types.string import StrDumper, TextLoader
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.base import PGTypeCompiler
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg

from polynya_common.database_address import DatabaseUrl

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
        """Whether the connection is open, without a message to the server."""
        return is_open(dbapi_connection)

    colspecs = {**PGDialect_psycopg.colspecs, sa.JSON: _JsonText}  # noqa: RUF012 - SQLAlchemy's form


class _WithoutNul(StrDumper):
    """Text without code point 0, which PostgreSQL refuses and a hostile bot may send."""

    def dump(self, obj: str) -> Any:
        """The text, with the replacement character instead."""
        return super().dump(obj.replace("\0", "\ufffd"))


def is_open(connection: Connection[Any]) -> bool:
    """Whether the connection is open; a query finds out if an idle one is readable."""
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
    """Register the adapters of a new connection's values."""
    connection.adapters.register_dumper(str, _WithoutNul)
    for kind in ("json", "jsonb"):  # of the server's own tables
        connection.adapters.register_loader(kind, TextLoader)


registry.register("postgresql.polynya", __name__, "Dialect")


_AWAY = "the database {url} cannot be reached; look whether its server runs"
_TRANSIENT: Mapping[str, str] = {
    "08": _AWAY,
    "57014": "the server of the database {url} has cancelled a statement",
    "57P": _AWAY,
    "25P03": _AWAY,
    "55P03": "another program keeps the database {url} locked",
    "40": "another program keeps the database {url} locked",
    "53100": "there is no space left for the database {url}; free some on its server",
    "53300": "the server of the database {url} has too many connections",
    "53": "the server of the database {url} is short of memory, disk or connections",
    "58": "the disk of the database {url} failed to read or write",
    "25006": "the database {url} takes no writes: its server is a standby, or read-only",
}
_LASTING: Mapping[str, str] = {
    "28": "the server refuses the user or the password of {url}; look at ~/.pgpass, PGPASSWORD "
    "and the server's pg_hba.conf",
    "role": "the server of {url} knows no such user: 'createuser' makes one; a URL without a user "
    "means the one of this system's account",
    "3D000": "the server has no database {url}: 'createdb' makes one",
    "42501": "the user of {url} may not do this; it has to own the database, or its tables",
    "XX001": "the database {url} is damaged; restore it from a backup",
}
_REFUSALS: Mapping[str, str] = {
    r'role ".*" does not exist': "role",
    "authentication failed|no password supplied|no pg_hba.conf entry|not permitted to log in": "28",
    r'database ".*" does not exist': "3D000",
    "permission denied for database": "42501",
    "too many connections|too many clients": "53300",
    "session is (not read-write|read-only)": "25006",
}
"""The kinds of refusals before there is a connection, by words of theirs."""

_ALL = {**_TRANSIENT, **_LASTING}


def _kind(error: BaseException | None) -> str | None:
    """The longest beginning of the error's SQLSTATE that is known."""
    state = getattr(error, "sqlstate", None)
    if state is None:
        # Without a state the server has not answered: no connection, or none any more.
        return "08" if isinstance(error, psycopg.OperationalError) else None
    return next((state[:n] for n in (5, 3, 2) if state[:n] in _ALL), None)


def is_transient(error: BaseException | None) -> bool:
    """Whether the same write may succeed later: away, locked or full."""
    return _kind(error) in _TRANSIENT


def sentence(error: BaseException | None, url: DatabaseUrl) -> str:
    """The error in a sentence for the host; never with a password in it."""
    text = str(error).replace(url.secret, str(url)).strip()
    if getattr(error, "sqlstate", None) is None and isinstance(error, psycopg.OperationalError):
        return _ALL[_unanswered(text)].format(url=url) + _why(text)
    kind = _kind(error)
    return _ALL[kind].format(url=url) if kind else f"the database {url} failed: {_first(text)}"


def _unanswered(text: str) -> str:
    """The kind of an error without SQLSTATE, by the server's words while connecting."""
    return next((kind for words, kind in _REFUSALS.items() if re.search(words, text)), "08")


def _why(text: str) -> str:
    return f" ({_first(text)})" if text else ""


def _first(text: str) -> str:
    return text.splitlines()[0].removeprefix("connection failed: ") if text else ""
