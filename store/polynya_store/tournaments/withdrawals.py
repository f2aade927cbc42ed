"""Withdrawals: bots that leave a tournament, and the matches that become walkovers by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from polynya_contest.pairing.standings import (
    WITHDRAWN,
)
from polynya_store import schema
from polynya_store.bots.registered_bots import bot_ids
from polynya_store.ratings import rating_order
from polynya_store.statements import tournament_by_id
from polynya_store.tournaments.pairing_states import UNDECIDED
from polynya_store.tournaments.recorded_rounds import Recorded, recorded
from polynya_store.tournaments.walkovers import walk_over


def withdraw(connection: sa.Connection, tournament_id: int, names: Sequence[str]) -> list[str]:
    """Let bots play no more, all at the same moment; the names of those that had not withdrawn.

    Their matches without a result are walkovers. They have withdrawn from the round that is
    played, or from the next one if every match of it is decided. When the tournament is over a
    bot cannot leave it any more: it keeps its place.
    """
    if not names:
        return []
    tournament = tournament_by_id(connection, tournament_id)
    found = recorded(connection, tournament)
    playing = {one.name for one in found.entrants if one.withdrawn is None}
    leaving = [name for name in dict.fromkeys(names) if name in playing]
    if not leaving or found.over:
        return []
    _mark_withdrawn(connection, tournament_id, leaving, found)
    gone = {one.name for one in found.entrants} - playing | set(leaving)
    walk_over(
        connection,
        tournament_id,
        [
            (row.id, {name: WITHDRAWN for name in row.players if name in gone})
            for row in _undecided(connection, tournament_id)
            if not gone.isdisjoint(row.players)
        ],
    )
    rating_order.rate_waiting(connection, tournament_id)
    return leaving


def _mark_withdrawn(
    connection: sa.Connection, tournament_id: int, names: Sequence[str], found: Recorded
) -> None:
    table, ids = schema.entrants, bot_ids(connection, names)
    connection.execute(
        sa.update(table)
        .where(table.c.tournament_id == tournament_id, table.c.bot_id.in_(list(ids.values())))
        .values(withdrawn=found.round, withdrawn_after=found.last_number)
    )


def _undecided(connection: sa.Connection, tournament_id: int) -> Sequence[Any]:
    pairings = schema.pairings.c
    return connection.execute(
        sa.select(pairings.id, pairings.block, pairings.players)
        .where(pairings.tournament_id == tournament_id, pairings.state.in_(UNDECIDED))
        .order_by(pairings.number)
    ).all()
