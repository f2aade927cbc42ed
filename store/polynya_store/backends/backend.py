"""The interface of a kind of database: connections, errors, claims, and the fence of writes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import sqlalchemy as sa

from polynya_common.database_address import DatabaseAddress, DatabaseUrl
from polynya_common.errors import StoreError
from polynya_common.extras import require_packages
from polynya_common.reasons import Cause, Reason
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.backends.sql import now_ms

CLAIM_S = 15
"""A server that was silent for this long has lost what it plays: another one may take over."""

_SESSION = "polynya_play_session"
_IDLE = "10s"


class FencedError(StoreError):
    """Another server has taken over; this one must not write any more."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The fence of a server's writes: the number of its play session, which only grows.

    Attributes:
        session: the number.
        database: where, for the sentence.
    """

    session: int
    database: str

    def enter(self, connection: sa.Connection, *, brief: bool = False) -> str:
        """Let a transaction write; return the number that :func:`was_committed` takes.

        Args:
            connection: in the transaction.
            brief: whether the server ends it when nothing comes for ``_IDLE``: all servers wait
                for the lock that the transaction of a process that stands still would hold.

        Raises:
            FencedError: the session was ended by another server.
        """
        [row] = connection.exec_driver_sql(
            "SELECT pg_current_xact_id()::text, "
            "EXISTS (SELECT FROM play_sessions WHERE id = %s AND ended_ms IS NULL), "
            "set_config('idle_in_transaction_session_timeout', %s, true)",
            (self.session, _IDLE if brief else "0"),
        )
        if not row[1]:
            raise self.taken_over()
        connection.execution_options(**{_SESSION: self.session})
        return str(row[0])

    def taken_over(self) -> FencedError:
        """The error of a server whose session another one has ended."""
        return FencedError(
            f"another server has taken over the contest of this one {self.database}, because it "
            "was stopped or its connection was lost for a while: this one writes no more and stops"
        )


def was_committed(connection: sa.Connection, number: str) -> bool:
    """Whether a transaction that lost its connection while committing is in the database.

    A replica that took over from the server may have yet to give that number.
    """
    [row] = connection.exec_driver_sql(
        "SELECT CASE WHEN %s::xid8 < pg_snapshot_xmax(pg_current_snapshot()) "
        "THEN pg_xact_status(%s::xid8) END",
        (number, number),
    )
    return bool(row[0] == "committed")


def session_of(connection: sa.Connection) -> int | None:
    """The play session of a transaction; None without a fence."""
    found: int | None = connection.get_execution_options().get(_SESSION)
    return found


EVERYTHING = ("everything",)
"""The claim of a process that plays alone in its database."""


def tournament_claim(name: str) -> str:
    """A tournament: its matches are drawn and played by one server."""
    return f"the tournament {name}"


def ladder_claim(pool: Pool) -> str:
    """A ladder: the bots of a rating pool are paired by one server."""
    options = f", {pool.variant}" if pool.variant else ""
    return (
        f"the ladder of {pool.game} for {pool.players} players "
        f"({pool.clock_class}{options}, rated by {pool.system})"
    )


def game_of_ladder(claim: str) -> str | None:
    """The game of a :func:`ladder_claim`; None for other claims."""
    found = re.match(r"the ladder of (\S+) for ", claim)
    return found and found[1]


VOID = Reason.of("server_stopped_before_end")


def void_in_play(
    connection: sa.Connection, which: sa.ColumnElement[bool], detail: Cause = VOID
) -> int:
    """Void matches in play; return their number."""
    matches = schema.matches
    return connection.execute(
        sa.update(matches)
        .where(which, matches.c.reason.is_(None))
        .values(reason="aborted", detail=detail, finished_ms=now_ms())
    ).rowcount


class DatabaseGoneError(StoreError):
    """The database cannot be reached; it may come back."""


class ClaimedError(StoreError):
    """Another process plays what is claimed.

    Attributes:
        who: who plays it, in words without an advice.
    """

    def __init__(self, who: str, advice: str) -> None:
        super().__init__(f"{who}{advice}")
        self.who = who


class Play(Protocol):
    """The right to play into a database, held by one process until it is closed or ends.

    Attributes:
        fence: what transactions pass before they write; None where the lock alone is enough.
        shared_descriptors: what a writer process has to inherit; None if there can be none.
        is_awaited: whether another process stood by at the last :meth:`renew`.
    """

    is_awaited: bool

    @property
    def fence(self) -> Fence | None:
        """See above."""

    @property
    def shared_descriptors(self) -> Sequence[int] | None:
        """See above."""

    def enter(self, connection: sa.Connection, claims: Sequence[str]) -> int:
        """Begin to play: void matches that ended processes left in play; return their number.

        Args:
            connection: in a transaction that writes.
            claims: what this process alone plays, like ``the tournament autumn``.

        Raises:
            ClaimedError: another process plays one of them.
        """

    def claim(self, connection: sa.Connection, claim: str) -> None:
        """Claim one more tournament or ladder; raises as :meth:`enter`."""

    def release(self, connection: sa.Connection, claim: str) -> None:
        """Give a claim up."""

    def check(self) -> None:
        """Check that this process still holds its right to play.

        Raises:
            DatabaseGoneError: the database cannot be reached; it may come back.
            StoreError: it was lost to another process.
        """

    def renew(self) -> None:
        """Renew the sign of life of this process; to be called about every second.

        Raises:
            DatabaseGoneError: the database cannot be reached; it may come back.
            StoreError: another process has taken over.
        """

    def close(self) -> None:
        """Release the right to play; may be called twice."""


class HolderWatch(Protocol):
    """Looks, for a process on standby, for the process that plays, and lets that one know."""

    def look(self) -> str | None:
        """The process that plays, as a sentence without full stop; None for none.

        Raises:
            StoreError: the database cannot be read.
        """

    def close(self) -> None:
        """Stop waiting; may be called twice."""


class News(Protocol):
    """Notifications of changed tokens, suspensions or ratings, from any process."""

    def fileno(self) -> int:
        """A descriptor that becomes readable when there are notifications to :meth:`take`."""

    def take(self) -> None:
        """Take all notifications.

        Raises:
            DatabaseGoneError: the connection is lost: what changes now is not heard.
        """

    def close(self) -> None:
        """Stop listening; may be called twice."""


class Backend(Protocol):
    """One database.

    Attributes:
        address: where it is; as text without a password.
        engine: its connections, in whose transactions one writes at a time.
        reading: the same for transactions that see one moment, and wait for no writer.
    """

    @property
    def address(self) -> DatabaseAddress:
        """See above."""

    @property
    def engine(self) -> sa.Engine:
        """See above."""

    @property
    def reading(self) -> sa.Engine:
        """See above."""

    def check(self, *, create: bool) -> None:
        """Refuse an address without a database or, with ``create``, without a place for one.

        Raises:
            StoreError: the message names it.
        """

    def make(self) -> None:
        """Create a database without tables, unless one exists."""

    def is_missing(self) -> bool:
        """Whether the database does not exist yet."""

    def number(self, connection: sa.Connection) -> int:
        """A number that identifies the database and its copies; 0 before a process first played."""

    def before_upgrade(self) -> None:
        """Set lasting settings of the database.

        Raises:
            StoreError: a server plays, which knows the present tables alone.
        """

    def announce_changes(self, connection: sa.Connection) -> None:
        """Make the database notify of changes to bots and ratings, if it can.

        Args:
            connection: in the transaction that has made the tables.
        """

    def lock_for_play(self) -> Play:
        """Keep others from playing, as far as possible before the schema is up to date.

        Raises:
            ClaimedError: another process holds the whole database.
        """

    def holder(self, claims: Sequence[str]) -> str | None:
        """The process that plays one of these now, as a sentence without full stop; None for none.

        It is a look only: a process that wants to play asks for the lock, and may be refused.
        """

    def stand_by(self, claims: Sequence[str]) -> HolderWatch:
        """Wait for the process that plays one of these; see :meth:`holder`."""

    def listen(self) -> News | None:
        """Listen for such changes; None if the database does not notify.

        Raises:
            DatabaseGoneError: the database cannot be reached.
        """

    def remember(self) -> None:
        """Remember the present database for :meth:`check_in_place`."""

    def check_in_place(self) -> None:
        """Refuse to write into a database that was moved or replaced.

        Raises:
            DatabaseGoneError: the database is not there; it may come back.
            StoreError: another one has taken its place.
        """

    def is_transient(self, error: Exception) -> bool:
        """Whether the same write may succeed later: locked, full, or gone for a while."""

    def sentence(self, error: Exception) -> str:
        """The error in a sentence for the host."""


_REVISION_OF_0_2_0 = re.compile("00[0-9]{2}")


def refuse_older(address: DatabaseAddress, revision: str | None) -> None:
    """Refuse a database of a version that is no longer supported.

    Args:
        address: where it is, for the sentence.
        revision: of its tables; None for a database without tables.

    Raises:
        StoreError: the message names the release that reads it.
    """
    if revision is not None and _REVISION_OF_0_2_0.fullmatch(revision):
        raise StoreError(
            f"{address} was written by Polynya 0.2.0 or older. This version reads databases of "
            "0.3.0 and later. Use Polynya 0.2.0 for it, or begin a new database."
        )


def open_backend(address: DatabaseAddress, *, durable: bool = True) -> Backend:
    """The database at an address; nothing is opened yet.

    Raises:
        TournamentError: a package that it needs is not installed; the message says what to do.
    """
    # Imported here: most commands need one of them, and each takes its time.
    if isinstance(address, DatabaseUrl):
        require_packages("psycopg")
        from polynya_store.backends.postgresql.backend import PostgreSQLBackend

        return PostgreSQLBackend(address, durable=durable)
    from polynya_store.backends.sqlite.backend import SQLiteBackend

    return SQLiteBackend(address, durable=durable)
