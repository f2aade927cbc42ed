"""Ladders of an open database: their pages, and the history for matchmaking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Literal

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_common.reasons import Reason
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.bots.bot_repository import named
from polynya_store.database import Repository, reading
from polynya_store.matches import ladder_summaries
from polynya_store.ratings.rating_repository import in_pool, ordinal
from polynya_store.rows import Estimate
from polynya_store.statements import cut
from polynya_store.visibility import counts, is_public, with_tournament


@dataclass(frozen=True, slots=True)
class LadderRow(Estimate):
    """A bot's line on a ladder.

    Attributes:
        rank: 1 the best; bots with the same rating share one. None while the rating is
            provisional: these stand below all who have a rank.
        bot: its name.
        rating: its present one.
        games: rated matches.
        forfeits: matches of this pool that it forfeited, and that count; without those whose
            results are hidden.
        suspended: whether the ladder gives it no matches.
        deviation: the rating's standard deviation, 0 for an anchor.
        provisional: whether its version has played few matches yet.
        anchor: whether the rating is fixed.
        version: what the bot declared in its last match, None for nothing.
    """

    rank: int | None
    bot: str
    rating: float
    games: int
    forfeits: int
    suspended: bool
    deviation: float
    provisional: bool
    anchor: bool
    version: str | None


@dataclass(frozen=True, slots=True)
class LadderPage:
    """Some lines of a ladder, the best first, the provisional last, and how many bots it has."""

    pool: Pool
    rows: tuple[LadderRow, ...]
    bots: int


def ladder_page(
    connection: sa.Connection, pool: Pool, *, page: int = 1, size: int = 50
) -> LadderPage:
    """A page of a ladder, from 1; without lines behind its end."""
    order, here = ordinal(pool), sa.and_(*in_pool(schema.ratings, pool))
    rows = connection.execute(
        sa.select(
            schema.ratings, schema.bots.c.name, schema.bots.c.suspension, order.label("ordinal")
        )
        .join(schema.bots)
        .where(here)
        .order_by(schema.ratings.c.provisional, order.desc(), schema.bots.c.name)
        .limit(size)
        .offset((page - 1) * size)
    ).all()
    bots = connection.scalar(sa.select(sa.func.count()).select_from(schema.ratings).where(here))
    forfeits = _forfeits(connection, pool, [row.bot_id for row in rows])
    ranked = [row.ordinal for row in rows if not row.provisional]
    above = bots_above(connection, pool, ranked[0]) if ranked else 0
    ranks = _ranks(ranked, (page - 1) * size, above)
    return LadderPage(
        pool,
        tuple(
            _ladder_row(rank, row, forfeits.get(row.bot_id, 0))
            for rank, row in zip_longest(ranks, rows)
        ),
        bots or 0,
    )


@dataclass(frozen=True, slots=True)
class LadderSearch(LadderPage):
    """The lines of a ladder that were asked for; ``bots`` counts all of these.

    Attributes:
        before: the bot before which the page before ends; None if there is none.
        after: the bot after which the next page begins; None if there is none.
    """

    before: str | None
    after: str | None


LadderState = Literal["ranked", "provisional", "suspended"]


def ladder_search(
    connection: sa.Connection,
    pool: Pool,
    *,
    name: str = "",
    state: LadderState | None = None,
    before: str | None = None,
    after: str | None = None,
    size: int = 50,
) -> LadderSearch:
    """The bots of a ladder whose names contain ``name``, each with its rank among all.

    A page is found by the bot at which the last one ended.

    Args:
        connection: a transaction.
        pool: of the ladder.
        name: a part of the name, in capitals or not.
        state: only those with a rank, those without one, or those that get no matches.
        before: the bot that the page ends before.
        after: the bot that it begins after; without both it is the first page.
        size: how many lines it has at the most.

    Raises:
        NotInStoreError: there is no such bot on the ladder any more.
    """
    order, ratings = ordinal(pool), schema.ratings.c
    wanted = [*in_pool(schema.ratings, pool), named(name)]
    if state is not None:
        wanted.append(_STATES[state])
    backwards = before is not None and after is None
    place = before if backwards else after
    lines = sa.select(
        schema.ratings, schema.bots.c.name, schema.bots.c.suspension, order.label("ordinal")
    ).join(schema.bots)
    without_rank = sa.case((ratings.provisional, 1), else_=0)
    keys: list[tuple[sa.ColumnElement[Any], bool]] = [
        (without_rank, False),
        (order, True),
        (schema.bots.c.name, False),
    ]
    page = lines.where(*wanted)
    if place is not None:
        at = connection.execute(
            lines.where(*in_pool(schema.ratings, pool), schema.bots.c.name == place)
        ).one_or_none()
        if at is None:
            raise NotInStoreError(Reason.of("not_on_ladder", bot=place))
        beyond = [
            (key, falls != backwards, value)
            for (key, falls), value in zip(
                keys, (int(at.provisional), at.ordinal, at.name), strict=True
            )
        ]
        page = page.where(_beyond(beyond))
    rows = connection.execute(
        page.order_by(*(key.desc() if falls != backwards else key for key, falls in keys)).limit(
            size + 1
        )
    ).all()
    found = cut(rows, size, place=after, backwards=backwards)
    bots = [row.bot_id for row in found.rows]
    ranks, forfeits = _ranks_of(connection, pool, bots), _forfeits(connection, pool, bots)
    total = connection.scalar(
        sa.select(sa.func.count()).select_from(schema.ratings.join(schema.bots)).where(*wanted)
    )
    return LadderSearch(
        pool,
        tuple(
            _ladder_row(ranks.get(row.bot_id), row, forfeits.get(row.bot_id, 0))
            for row in found.rows
        ),
        total or 0,
        None if found.first is None else found.first.name,
        None if found.last is None else found.last.name,
    )


def _beyond(keys: Sequence[tuple[Any, bool, Any]]) -> sa.ColumnElement[bool]:
    """Condition that a line follows a place, by keys in ascending or descending order."""
    (key, falls, value), *others = keys
    further: sa.ColumnElement[bool] = key < value if falls else key > value
    if not others:
        return further
    return sa.or_(further, sa.and_(key == value, _beyond(others)))


def _ranks_of(connection: sa.Connection, pool: Pool, bots: Sequence[int]) -> dict[int, int]:
    """Ranks by bot id; bots without a rank are left out."""
    ratings = schema.ratings.c
    rank = sa.func.rank().over(order_by=ordinal(pool).desc()).label("rank")
    ranked = (
        sa.select(ratings.bot_id, rank)
        .where(*in_pool(schema.ratings, pool), ratings.provisional.is_(sa.false()))
        .subquery()
    )
    rows = connection.execute(sa.select(ranked).where(ranked.c.bot_id.in_(bots)))
    return {row.bot_id: row.rank for row in rows}


_STATES: dict[LadderState, sa.ColumnElement[bool]] = {
    "ranked": schema.ratings.c.provisional.is_(sa.false()),
    "provisional": schema.ratings.c.provisional.is_(sa.true()),
    "suspended": schema.bots.c.suspension.is_not(None),
}


def bots_above(connection: sa.Connection, pool: Pool, rating: float) -> int:
    """Number of ranked bots of a pool above this ordinal."""
    return (
        connection.scalar(
            sa.select(sa.func.count())
            .select_from(schema.ratings)
            .where(
                *in_pool(schema.ratings, pool),
                ordinal(pool) > rating,
                schema.ratings.c.provisional.is_(sa.false()),
            )
        )
        or 0
    )


def _ranks(ratings: Sequence[float], before: int, above: int) -> list[int]:
    """The rank of each, where ``before`` bots stand on earlier pages, ``above`` with more."""
    ranks: list[int] = []
    for index, rating in enumerate(ratings):
        if index == 0:
            ranks.append(above + 1)
        elif rating == ratings[index - 1]:
            ranks.append(ranks[-1])
        else:
            ranks.append(before + index + 1)
    return ranks


def _forfeits(connection: sa.Connection, pool: Pool, bots: Sequence[int]) -> dict[int, int]:
    seats = schema.seats.c
    rows = connection.execute(
        sa.select(seats.bot_id, sa.func.count().label("forfeits"))
        .select_from(with_tournament(schema.seats.join(schema.matches)))
        .where(
            seats.bot_id.in_(bots),
            seats.forfeit.is_not(None),
            counts(),
            is_public(None),
            *in_pool(schema.matches, pool),
        )
        .group_by(seats.bot_id)
    )
    return {row.bot_id: row.forfeits for row in rows}


def _ladder_row(rank: int | None, row: Any, forfeits: int) -> LadderRow:
    return LadderRow(
        rank=rank,
        bot=row.name,
        rating=row.rating,
        games=row.games,
        forfeits=forfeits,
        suspended=row.suspension is not None,
        deviation=row.deviation,
        provisional=row.provisional,
        anchor=row.anchor,
        version=row.version or None,
    )


class LadderRepository(Repository):
    """Each method is one transaction."""

    page = reading(ladder_page)
    search = reading(ladder_search)

    pasts = reading(ladder_summaries.pasts)
    conduct = reading(ladder_summaries.conduct)
    outcomes = reading(ladder_summaries.outcomes)
