"""Counts the recent results of a ladder by pair of bots: what its order follows from.

The database counts, so that this costs as little for many matches as for few.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from polynya_contest.ratings.pair_tallies import PairTally
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.matches.selected_results import Selection, newest_matches


def pair_tallies(
    connection: sa.Connection, pool: Pool, shown_until_ms: int | None, most_matches: int
) -> list[PairTally]:
    """The rated results of a pool that are public and count, of the last matches only.

    Args:
        connection: a transaction.
        pool: the ladder's.
        shown_until_ms: see ``visibility``.
        most_matches: how many matches back they go.
    """
    selection = Selection(pool.game, pool.players, pool.clock_class, pool.variant)
    newest = newest_matches(selection, shown_until_ms, most_matches)
    one, other = _Side("one"), _Side("other")
    ahead, level = one.seats.rank < other.seats.rank, one.seats.rank == other.seats.rank
    keys = (
        one.name.label("bot"),
        other.name.label("opponent"),
        one.is_earlier.label("earlier"),
        other.is_earlier.label("opponent_earlier"),
        one.seats.seat.label("seat"),
        other.seats.seat.label("other_seat"),
    )
    rows = connection.execute(
        sa.select(
            *keys,
            sa.func.count().label("results"),
            _number_of(ahead).label("wins"),
            _number_of(level).label("ties"),
        )
        .select_from(other.joined(one.joined(newest, newest, pool), newest, pool))
        .where(one.seats.seat < other.seats.seat)
        .group_by(*keys)
    )
    return [
        PairTally(
            bot=row.bot,
            opponent=row.opponent,
            earlier=bool(row.earlier),
            opponent_earlier=bool(row.opponent_earlier),
            seat=row.seat,
            other_seat=row.other_seat,
            wins=row.wins,
            ties=row.ties,
            losses=row.results - row.wins - row.ties,
        )
        for row in rows
    ]


class _Side:
    """One seat of a match: its bot, its version in the match, and its present version.

    Args:
        alias: for the names of the tables in the question.
    """

    def __init__(self, alias: str) -> None:
        self._seats = schema.seats.alias(f"{alias}_seats")
        self._changes = schema.rating_changes.alias(f"{alias}_changes")
        self._ratings = schema.ratings.alias(f"{alias}_ratings")
        self._bots = schema.bots.alias(f"{alias}_bots")
        self.seats: Any = self._seats.c
        self.name = self._bots.c.name
        self.is_earlier = self._changes.c.version != self._ratings.c.version

    def joined(self, source: sa.FromClause, newest: sa.Subquery, pool: Pool) -> sa.FromClause:
        """``source`` with this side of its matches."""
        changes, ratings, seats = self._changes.c, self._ratings.c, self._seats.c
        change = sa.and_(
            changes.match_id == newest.c.id,
            changes.seat == seats.seat,
            changes.system == pool.system,
        )
        rating = sa.and_(
            ratings.bot_id == seats.bot_id,
            *(ratings[key] == value for key, value in pool._asdict().items()),
        )
        return (
            source.join(self._seats, seats.match_id == newest.c.id)
            .join(self._changes, change)
            .join(self._ratings, rating)
            .join(self._bots, self._bots.c.id == seats.bot_id)
        )


def _number_of(condition: sa.ColumnElement[bool]) -> sa.ColumnElement[int]:
    return sa.func.sum(sa.case((condition, 1), else_=0))
