"""Replays of ladder matches that are removed when they are old; results and ratings stay."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.database import Database

_IN_TRANSACTION = 200
"""A server that writes meanwhile waits for one transaction at most."""


@dataclass(frozen=True, slots=True)
class OldReplays:
    """Replays that can be removed.

    Attributes:
        replays: how many.
        size: their bytes.
    """

    replays: int
    size: int


def find_old(database: Database, before_ms: int) -> OldReplays:
    """Replays of ladder matches that ended before a time.

    Those of tournaments are not among them: reports and bundles need them.
    """
    size = sa.func.coalesce(sa.func.sum(sa.func.length(schema.replays.c.document)), 0)
    question = sa.select(sa.func.count(), size).select_from(schema.replays.join(schema.matches))
    with database.reading() as connection:
        [row] = connection.execute(question.where(*_are_old(before_ms)))
    return OldReplays(*row)


def remove_old(database: Database, before_ms: int) -> int:
    """Remove what :func:`find_old` finds; how many."""
    numbers = (
        sa.select(schema.matches.c.id)
        .where(*_are_old(before_ms), schema.replays.c.match_id == schema.matches.c.id)
        .limit(_IN_TRANSACTION)
    )
    removal = sa.delete(schema.replays).where(schema.replays.c.match_id.in_(numbers))
    removed = 0
    while True:
        with database.writing() as connection:
            count = connection.execute(removal).rowcount
        if count == 0:
            return removed
        removed += count


def _are_old(before_ms: int) -> tuple[sa.ColumnElement[bool], ...]:
    table = schema.matches.c
    return table.pairing_id.is_(None), table.finished_ms < before_ms
