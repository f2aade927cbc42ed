"""Matches that a server left in play when it ended: void, so that they are played again."""

from __future__ import annotations

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.wall_clock import now_ms

VOID = "the server was stopped before the match had ended"


def void_in_play(
    connection: sa.Connection, which: sa.ColumnElement[bool], detail: str = VOID
) -> int:
    """Declare matches void that are in play; how many they were."""
    matches = schema.matches
    return connection.execute(
        sa.update(matches)
        .where(which, matches.c.reason.is_(None))
        .values(reason="aborted", detail=detail, finished_ms=now_ms())
    ).rowcount
