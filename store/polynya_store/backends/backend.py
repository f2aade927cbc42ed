"""The interface of a kind of database: connections, errors, claims, and playing alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Protocol

import sqlalchemy as sa

from polynya_common.database_address import DatabaseAddress, DatabaseUrl
from polynya_common.errors import StoreError
from polynya_common.extras import require_packages
from polynya_common.reasons import Cause, Reason
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.backends.fence import Fence
from polynya_store.backends.sql import now_ms

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


VOID = Reason.of("server_stopped_before_end")


def void_in_play(
    connection: sa.Connection, which: sa.ColumnElement[bool], detail: Cause = VOID
) -> int:
    """Declare matches void that are in play; how many they were."""
    matches = schema.matches
    return connection.execute(
        sa.update(matches)
        .where(which, matches.c.reason.is_(None))
        .values(reason="aborted", detail=detail, finished_ms=now_ms())
    ).rowcount


class DatabaseGoneError(StoreError):
    """The database is away; it may come back."""


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
    """

    @property
    def fence(self) -> Fence | None:
        """See above."""

    @property
    def shared_descriptors(self) -> Sequence[int] | None:
        """See above."""

    def enter(self, connection: sa.Connection, claims: Sequence[str]) -> int:
        """Begin to play; how many matches were void that ended processes left in play.

        Args:
            connection: in a transaction that writes.
            claims: what this process alone plays, like ``the tournament autumn``.

        Raises:
            ClaimedError: another process plays one of them.
        """

    def claim(self, connection: sa.Connection, claim: str) -> None:
        """Play this, too; raises as :meth:`enter`."""

    def release(self, connection: sa.Connection, claim: str) -> None:
        """Let others play this."""

    def check(self) -> None:
        """Make sure that others still see this process play.

        Raises:
            DatabaseGoneError: the database cannot be reached; it may come back.
            StoreError: it was lost to another process.
        """

    def renew(self) -> None:
        """Say that this process is there, where others look for it; for every second or so.

        Raises:
            DatabaseGoneError: the database cannot be reached; it may come back.
            StoreError: another process has taken over.
        """

    def close(self) -> None:
        """Let others play; may be called twice."""


class News(Protocol):
    """Hears at once that tokens, suspensions or ratings of bots were changed, by any process."""

    def fileno(self) -> int:
        """A descriptor that can be read when there is something to :meth:`take`."""

    def take(self) -> None:
        """Take what has come.

        Raises:
            DatabaseGoneError: the connection is lost: what changes now is not heard.
        """

    def close(self) -> None:
        """Hear no more; may be called twice."""


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
        """Refuse an address where no database is or, with ``create``, can be.

        Raises:
            StoreError: the message names it.
        """

    def make(self) -> None:
        """Make a database without tables, unless there is one."""

    def is_missing(self) -> bool:
        """Whether there is no database yet that could be opened without being created."""

    def number(self, connection: sa.Connection) -> int:
        """A number that tells it and its copies from others; 0 before a process first played."""

    def before_upgrade(self) -> None:
        """Settings that the database keeps.

        Raises:
            StoreError: a server plays, which knows the present tables alone.
        """

    def announce_changes(self, connection: sa.Connection) -> None:
        """Let the database tell of changes to bots and ratings from now on, if it can.

        Args:
            connection: in the transaction that has made the tables.
        """

    def lock_for_play(self) -> Play:
        """Keep others from playing as far as can be said before the schema is up to date.

        Raises:
            ClaimedError: another process holds the whole database.
        """

    def holder(self, claims: Sequence[str]) -> str | None:
        """The process that plays one of these now, a sentence without its stop; None for none.

        It is a look only: a process that wants to play asks for the lock, and may be refused.
        """

    def listen(self) -> News | None:
        """Hear of such changes from now on; None where nothing tells of them.

        Raises:
            DatabaseGoneError: the database cannot be reached.
        """

    def remember(self) -> None:
        """From now on :meth:`check_in_place` expects the database that is there now."""

    def check_in_place(self) -> None:
        """Refuse to write where the result would be lost.

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
    """Refuse a database of a version whose tables are not read any more.

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
