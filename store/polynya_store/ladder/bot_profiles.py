"""A bot's profile: places, forfeits, opponents, and rating history.

Matches whose results are hidden do not count, nor those that ended since ``shown_until_ms`` (see
``visibility``), nor those that the host has annulled. A question about many matches looks at the
last ``MOST_MATCHES`` of them, so that a page costs the same however long a bot has been playing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import sqlalchemy as sa

from polynya_contest.ratings.pair_tallies import LadderEstimate
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.database import Database, Repository
from polynya_store.ladder import bot_records
from polynya_store.ladder.bot_records import BestRating, HeadToHead, SeatResults
from polynya_store.ladder.ladder_repository import Estimates, ladder_places
from polynya_store.ratings.rating_repository import in_pool
from polynya_store.rows import Estimate
from polynya_store.visibility import LiveDelay, counts, is_public, with_tournament

MOST_MATCHES = 5_000


@dataclass(frozen=True, slots=True)
class Place(Estimate):
    """A bot's place on a ladder; as in ``LadderRow``."""

    pool: Pool
    rank: int | None
    place: int
    estimate: LadderEstimate | None
    rating: float
    games: int
    deviation: float
    provisional: bool
    anchor: bool
    version: str | None


@dataclass(frozen=True, slots=True)
class Opponent:
    """The results against another bot, counted by which of the two was ranked before the other."""

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


class BotProfiles(Repository):
    """Each method is one transaction.

    Args:
        database: the open database.
        live_delay: how much later than it happens pages show it.
    """

    def __init__(self, database: Database, live_delay: LiveDelay) -> None:
        super().__init__(database)
        self._live_delay = live_delay

    def places(
        self, bot: str, estimates: Mapping[Pool, Estimates] = MappingProxyType({})
    ) -> list[Place]:
        """A bot's places by pool; empty if there is no such bot.

        Args:
            bot: its name.
            estimates: those that each ladder is ordered by.
        """
        question = (
            sa.select(schema.ratings)
            .join(schema.bots)
            .where(schema.bots.c.name == bot)
            .order_by(*(schema.ratings.c[key] for key in Pool._fields))
        )
        with self._database.reading() as connection:
            rows = connection.execute(question).all()
            return [_place(connection, bot, row, estimates) for row in rows]

    def record_by_seat(self, bot: str, pool: Pool) -> list[SeatResults]:
        """A bot's results in a pool, by seat."""
        with self._database.reading() as connection:
            until_ms = self._live_delay.shown_until_ms()
            return bot_records.record_by_seat(connection, bot, pool, until_ms)

    def best_rating(self, bot: str, pool: Pool) -> BestRating | None:
        """The best rating that a bot has had in a pool; None without any."""
        with self._database.reading() as connection:
            until_ms = self._live_delay.shown_until_ms()
            return bot_records.best_rating(connection, bot, pool, until_ms)

    def head_to_head(self, bot: str, opponent: str) -> HeadToHead:
        """The results of a bot against another."""
        with self._database.reading() as connection:
            until_ms = self._live_delay.shown_until_ms()
            return bot_records.head_to_head(connection, bot, opponent, until_ms)

    def tournaments(self, bot: str, most: int = 20) -> list[str]:
        """The names of the tournaments that a bot has entered, the newest first."""
        with self._database.reading() as connection:
            return bot_records.tournaments_of(connection, bot, most)

    def forfeits(self, bot: str) -> dict[str, int]:
        """How often a bot has forfeited, by the protocol's reason, most frequent first."""
        seats = schema.seats.c
        count = sa.func.count().label("number")
        question = (
            sa.select(seats.forfeit, count)
            .select_from(with_tournament(schema.seats.join(schema.matches)))
            .where(
                is_public(self._live_delay.shown_until_ms()),
                counts(),
                seats.bot_id == _bot_id(bot),
                seats.forfeit.is_not(None),
            )
            .group_by(seats.forfeit)
            .order_by(count.desc(), seats.forfeit)
        )
        with self._database.reading() as connection:
            return {row.forfeit: row.number for row in connection.execute(question)}

    def forfeited(self, bot: str, most: int = 10) -> list[str]:
        """The last forfeited matches of a bot that have a replay: their ids, the last one first."""
        seats = schema.seats.c
        question = (
            sa.select(schema.matches.c.name)
            .select_from(schema.seats.join(schema.matches).join(schema.replays))
            .where(seats.bot_id == _bot_id(bot), seats.forfeit.is_not(None))
            .order_by(seats.match_id.desc())
            .limit(most)
        )
        with self._database.reading() as connection:
            return list(connection.scalars(question))

    def opponents(self, bot: str, pool: Pool) -> list[Opponent]:
        """The bots met in its last matches with a result, those met most often first."""
        own = _own_matches(bot, pool, self._live_delay.shown_until_ms())
        other = schema.seats.alias("other")
        matches = sa.func.count().label("matches")
        ahead = sa.func.sum(sa.case((own.c.rank < other.c.rank, 1), else_=0)).label("wins")
        level = sa.func.sum(sa.case((own.c.rank == other.c.rank, 1), else_=0)).label("draws")
        same_match = sa.and_(other.c.match_id == own.c.match_id, other.c.seat != own.c.seat)
        question = (
            sa.select(schema.bots.c.name, matches, ahead, level)
            .select_from(
                own.join(other, same_match).join(schema.bots, schema.bots.c.id == other.c.bot_id)
            )
            .group_by(schema.bots.c.id)
            .order_by(matches.desc(), schema.bots.c.name)
        )
        with self._database.reading() as connection:
            return [
                Opponent(row.name, row.matches, row.wins, row.draws, _losses(row))
                for row in connection.execute(question)
            ]

    def rating_history(self, bot: str, pool: Pool, most: int = 500) -> list[RatingPoint]:
        """A bot's rating over its matches: evenly chosen ones, ``most`` at most, and the last."""
        changes, matches = schema.rating_changes.c, schema.matches.c
        of_bot = (changes.bot_id == _bot_id(bot), *in_pool(schema.rating_changes, pool))
        all_changes = sa.select(changes.id).where(*of_bot).order_by(changes.id)
        with self._database.reading() as connection:
            chosen = _evenly_chosen(connection.scalars(all_changes).all(), most)
            rows = connection.execute(
                sa.select(changes.id, changes.after, matches.name, matches.finished_ms)
                .select_from(with_tournament(schema.rating_changes.join(schema.matches)))
                .where(changes.id.in_(list(chosen)), is_public(self._live_delay.shown_until_ms()))
                .order_by(changes.id)
            ).all()
        return [
            RatingPoint(chosen[row.id], row.name, row.finished_ms or 0, row.after) for row in rows
        ]


def _place(
    connection: sa.Connection, bot: str, row: Any, estimates: Mapping[Pool, Estimates]
) -> Place:
    pool = Pool(*(getattr(row, key) for key in Pool._fields))
    of_pool = estimates.get(pool, {})
    place = next(one for one in ladder_places(connection, pool, of_pool) if one.bot == bot)
    return Place(
        pool=pool,
        rank=place.rank,
        place=place.place,
        estimate=of_pool.get(bot),
        rating=row.rating,
        games=row.games,
        deviation=row.deviation,
        provisional=row.provisional,
        anchor=row.anchor,
        version=row.version or None,
    )


def _own_matches(bot: str, pool: Pool, shown_until_ms: int | None) -> sa.Subquery:
    seats = schema.seats.c
    return (
        sa.select(seats.match_id, seats.seat, seats.rank)
        .select_from(with_tournament(schema.seats.join(schema.matches)))
        .where(
            is_public(shown_until_ms),
            counts(),
            seats.bot_id == _bot_id(bot),
            seats.rank.is_not(None),
            *in_pool(schema.matches, pool),
        )
        .order_by(seats.match_id.desc())
        .limit(MOST_MATCHES)
        .subquery("own")
    )


def _losses(row: Any) -> int:
    return int(row.matches - row.wins - row.draws)


def _evenly_chosen(ids: Sequence[int], most: int) -> dict[int, int]:
    """Pick at most ``most`` items evenly, each with its number from 1."""
    step = -(-len(ids) // most) or 1
    # Counted from the last, so that it is always among them.
    return {one: number for number, one in list(enumerate(ids, 1))[::-1][::step]}


def _bot_id(name: str) -> sa.ScalarSelect[int]:
    return sa.select(schema.bots.c.id).where(schema.bots.c.name == name).scalar_subquery()
