"""Ratings of an open database: present ones, of versions, and what each match changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from polynya_contest.ratings import openskill
from polynya_contest.ratings.book import RatingBook
from polynya_contest.ratings.model import BotStrength, Strength
from polynya_contest.ratings.pool import Pool, System
from polynya_store import schema
from polynya_store.database import Repository, reading, writing
from polynya_store.ratings import applied_ratings, rating_order, recompute
from polynya_store.rows import RatingRow, VersionRow


def ratings(
    connection: sa.Connection,
    /,
    **wanted: str | int | None,
) -> list[RatingRow]:
    """Present ratings by pool, in the order of a table of them; the pools as ``wanted``."""
    question = sa.select(schema.ratings, schema.bots.c.name).join(schema.bots)
    rows = connection.execute(_where(question, schema.ratings, wanted))
    found = [
        RatingRow(
            bot=row.name,
            game=row.game,
            players=row.players,
            rating=row.rating,
            games=row.games,
            deviation=row.deviation,
            provisional=row.provisional,
            anchor=row.anchor,
            version=row.version or None,
            system=row.system,
            clock_class=row.clock_class,
            variant=row.variant,
        )
        for row in rows
    ]
    found.sort(key=lambda row: (row.pool, row.provisional, -row.ordinal, row.bot))
    return _ranked(found)


def _ranked(rows: list[RatingRow]) -> list[RatingRow]:
    """Add each rating's rank in its pool; equal ratings share a rank."""
    ranked: list[RatingRow] = []
    for number, row in enumerate(rows):
        before = ranked[-1] if ranked and ranked[-1].pool == row.pool else None
        if before is None:
            first = number
        if row.provisional:
            rank = None
        elif before is not None and before.ordinal == row.ordinal:
            rank = before.rank
        else:
            rank = number - first + 1
        ranked.append(replace(row, rank=rank))
    return ranked


def version_ratings(
    connection: sa.Connection,
    /,
    *,
    bot: str | None = None,
    **wanted: str | int | None,
) -> list[VersionRow]:
    """Ratings of versions by pool and bot, the oldest of each bot first; pools as ``wanted``."""
    table, matches = schema.version_ratings, schema.matches
    same = [table.c[key] == schema.ratings.c[key] for key in (*Pool._fields, "bot_id")]
    question = (
        sa.select(
            table,
            schema.bots.c.name,
            matches.c.name.label("first_match"),
            schema.ratings.c.version.label("last"),
        )
        .select_from(table.join(schema.bots).join(matches).join(schema.ratings, sa.and_(*same)))
        .order_by(
            *(table.c[key] for key in Pool._fields),
            schema.bots.c.name,
            table.c.first_match_id,
        )
    )
    if bot is not None:
        question = question.where(schema.bots.c.name == bot)
    rows = connection.execute(_where(question, table, wanted))
    return [
        VersionRow(
            bot=row.name,
            game=row.game,
            players=row.players,
            version=row.version or None,
            rating=row.rating,
            games=row.games,
            deviation=row.deviation,
            provisional=row.provisional,
            first_match=row.first_match,
            present=row.version == row.last,
            system=row.system,
            clock_class=row.clock_class,
            variant=row.variant,
        )
        for row in rows
    ]


def in_pool(table: sa.Table, pool: Pool) -> list[sa.ColumnElement[bool]]:
    """Condition that a row of ratings or of changes belongs to a pool.

    In the table of matches, all that are played alike belong to it, under any rating system.
    """
    return [table.c[key] == value for key, value in pool._asdict().items() if key in table.c]


def ordinal(pool: Pool) -> sa.ColumnElement[float]:
    """The expression that orders the ratings of a pool."""
    rating, deviation = schema.ratings.c.rating, schema.ratings.c.deviation
    return openskill.ordinal(rating, deviation) if pool.system == "openskill" else rating


def _where(
    question: sa.Select[Any], table: sa.Table, wanted: Mapping[str, str | int | None]
) -> sa.Select[Any]:
    return question.where(
        *(table.c[key] == value for key, value in wanted.items() if value is not None)
    )


@dataclass(frozen=True, slots=True)
class Step:
    """The step of the online rating of one seat's bot in a match.

    Attributes:
        version: that the bot declared, "" for none; each has a strength of its own.
        before, after: the strength of this version.
    """

    version: str
    before: Strength
    after: Strength


def rating_steps(connection: sa.Connection, tournament: str) -> dict[str, tuple[Step, ...]]:
    """By match the steps of its seats; matches that are not rated (yet) are left out.

    They are computed from all rated results, as when they were recorded.
    """
    names = _names(connection, tournament)
    table, steps = RatingBook(), {}
    for result in applied_ratings.each_rated_result(connection):
        changes = table.apply(result)
        if changes and result.match_id in names:
            steps[names[result.match_id]] = tuple(
                Step(version, change.before, change.after)
                for version, change in zip(result.versions, changes, strict=True)
            )
    return steps


def _names(connection: sa.Connection, tournament: str) -> dict[int, str]:
    """The names of a tournament's matches, by id."""
    matches, pairings, tournaments = schema.matches, schema.pairings, schema.tournaments
    rows = connection.execute(
        sa.select(matches.c.id, matches.c.name)
        .select_from(matches.join(pairings).join(tournaments))
        .where(tournaments.c.name == tournament)
    )
    return dict(tuple(row) for row in rows)


class RatingRepository(Repository):
    """Each method is one transaction."""

    find = reading(ratings)
    versions = reading(version_ratings)
    steps = reading(rating_steps)
    differences = reading(recompute.differences)
    recompute = writing(applied_ratings.recompute)
    has_revealed = reading(rating_order.has_revealed)
    rate_revealed = writing(rating_order.rate_revealed)

    def pools(self) -> list[Pool]:
        """The pools with ratings, in order."""
        keys = [schema.ratings.c[key] for key in Pool._fields]
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(*keys).distinct().order_by(*keys))
            return [Pool(*row) for row in rows]

    def largest_pool(
        self,
        game: str,
        players: int,
        system: System,
        clock_class: str | None = None,
        variant: str | None = None,
    ) -> Pool:
        """The pool with most bots among those that match a partial key.

        Without any rating it is an empty one.
        """
        table = schema.ratings.c
        wanted = {"game": game, "players": players, "system": system} | {
            key: value
            for key, value in (("clock_class", clock_class), ("variant", variant))
            if value is not None
        }
        question = (
            sa.select(*(table[key] for key in Pool._fields))
            .where(*(table[key] == value for key, value in wanted.items()))
            .group_by(*(table[key] for key in Pool._fields))
            .order_by(sa.func.count().desc(), table.clock_class, table.variant)
            .limit(1)
        )
        with self._database.reading() as connection:
            found = connection.execute(question).one_or_none()
        empty = Pool(game, players, system, clock_class or "unknown", variant or "")
        return empty if found is None else Pool(*found)

    def state(self) -> tuple[int, int]:
        """Two numbers that change when a match is rated, or ratings are computed again."""
        with self._database.reading() as connection:
            newest = connection.scalar(sa.select(sa.func.max(schema.rating_changes.c.id))) or 0
            return newest, applied_ratings.last_recomputed(connection)

    def strengths(self, pool: Pool) -> dict[str, BotStrength]:
        """The strengths of the bots of a pool, by name."""
        bots = schema.bots.c
        with self._database.reading() as connection:
            names = {row.id: row.name for row in connection.execute(sa.select(bots.id, bots.name))}
            found = applied_ratings.present_ratings(connection, pool, None)
        return {names[bot]: strength for bot, strength in found.items()}

    def changes(self, match: str) -> dict[int, tuple[float, float]]:
        """The ratings before and after a match by seat; empty if it is not rated."""
        changes, matches = schema.rating_changes, schema.matches
        question = (
            sa.select(changes.c.seat, changes.c.before, changes.c.after)
            .select_from(changes.join(matches))
            .where(matches.c.name == match)
        )
        with self._database.reading() as connection:
            rows = connection.execute(question)
            return {row.seat: (row.before, row.after) for row in rows}
