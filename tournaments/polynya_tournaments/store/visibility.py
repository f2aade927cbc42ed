"""What pages may tell: nothing of a result before the time that its tournament has set.

Where what happens is told some time later, pages tell what had happened up to ``told_ms``, ms since
1970: a match that began since is none yet, and one that ended since is in play. It is None where
all is told at once.
"""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from polynya_tournaments.store import schema
from polynya_tournaments.store.rows import MatchRow, SeatRow
from polynya_tournaments.store.wall_clock import now_ms

LAST = 10_000


def public(source: sa.FromClause) -> sa.FromClause:
    """A question about matches with what :func:`is_public` looks at."""
    return source.outerjoin(
        schema.pairings, schema.pairings.c.id == schema.matches.c.pairing_id
    ).outerjoin(schema.tournaments, schema.tournaments.c.id == schema.pairings.c.tournament_id)


def is_public(told_ms: int | None) -> sa.ColumnElement[bool]:
    """That the result of a match may be told now."""
    from_ms = schema.tournaments.c.results_from_ms
    revealed = sa.or_(from_ms.is_(None), from_ms <= now_ms())
    return revealed if told_ms is None else sa.and_(revealed, has_ended(told_ms))


def has_begun(told_ms: int) -> sa.ColumnElement[bool]:
    """That a match had begun by then."""
    return schema.matches.c.started_ms <= told_ms


def has_ended(told_ms: int) -> sa.ColumnElement[bool]:
    """That a match had ended by then."""
    return schema.matches.c.finished_ms <= told_ms


def was_in_play(told_ms: int) -> sa.ColumnElement[bool]:
    """That a match had not ended by then: found among those in play and the last ones.

    Of a server so quick that it begins more than ``LAST`` matches meanwhile, some are missing.
    """
    table = schema.matches.c
    newest = sa.select(sa.func.max(table.id)).scalar_subquery()
    ended_since = sa.select(table.id).where(table.id > newest - LAST, table.finished_ms > told_ms)
    return table.id.in_(sa.select(table.id).where(table.reason.is_(None)).union_all(ended_since))


def is_hidden(results_from_ms: int | None) -> bool:
    """Whether results that may be told from then on are hidden now."""
    return results_from_ms is not None and now_ms() < results_from_ms


def told(row: MatchRow, told_ms: int | None) -> MatchRow:
    """What may be told of a match now."""
    if told_ms is not None and row.finished_ms is not None and row.finished_ms > told_ms:
        return as_in_play(row)
    return without_result(row) if row.hidden else row


def as_in_play(row: MatchRow) -> MatchRow:
    """A match that has ended, as if it had not."""
    return replace(
        row,
        finished_ms=None,
        reason=None,
        termination=None,
        detail=None,
        server_fault=False,
        seats=hidden_seats(row.seats),
    )


def without_result(row: MatchRow) -> MatchRow:
    """A match of which only is told who plays, and that it is over if it is."""
    if row.reason is None:
        return row
    return replace(
        row, reason="finished", termination=None, detail=None, seats=hidden_seats(row.seats)
    )


def hidden_seats(seats: tuple[SeatRow, ...]) -> tuple[SeatRow, ...]:
    """Who sits where, without what became of them."""
    return tuple(SeatRow(seat.name, None, None, None) for seat in seats)


class LiveDelay:
    """How much later than it happens pages show what happens in matches.

    Attributes:
        ms: the delay; 0 shows everything at once. The server that plays sets it.
    """

    def __init__(self) -> None:
        self.ms = 0

    def told_ms(self) -> int | None:
        """Up to when pages show what happened, ms since 1970; None for all of it."""
        return now_ms() - self.ms if self.ms else None
