"""The seats of matches, with their bots and results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.rows import SeatRow
from polynya_store.statements import as_list, in_list


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
