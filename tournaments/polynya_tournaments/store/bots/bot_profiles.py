"""One bot as its page shows it: where it stands, how it lost by forfeit, against whom, and since.

Matches whose results are hidden do not count, nor those that ended since ``told_ms`` (see
``publicity``). What is asked of many matches looks at the last ``MOST_MATCHES`` of them, so that a
page costs the same however long a bot has been playing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from polynya_tournaments.errors import NotInStoreError
from polynya_tournaments.ratings.book import Pool
from polynya_tournaments.store import schema
from polynya_tournaments.store.ladder.ladder_pages import bots_above
from polynya_tournaments.store.matches.match_queries import bot_row
from polynya_tournaments.store.ratings.current_ratings import any_ordinal, in_pool
from polynya_tournaments.store.rows import BotRow, Estimate
from polynya_tournaments.store.visibility.publicity import is_public, public

MOST_MATCHES = 5_000


@dataclass(frozen=True, slots=True)
class Place(Estimate):
    """Where a bot stands on a ladder; as in ``LadderRow``."""

    pool: Pool
    rank: int | None
    rating: float
    games: int
    deviation: float
    provisional: bool
    anchor: bool
    version: str | None


@dataclass(frozen=True, slots=True)
class Opponent:
    """What became of the matches with another bot, counted by who was ranked before whom."""

    name: str
    matches: int
    wins: int
    draws: int
    losses: int


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A bot's rating after a match.

    Attributes:
        number: of the match among those that were rated, from 1.
        match: its id.
        finished_ms: when it ended, ms since 1970.
        rating: after it.
    """

    number: int
    match: str
    finished_ms: int
    rating: float


def bot(connection: sa.Connection, name: str) -> BotRow:
    """A bot by its name.

    Raises:
        NotInStoreError: there is none.
    """
    row = connection.execute(sa.select(schema.bots).where(schema.bots.c.name == name)).one_or_none()
    if row is None:
        raise NotInStoreError(f"the database holds no bot {name}")
    return bot_row(row)


def token_hash(connection: sa.Connection, name: str) -> bytes | None:
    """The SHA-256 of a bot's token; None without one."""
    table = schema.bots.c
    found: bytes | None = connection.scalar(sa.select(table.token_hash).where(table.name == name))
    return found


def places(connection: sa.Connection, bot: str) -> list[Place]:
    """Where a bot stands, by game and number of players."""
    table = schema.ratings.c
    rows = connection.execute(
        sa.select(schema.ratings, any_ordinal().label("ordinal"))
        .join(schema.bots)
        .where(schema.bots.c.name == bot)
        .order_by(table.game, table.players, table.system)
    ).all()
    return [_place(connection, row) for row in rows]


def _place(connection: sa.Connection, row: Any) -> Place:
    pool = Pool(row.game, row.players, row.system)
    return Place(
        pool=pool,
        rank=None if row.provisional else bots_above(connection, pool, row.ordinal) + 1,
        rating=row.rating,
        games=row.games,
        deviation=row.deviation,
        provisional=row.provisional,
        anchor=row.anchor,
        version=row.version or None,
    )


def forfeits(connection: sa.Connection, bot: str, told_ms: int | None = None) -> dict[str, int]:
    """How often a bot has forfeited, by the contract's word for why, the most frequent first."""
    seats = schema.seats.c
    count = sa.func.count().label("number")
    rows = connection.execute(
        sa.select(seats.forfeit, count)
        .select_from(public(schema.seats.join(schema.matches)))
        .where(is_public(told_ms), seats.bot_id == _bot_id(bot), seats.forfeit.is_not(None))
        .group_by(seats.forfeit)
        .order_by(count.desc(), seats.forfeit)
    )
    return {row.forfeit: row.number for row in rows}


def forfeited(connection: sa.Connection, bot: str, most: int) -> list[str]:
    """The last matches that a bot forfeited, by their ids, the last one first."""
    seats = schema.seats.c
    rows = connection.scalars(
        sa.select(schema.matches.c.name)
        .select_from(schema.seats.join(schema.matches))
        .where(seats.bot_id == _bot_id(bot), seats.forfeit.is_not(None))
        .order_by(seats.match_id.desc())
        .limit(most)
    )
    return list(rows)


def opponents(
    connection: sa.Connection, bot: str, pool: Pool, told_ms: int | None = None
) -> list[Opponent]:
    """Who a bot has met in its last matches with a result, those met most often first."""
    own, other = _own_matches(bot, pool, told_ms), schema.seats.alias("other")
    matches = sa.func.count().label("matches")
    ahead = sa.func.sum(sa.case((own.c.rank < other.c.rank, 1), else_=0)).label("wins")
    level = sa.func.sum(sa.case((own.c.rank == other.c.rank, 1), else_=0)).label("draws")
    rows = connection.execute(
        sa.select(schema.bots.c.name, matches, ahead, level)
        .select_from(
            own.join(
                other,
                sa.and_(other.c.match_id == own.c.match_id, other.c.seat != own.c.seat),
            ).join(schema.bots, schema.bots.c.id == other.c.bot_id)
        )
        .group_by(schema.bots.c.id)
        .order_by(matches.desc(), schema.bots.c.name)
    )
    return [
        Opponent(row.name, row.matches, row.wins, row.draws, row.matches - row.wins - row.draws)
        for row in rows
    ]


def _own_matches(bot: str, pool: Pool, told_ms: int | None) -> sa.Subquery:
    seats, matches = schema.seats.c, schema.matches.c
    return (
        sa.select(seats.match_id, seats.seat, seats.rank)
        .select_from(public(schema.seats.join(schema.matches)))
        .where(
            is_public(told_ms),
            seats.bot_id == _bot_id(bot),
            seats.rank.is_not(None),
            matches.game == pool.game,
            matches.players == pool.players,
        )
        .order_by(seats.match_id.desc())
        .limit(MOST_MATCHES)
        .subquery("own")
    )


def rating_history(
    connection: sa.Connection,
    bot: str,
    pool: Pool,
    most: int = 500,
    told_ms: int | None = None,
) -> list[RatingPoint]:
    """A bot's rating over its matches: evenly chosen ones, ``most`` at the most, and the last."""
    changes = schema.rating_changes.c
    of_bot = (
        changes.bot_id == _bot_id(bot),
        *in_pool(schema.rating_changes, pool),
    )
    numbers = list(
        enumerate(connection.scalars(sa.select(changes.id).where(*of_bot).order_by(changes.id)), 1)
    )
    step = -(-len(numbers) // most) or 1
    # Counted from the last, so that it is always among them.
    chosen = {change: number for number, change in numbers[::-1][::step]}
    rows = connection.execute(
        sa.select(changes.id, changes.after, schema.matches.c.name, schema.matches.c.finished_ms)
        .select_from(public(schema.rating_changes.join(schema.matches)))
        .where(changes.id.in_(list(chosen)), is_public(told_ms))
        .order_by(changes.id)
    )
    return [RatingPoint(chosen[row.id], row.name, row.finished_ms or 0, row.after) for row in rows]


def _bot_id(name: str) -> sa.ScalarSelect[int]:
    return sa.select(schema.bots.c.id).where(schema.bots.c.name == name).scalar_subquery()
