"""Attempts as the database has them, with their seats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.rows import MatchRow, SeatRow
from polynya_store.statements import as_list, in_list
from polynya_store.visibility import hidden_since_ms


def match_question() -> sa.Select[Any]:
    """All attempts, with the columns that ``match_row`` needs of each but its seats."""
    table, pairings, tournaments_ = schema.matches, schema.pairings, schema.tournaments
    return sa.select(
        table,
        pairings.c.block,
        tournaments_.c.name.label("tournament"),
        tournaments_.c.results_from_ms,
        tournaments_.c.freezes_ms,
        _annulment().label("annulled"),
        _origin().label("imported"),
    ).select_from(table.outerjoin(pairings).outerjoin(tournaments_))


def _annulment() -> sa.ScalarSelect[str]:
    """Why the host has annulled a match."""
    annulments, done = schema.annulments, schema.interventions
    return (
        sa.select(done.c.why)
        .select_from(annulments.join(done))
        .where(annulments.c.match_id == schema.matches.c.id)
        .correlate(schema.matches)
        .scalar_subquery()
    )


def _origin() -> sa.ScalarSelect[str]:
    """Where a match came from that was played elsewhere."""
    imported = schema.imported_matches
    return (
        sa.select(imported.c.origin)
        .where(imported.c.match_id == schema.matches.c.id)
        .correlate(schema.matches)
        .scalar_subquery()
    )


def match_row(row: Any, seats: tuple[SeatRow, ...]) -> MatchRow:
    """An attempt from its row of ``match_question`` and its seats."""
    return MatchRow(
        match=row.name,
        tournament=row.tournament,
        block=row.block,
        attempt=row.attempt,
        game=row.game,
        options=row.options,
        clock=row.clock,
        seed=int(row.seed),
        rated=row.rated,
        started_ms=row.started_ms,
        finished_ms=row.finished_ms,
        reason=row.reason,
        termination=row.termination,
        detail=row.detail,
        server_fault=row.server_fault,
        seats=seats,
        why=row.why,
        hidden=_is_hidden(row),
        annulled=row.annulled,
        imported=row.imported,
    )


def _is_hidden(row: Any) -> bool:
    since_ms = hidden_since_ms(row.results_from_ms, row.freezes_ms)
    return since_ms is not None and bool(row.started_ms >= since_ms)


def match_rows(connection: sa.Connection, rows: Sequence[Any]) -> list[MatchRow]:
    """Attempts from their rows of ``match_question``."""
    seats = seats_of(connection, [row.id for row in rows])
    return [match_row(row, seats[row.id]) for row in rows]


def seats_of(connection: sa.Connection, ids: Sequence[int]) -> dict[int, tuple[SeatRow, ...]]:
    """The seats of matches, by the match's id."""
    seats = schema.seats.c
    rows = connection.execute(
        sa.select(
            seats.match_id,
            schema.bots.c.name,
            seats.rank,
            seats.score,
            seats.forfeit,
            seats.sandbox,
        )
        .select_from(schema.seats.join(schema.bots))
        .where(seats.match_id.in_(in_list("ids", sa.Integer())))
        .order_by(seats.match_id, seats.seat),
        {"ids": as_list(ids)},
    )
    found: dict[int, list[SeatRow]] = defaultdict(list)
    for row in rows:
        found[row.match_id].append(SeatRow(*row[1:]))
    return {number: tuple(of_match) for number, of_match in found.items()}
