"""The fence that a server's writes pass: refused as soon as another server has taken over."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from polynya_common.errors import StoreError

_SESSION = "polynya_play_session"
_IDLE = "10s"


class FencedError(StoreError):
    """Another server has taken over: this one must write no more."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The epoch of a server that plays: the number of its play session, which only grows.

    Attributes:
        session: the number.
        database: where, for the sentence.
    """

    session: int
    database: str

    def enter(self, connection: sa.Connection, *, brief: bool = False) -> str:
        """Let a transaction write; the number by which :func:`was_committed` knows it.

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
        """The error of a server whose session was ended."""
        return FencedError(
            f"another server has taken over the contest of this one {self.database}, because it "
            "was stopped or its connection was lost for a while: this one writes no more and stops"
        )


def was_committed(connection: sa.Connection, number: str) -> bool:
    """Whether a transaction whose connection was lost at its end is in the database.

    A replica that took over from the server may have yet to give that number.
    """
    [row] = connection.exec_driver_sql(
        "SELECT CASE WHEN %s::xid8 < pg_snapshot_xmax(pg_current_snapshot()) "
        "THEN pg_xact_status(%s::xid8) END",
        (number, number),
    )
    return bool(row[0] == "committed")


def session_of(connection: sa.Connection) -> int | None:
    """The play session whose transaction this is; None where no fence is needed."""
    found: int | None = connection.get_execution_options().get(_SESSION)
    return found
