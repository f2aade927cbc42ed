"""The present ratings in the database, by bot and by version."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from polynya_contest.ratings import openskill
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.rows import RatingRow, VersionRow


def ratings(
    connection: sa.Connection,
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
    """With the rank of each in its pool, as on a ladder: of equal ratings the same."""
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
    """That a row of a table of ratings or of their changes belongs to a pool.

    In the table of matches, all that are played alike belong to it, under any rating system.
    """
    return [table.c[key] == value for key, value in pool._asdict().items() if key in table.c]


def ordinal(pool: Pool) -> sa.ColumnElement[float]:
    """The value that the ratings of a pool are ordered by."""
    rating, deviation = schema.ratings.c.rating, schema.ratings.c.deviation
    return openskill.ordinal(rating, deviation) if pool.system == "openskill" else rating


def any_ordinal() -> sa.ColumnElement[float]:
    """The same in a question about several pools."""
    table = schema.ratings.c
    by_skill = openskill.ordinal(table.rating, table.deviation)
    return sa.case((table.system == "openskill", by_skill), else_=table.rating)


def _where(
    question: sa.Select[Any], table: sa.Table, wanted: Mapping[str, str | int | None]
) -> sa.Select[Any]:
    return question.where(
        *(table.c[key] == value for key, value in wanted.items() if value is not None)
    )
