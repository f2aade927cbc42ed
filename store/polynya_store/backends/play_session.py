"""The right to play into a database of a PostgreSQL server, where several servers may play.

Each has a session with a number, which only grows, and claims what it plays alone: a ladder, or a
tournament. The session holds an advisory lock, which ends with its connection, and says every
second that it is there, as long as its server runs. Another server that finds a session without its
lock, or a silent session, ends it, and declares void the matches it left in play. A transaction
that writes passes the session's fence, so a server that was away for a while cannot write beside
the server that has taken over.

A process on standby holds a shared advisory lock with the number of the session that it waits for.
The server of that session finds it with each sign of life: if it is cut off then, it leaves its
bots to the other one.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import zlib
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
import sqlalchemy as sa

from polynya_common.database_address import DatabaseUrl
from polynya_common.text import join_words, moment
from polynya_store import schema
from polynya_store.backends.backend import (
    CLAIM_S,
    EVERYTHING,
    ClaimedError,
    DatabaseGoneError,
    Fence,
    void_in_play,
)
from polynya_store.backends.postgresql import dialect
from polynya_store.backends.postgresql.dialect import is_open
from polynya_store.backends.sql import POSTGRESQL_CLOCK_MS, now_ms

_LOCKS = 0x706F6C7A
"""The first key of the sessions' locks; the second is the session's number."""

_WAITING = 0x706F6C77
"""The first key of the locks of processes on standby; the second is the awaited session's."""

# The server lets go of the lock of a machine that has vanished within about ten seconds.
KEEPALIVES = (
    "SELECT set_config('tcp_keepalives_idle', '5', false), "
    "set_config('tcp_keepalives_interval', '2', false), "
    "set_config('tcp_keepalives_count', '3', false)"
)
_SILENT_MS = CLAIM_S * 1000

_GRACE_MS = 3_000
"""A server whose lock was cut takes it again within this time, unless it is gone."""

_CLOSE_S = 1.0
"""How long the end of a session waits for the last sign of life."""

_NOW = POSTGRESQL_CLOCK_MS
_LOCKED = (
    "SELECT FROM pg_locks WHERE locktype = 'advisory' AND granted AND classid = %s "
    "AND objid = play_sessions.id AND objsubid = 2 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_RENEW = (
    f"UPDATE play_sessions SET seen_ms = {_NOW} "  # noqa: S608 - our own words
    f"WHERE id = %s AND ended_ms IS NULL RETURNING EXISTS ({_LOCKED})"
)
_END = "UPDATE play_sessions SET ended_ms = %s WHERE id = %s AND ended_ms IS NULL"
_HAS_TABLES = "SELECT to_regclass('play_sessions') IS NOT NULL"
_TABLE = schema.play_sessions


class PlaySession:
    """Implements ``Play``: a row in ``play_sessions``, and the lock that says it is alive.

    Args:
        url: the database.
        connect: makes a connection to it.
    """

    fence: Fence | None = None
    shared_descriptors: Sequence[int] | None = ()
    is_awaited = False

    def __init__(self, url: DatabaseUrl, connect: Callable[[], psycopg.Connection[Any]]) -> None:
        self._url = url
        self._connect = connect
        self._number: int | None = None
        self._lock: psycopg.Connection[Any] | None = None
        self._one = threading.Lock()
        self._closed = False

    def enter(self, connection: sa.Connection, claims: Sequence[str]) -> int:
        """Begin a session, and end those of dead servers."""
        voided = self._end_dead(connection)
        _refuse_claimed(connection, claims, None)
        inserted = connection.execute(
            sa.insert(_TABLE).values(holder=_holder(), claims=list(claims), began_ms=now_ms())
        )
        (number,) = inserted.inserted_primary_key or (0,)
        self._number = int(number)
        self.check()
        fence = Fence(self._number, str(self._url))
        fence.enter(connection)
        self.fence = fence
        return voided

    def _end_dead(self, connection: sa.Connection) -> int:
        """End dead sessions and void the matches that they left in play; return their number."""
        for row in _living(connection):
            if row.id == self._number:
                continue
            gone = connection.exec_driver_sql(
                f"SELECT {_NOW} - %s > {_SILENT_MS} OR pg_try_advisory_xact_lock(%s, %s)",
                (row.seen_ms, _LOCKS, row.id),
            )
            if gone.scalar_one():
                _end(connection, row.id)
        ended = sa.select(_TABLE.c.id).where(_TABLE.c.ended_ms.is_not(None))
        of_match = schema.matches.c.session_id
        return void_in_play(connection, sa.or_(of_match.is_(None), of_match.in_(ended)))

    def claim(self, connection: sa.Connection, claim: str) -> None:
        """Claim one more tournament or ladder."""
        self._end_dead(connection)
        _refuse_claimed(connection, [claim], self._number)
        self._set_claims(connection, [*self._claims(connection), claim])

    def release(self, connection: sa.Connection, claim: str) -> None:
        """Give a claim up."""
        kept = [one for one in self._claims(connection) if one != claim]
        self._set_claims(connection, kept)

    def _claims(self, connection: sa.Connection) -> list[str]:
        of_it = sa.select(_TABLE.c.claims).where(_TABLE.c.id == self._number)
        return list(connection.scalar(of_it) or ())

    def _set_claims(self, connection: sa.Connection, claims: Sequence[str]) -> None:
        changed = sa.update(_TABLE).where(_TABLE.c.id == self._number)
        connection.execute(changed.values(claims=list(claims)))

    def check(self) -> None:
        """Check that the lock is held: its connection may have been cut."""
        with self._one:
            if self._closed or (self._lock is not None and is_open(self._lock)):
                return
            try:
                self._lock = self._locked()
            except psycopg.Error as error:
                raise DatabaseGoneError(dialect.sentence(error, self._url)) from error

    def _locked(self) -> psycopg.Connection[Any]:
        connection = self._connect()
        try:
            connection.autocommit = True
            connection.execute(KEEPALIVES.encode())
            connection.execute("SET synchronous_commit = off")  # of no use after a crash
            self._hold(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _hold(self, connection: psycopg.Connection[Any]) -> None:
        taken = connection.execute(
            "SELECT pg_try_advisory_lock(%s, %s)", (_LOCKS, self._number)
        ).fetchone()
        if taken != (True,):
            raise DatabaseGoneError(
                f"the server of {self._url} has not noticed yet that a connection was lost"
            )

    def renew(self) -> None:
        """Renew the sign of life, on the lock's connection."""
        self.check()
        with self._one:
            if self._closed or self._lock is None:
                return
            try:
                renewed = self._lock.execute(_RENEW.encode(), (self._number, _WAITING)).fetchone()
            except psycopg.Error as error:
                raise DatabaseGoneError(dialect.sentence(error, self._url)) from error
        if renewed is None and self.fence is not None:
            raise self.fence.taken_over()
        self.is_awaited = renewed == (True,)

    def close(self) -> None:
        """End the session; a server that cannot be reached finds out by the lock."""
        self._closed = True
        if not self._one.acquire(timeout=_CLOSE_S):
            return  # a thread waits for a server that does not answer
        try:
            if self._lock is not None and not self._lock.closed:
                with contextlib.suppress(psycopg.Error):
                    self._lock.execute(_END.encode(), (now_ms(), self._number))
                self._lock.close()
        finally:
            self._one.release()


def first_session_number(connection: sa.Connection) -> int:
    """A number derived from the first session, unique to the database; 0 before it."""
    first = sa.select(_TABLE.c.holder, _TABLE.c.began_ms).order_by(_TABLE.c.id).limit(1)
    row = connection.execute(first).first()
    return 0 if row is None else zlib.crc32(f"{row.holder} {row.began_ms}".encode())


def wait_for(connection: sa.Connection, number: int) -> None:
    """Show the server of a session that this connection's process stands by, and no other."""
    connection.exec_driver_sql("SELECT pg_advisory_unlock_all()")
    connection.exec_driver_sql("SELECT pg_advisory_lock_shared(%s, %s)", (_WAITING, number))


def holder(connection: sa.Connection, claims: Sequence[str]) -> tuple[int, str] | None:
    """The living session that plays one of these, and its process in words; None for none.

    A server without its lock counts for a moment longer: it may take it again. A time that is yet
    to come was written before a restore, by another clock.

    Args:
        connection: in a transaction that only reads.
        claims: like ``the tournament autumn``.
    """
    if not connection.exec_driver_sql(_HAS_TABLES).scalar_one():
        return None
    rows = connection.exec_driver_sql(
        f"SELECT id, holder, claims, began_ms FROM play_sessions WHERE ended_ms IS NULL AND ("  # noqa: S608
        f"EXISTS ({_LOCKED}) AND coalesce({_NOW} - seen_ms < {_SILENT_MS}, true) "
        f"OR abs({_NOW} - seen_ms) < {_GRACE_MS}) ORDER BY id",
        (_LOCKS,),
    )
    for row in rows.all():
        told = _conflict(row.holder, json.loads(row.claims), row.began_ms, claims)
        if told is not None:
            return row.id, told
    return None


def _holder() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _living(connection: sa.Connection) -> Sequence[sa.Row[Any]]:
    return connection.execute(
        sa.select(_TABLE).where(_TABLE.c.ended_ms.is_(None)).order_by(_TABLE.c.id)
    ).all()


def _end(connection: sa.Connection, number: int) -> None:
    connection.execute(sa.update(_TABLE).where(_TABLE.c.id == number).values(ended_ms=now_ms()))


def _refuse_claimed(connection: sa.Connection, claims: Sequence[str], own: int | None) -> None:
    """Refuse what another living session claims; ``EVERYTHING`` excludes all others."""
    for row in _living(connection):
        if row.id == own:
            continue
        conflict = _conflict(row.holder, row.claims, row.began_ms, claims)
        if conflict is not None:
            raise ClaimedError(conflict, ": wait for it, or stop it")


def _conflict(who: str, theirs: Sequence[str], began_ms: int, claims: Sequence[str]) -> str | None:
    """Describe a session that plays one of ``claims``; None if it does not."""
    common = [claim for claim in claims if claim in theirs]
    if not common and set(EVERYTHING).isdisjoint({*claims, *theirs}):
        return None
    what = [claim for claim in common or theirs if claim not in EVERYTHING]
    return (
        f"{who} plays {join_words(what) if what else 'into the database'} since {moment(began_ms)}"
    )
