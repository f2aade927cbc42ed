"""A database on a PostgreSQL server: connections and settings, poolers, and news of changes."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import psycopg
import sqlalchemy as sa

from polynya_common.database_address import DatabaseUrl
from polynya_common.errors import StoreError
from polynya_store.backends import play_session
from polynya_store.backends.backend import EVERYTHING, DatabaseGoneError
from polynya_store.backends.play_session import PlaySession, first_session_number
from polynya_store.backends.postgresql import dialect
from polynya_store.backends.postgresql.holder_watch import PostgreSQLWatch

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
    """Whether a pooler answers for the server: it names another process."""
    row = connection.execute("SELECT pg_backend_pid()").fetchone()
    connection.commit()
    return row != (connection.info.backend_pid,)


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
        """Take all notifications; a transaction sends one for all its changes."""
        try:
            for _ in self._connection.notifies(timeout=0):
                pass
        except psycopg.Error as error:
            raise DatabaseGoneError(dialect.sentence(error, self._url)) from error

    def close(self) -> None:
        """End the connection."""
        self._connection.close()


WRITE_LOCK = (0x706F6C79, 0)
"""The advisory lock of the transaction that writes; play sessions have theirs beside it."""

_BEGIN_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY"
# The next statement sees the writes of the lock's last holder: each statement has its own snapshot.
_BEGIN_WRITING = "BEGIN; SELECT pg_advisory_xact_lock({}, {})".format(*WRITE_LOCK)
_LOCK_TIMEOUT = "5s"
_CONNECTION: Mapping[str, Any] = {
    "connect_timeout": 5,
    # A server that has vanished from the network is noticed within about ten seconds.
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "polynya",
}
_ENCODING = "UTF8"
"""Bots send any text: in another encoding a match with it could not be recorded."""

# A time limit of the server's or the role's would cut off a write that waits, and lose its result.
_SET = (
    "SELECT set_config('lock_timeout', %s, false), set_config('synchronous_commit', "
    "CASE WHEN %s THEN CASE current_setting('synchronous_commit') WHEN 'off' THEN 'on' "
    "ELSE current_setting('synchronous_commit') END ELSE 'off' END, false), "
    "(SELECT count(set_config(name, '0', false)) FROM pg_settings WHERE name IN "
    "('statement_timeout', 'transaction_timeout', 'idle_session_timeout', "
    "'idle_in_transaction_session_timeout'))"
)
_READING = "polynya_reading"


_ANNOUNCED = {
    "bots": "INSERT OR DELETE OR UPDATE OF token_hash, revoked_ms, suspended_ms, resumed_ms",
    "interventions": "INSERT",
}
"""The changes that notify servers, by table."""


class PostgreSQLBackend:
    """Implements ``Backend``.

    Args:
        url: the database.
        durable: whether a commit waits for the disk; False if nothing reads the database later.
    """

    def __init__(self, url: DatabaseUrl, *, durable: bool = True) -> None:
        self.address = url
        self._durable = durable
        self.engine = sa.create_engine(
            f"{dialect.NAME}://",
            creator=self.connect,
            paramstyle="format",  # by position, as the store's compiled statements
            pool_pre_ping=True,
        )
        sa.event.listen(self.engine, "begin", _begin)
        self.reading = self.engine.execution_options(**{_READING: True})

    def connect(self) -> psycopg.Connection[Any]:
        """A new connection.

        Raises:
            StoreError: the database cannot hold every text.
        """
        given = psycopg.conninfo.conninfo_to_dict(self.address.secret)
        settings = {**_CONNECTION, **_of_several_hosts(given)}
        defaults = {key: value for key, value in settings.items() if key not in given}
        connection = psycopg.connect(
            self.address.secret, **defaults, client_encoding=_ENCODING, autocommit=True
        )
        encoding = connection.info.parameter_status("server_encoding")
        if encoding != _ENCODING:
            connection.close()
            raise StoreError(
                f"the database {self.address} has the encoding {encoding}, and {_ENCODING} is "
                "needed: make another one with 'createdb --encoding UTF8 --locale C "
                "--template template0 NAME'"
            )
        dialect.prepare_connection(connection)
        connection.execute(_SET, (_LOCK_TIMEOUT, self._durable))
        return connection

    def check(self, *, create: bool) -> None:  # noqa: ARG002 - a database is made by its server
        """Refuse a server that cannot be reached, or one behind a pooler that mixes sessions."""
        try:
            refuse_transaction_pooler(self.connect, self.address)
        except psycopg.Error as error:
            raise StoreError(self.sentence(error)) from error

    def is_missing(self) -> bool:
        """Whether there are no tables yet."""
        with self.reading.connect() as connection:
            return not sa.inspect(connection).get_table_names()

    def make(self) -> None:
        """Do nothing: the host creates the database, with ``createdb``."""

    def number(self, connection: sa.Connection) -> int:
        """Derived from the first play session, whose row stays, also in a dump."""
        return first_session_number(connection)

    def before_upgrade(self) -> None:
        """Refuse while a server plays: it knows only the present tables."""
        who = self.holder(EVERYTHING)
        if who is not None:
            raise StoreError(
                f"{who}, with an older version of Polynya: stop it first; this version brings the "
                f"database {self.address} up to date when it is started then"
            )

    def announce_changes(self, connection: sa.Connection) -> None:
        """Create triggers that notify ``polynya_changes`` once a transaction."""
        connection.exec_driver_sql(
            "CREATE FUNCTION polynya_changed() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_notify('polynya_changes', ''); RETURN NULL; END $$"
        )
        for table, events in _ANNOUNCED.items():
            connection.exec_driver_sql(
                f"CREATE TRIGGER {table}_changed AFTER {events} ON {table} "
                "FOR EACH ROW EXECUTE FUNCTION polynya_changed()"
            )

    def listen(self) -> PostgreSQLNews:
        """On a connection of its own."""
        try:
            return PostgreSQLNews(self.connect(), self.address)
        except psycopg.Error as error:
            raise DatabaseGoneError(self.sentence(error)) from error

    def holder(self, claims: Sequence[str]) -> str | None:
        """The process whose session claims one of these, a sentence without its stop, or None."""
        with self.reading.connect() as connection:
            found = play_session.holder(connection, claims)
        return found and found[1]

    def stand_by(self, claims: Sequence[str]) -> PostgreSQLWatch:
        """Look on a connection of its own."""
        return PostgreSQLWatch(self.reading, claims, self.sentence)

    def lock_for_play(self) -> PlaySession:
        """A session that is not begun yet."""
        return PlaySession(self.address, self.connect)

    def remember(self) -> None:
        """Do nothing: a database on a server is not replaced unnoticed."""

    def check_in_place(self) -> None:
        """Do nothing, for the same reason."""

    def is_transient(self, error: Exception) -> bool:
        """See :mod:`~polynya_store.backends.postgresql.dialect`."""
        if isinstance(error, sa.exc.DBAPIError):
            return dialect.is_transient(error.orig)
        if isinstance(error, psycopg.Error):
            return dialect.is_transient(error)
        return isinstance(error, DatabaseGoneError)

    def sentence(self, error: Exception) -> str:
        """See :mod:`~polynya_store.backends.postgresql.dialect`."""
        if isinstance(error, sa.exc.DBAPIError):
            return dialect.sentence(error.orig, self.address)
        if isinstance(error, psycopg.Error):
            return dialect.sentence(error, self.address)
        return str(error)


def _of_several_hosts(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings for a database with several hosts: it is at the host that takes writes.

    After a failover the first host may come back as a standby. A choice by libpq's variable stays.
    """
    hosts = (given.get(key) or os.environ.get(f"PG{key.upper()}") for key in ("host", "hostaddr"))
    is_chosen = "PGTARGETSESSIONATTRS" in os.environ
    if is_chosen or not any("," in str(one) for one in hosts if one):
        return {}
    return {"target_session_attrs": "read-write"}


def _begin(connection: sa.Connection) -> None:
    """Begin a transaction and take the write lock, in one message to the server."""
    only_reading = connection.get_execution_options().get(_READING, False)
    connection.exec_driver_sql(_BEGIN_READING if only_reading else _BEGIN_WRITING)
