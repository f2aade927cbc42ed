"""What a ladder needs to know of its past to go on as if it had never stopped."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby

import sqlalchemy as sa

from polynya_tournaments.conduct import Outcome
from polynya_tournaments.ratings.book import Pool
from polynya_tournaments.ratings.model import BotStrength
from polynya_tournaments.store import schema
from polynya_tournaments.store.ratings import applied_ratings

PREFIX = "ladder"
"""What the ids of a ladder's matches begin with."""

_OF_LADDER = sa.and_(
    schema.matches.c.pairing_id.is_(None), schema.matches.c.name.startswith(f"{PREFIX}-")
)
"""A match that a person plays belongs to no tournament either, but is not the ladder's."""


def ladder_matches(connection: sa.Connection, game: str, players: int) -> list[tuple[str, ...]]:
    """The bots by seat of all ladder matches of a game with a number of players, in order."""
    table, seats = schema.matches, schema.seats
    rows = connection.execute(
        sa.select(seats.c.match_id, schema.bots.c.name)
        .select_from(table.join(seats).join(schema.bots))
        .where(_OF_LADDER, table.c.game == game, table.c.players == players)
        .order_by(seats.c.match_id, seats.c.seat)
    )
    return [
        tuple(row.name for row in match_rows)
        for _, match_rows in groupby(rows, key=lambda row: row.match_id)
    ]


def last_ladder_number(connection: sa.Connection) -> int:
    """The number of the last ladder match, 0 before the first."""
    table = schema.matches.c
    name = connection.scalar(
        sa.select(table.name).where(_OF_LADDER).order_by(table.id.desc()).limit(1)
    )
    return int(name.rpartition("-")[2]) if name is not None else 0


def ladder_outcomes(connection: sa.Connection) -> Iterator[Outcome]:
    """What became of each bot's ladder matches since it was last put back, as they ended."""
    table, seats, bots = schema.matches, schema.seats, schema.bots
    rows = connection.execute(
        sa.select(
            bots.c.name,
            table.c.reason,
            table.c.finished_ms,
            seats.c.forfeit,
            seats.c.fault,
            seats.c.rank,
        )
        .select_from(table.join(seats).join(bots))
        .where(
            _OF_LADDER,
            table.c.reason.is_not(None),
            table.c.finished_ms > sa.func.coalesce(bots.c.resumed_ms, -1),
        )
        .order_by(table.c.finished_ms, table.c.id, seats.c.seat)
    )
    return (
        Outcome(
            bot=row.name,
            fault=row.fault,
            result=row.rank is not None,
            finished=row.reason == "finished" and row.forfeit is None,
            ended_ms=row.finished_ms,
        )
        for row in rows
    )


def strengths(
    connection: sa.Connection, pool: Pool, names: Collection[str] | None = None
) -> dict[str, BotStrength]:
    """What is known of bots by name, of all of a pool without ``names``."""
    bots = schema.bots.c
    question = sa.select(bots.id, bots.name)
    if names is not None:
        question = question.where(bots.name.in_(list(names)))
    known = {row.id: row.name for row in connection.execute(question)}
    found = applied_ratings.present_ratings(connection, pool, known if names is not None else None)
    return {known[bot]: strength for bot, strength in found.items()}
