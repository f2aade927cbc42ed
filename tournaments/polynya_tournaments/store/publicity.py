"""What pages may tell: nothing of a result before the time that its tournament has set."""

from __future__ import annotations

from dataclasses import replace

import sqlalchemy as sa

from polynya_tournaments.store import schema
from polynya_tournaments.store.bots import now_ms
from polynya_tournaments.store.rows import MatchRow, SeatRow


def public(source: sa.FromClause) -> sa.FromClause:
    """A question about matches with what :func:`is_public` looks at."""
    return source.outerjoin(
        schema.pairings, schema.pairings.c.id == schema.matches.c.pairing_id
    ).outerjoin(schema.tournaments, schema.tournaments.c.id == schema.pairings.c.tournament_id)


def is_public() -> sa.ColumnElement[bool]:
    """That the result of a match may be told now."""
    from_ms = schema.tournaments.c.results_from_ms
    return sa.or_(from_ms.is_(None), from_ms <= now_ms())


def is_hidden(results_from_ms: int | None) -> bool:
    """Whether results that may be told from then on are hidden now."""
    return results_from_ms is not None and now_ms() < results_from_ms


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
