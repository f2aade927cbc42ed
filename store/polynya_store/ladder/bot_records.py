"""The achievements of a bot: its record by seat, its best rating, and against one opponent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.ratings.rating_repository import in_pool
from polynya_store.visibility import counts, is_public, with_tournament

MOST_MATCHES = 5_000
"""A record looks at the last matches of a bot."""


@dataclass(frozen=True, slots=True)
class SeatResults:
    """A bot's matches at a seat: first alone, first with others, and behind the first."""

    seat: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """The matches of two bots: how often the one was ranked before the other, level, behind."""

    matches: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class BestRating:
    """The best rating that a bot has had, and the match after which it had it."""

    rating: float
    match: str


def record_by_seat(
    connection: sa.Connection, bot: str, pool: Pool, shown_until_ms: int | None
) -> list[SeatResults]:
    """A bot's results in a pool, by seat; of its last ``MOST_MATCHES`` there."""
    own = _own(bot, shown_until_ms, *in_pool(schema.matches, pool)).subquery("own")
    other = schema.seats.alias("other")
    shared = (
        sa.exists()
        .where(other.c.match_id == own.c.match_id, other.c.seat != own.c.seat, other.c.rank == 1)
        .correlate(own)
    )
    first = own.c.rank == 1
    rows = connection.execute(
        sa.select(
            own.c.seat,
            sa.func.count().label("matches"),
            _sum(sa.and_(first, ~shared)).label("wins"),
            _sum(sa.and_(first, shared)).label("draws"),
        )
        .group_by(own.c.seat)
        .order_by(own.c.seat)
    )
    return [
        SeatResults(row.seat, row.wins, row.draws, row.matches - row.wins - row.draws)
        for row in rows
    ]


def head_to_head(
    connection: sa.Connection, bot: str, opponent: str, shown_until_ms: int | None
) -> HeadToHead:
    """The results of a bot against another in matches of all kinds."""
    own = _own(bot, shown_until_ms, limited=False).subquery("own")
    other = schema.seats.alias("other")
    rival = _bot_id(opponent)
    row = connection.execute(
        sa.select(
            sa.func.count().label("matches"),
            _sum(own.c.rank < other.c.rank).label("wins"),
            _sum(own.c.rank == other.c.rank).label("draws"),
        ).select_from(
            own.join(
                other,
                sa.and_(
                    other.c.match_id == own.c.match_id,
                    other.c.seat != own.c.seat,
                    other.c.bot_id == rival,
                ),
            )
        )
    ).one()
    wins, draws = row.wins or 0, row.draws or 0
    return HeadToHead(row.matches, wins, draws, row.matches - wins - draws)


def best_rating(
    connection: sa.Connection, bot: str, pool: Pool, shown_until_ms: int | None
) -> BestRating | None:
    """The best rating of a bot in a pool after a match; None without any."""
    changes, matches = schema.rating_changes, schema.matches
    row = connection.execute(
        sa.select(changes.c.after, matches.c.name)
        .select_from(with_tournament(changes.join(matches)))
        .where(
            changes.c.bot_id == _bot_id(bot),
            *in_pool(changes, pool),
            is_public(shown_until_ms),
            counts(),
        )
        .order_by(changes.c.after.desc(), changes.c.id)
        .limit(1)
    ).first()
    return None if row is None else BestRating(row.after, row.name)


def tournaments_of(connection: sa.Connection, bot: str, most: int) -> list[str]:
    """The names of the tournaments that a bot has entered, the newest first."""
    table, entrants = schema.tournaments.c, schema.entrants
    question = (
        sa.select(table.name)
        .select_from(schema.tournaments.join(entrants))
        .where(entrants.c.bot_id == _bot_id(bot))
        .order_by(table.id.desc())
        .limit(most)
    )
    return list(connection.scalars(question))


def _own(
    bot: str,
    shown_until_ms: int | None,
    *conditions: sa.ColumnElement[bool],
    limited: bool = True,
) -> sa.Select[Any]:
    seats = schema.seats.c
    question = (
        sa.select(seats.match_id, seats.seat, seats.rank)
        .select_from(with_tournament(schema.seats.join(schema.matches)))
        .where(
            is_public(shown_until_ms),
            counts(),
            seats.bot_id == _bot_id(bot),
            seats.rank.is_not(None),
            *conditions,
        )
    )
    return question.order_by(seats.match_id.desc()).limit(MOST_MATCHES) if limited else question


def _sum(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((condition, 1), else_=0))


def _bot_id(name: str) -> sa.ScalarSelect[int]:
    return sa.select(schema.bots.c.id).where(schema.bots.c.name == name).scalar_subquery()
