"""Ratings in the database: read, applied match by match, and recorded in that order.

The order in which changes were applied is the order of their ids, so that they can be computed
again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from polynya_protocol.messages import RatingChange
from polynya_tournaments.rating import rate
from polynya_tournaments.store import schema


class Pool(NamedTuple):
    """What ratings are comparable within: a game and a number of players."""

    game: str
    players: int


@dataclass(frozen=True, slots=True)
class Rated:
    """A bot's rating, and after how many matches."""

    rating: float
    games: int


@dataclass(frozen=True, slots=True)
class Result:
    """What rating a match takes: who came where, and how it is to be rated."""

    match_id: int
    pool: Pool
    bots: tuple[int, ...]
    ranking: tuple[int, ...]
    k_factor: float
    start: float


def present_ratings(connection: sa.Connection, pool: Pool, bots: Iterable[int]) -> dict[int, Rated]:
    """The ratings of bots (by id) as they stand; those without games are left out."""
    ratings = schema.ratings.c
    rows = connection.execute(
        sa.select(ratings.bot_id, ratings.rating, ratings.games).where(
            ratings.game == pool.game,
            ratings.players == pool.players,
            ratings.bot_id.in_(list(bots)),
        )
    )
    return {bot: Rated(rating, games) for bot, rating, games in rows}


def rated_results(connection: sa.Connection) -> list[Result]:
    """The results of all rated matches, in the order in which they were rated."""
    changes = schema.rating_changes.c
    rated = connection.scalars(
        sa.select(changes.match_id).group_by(changes.match_id).order_by(sa.func.min(changes.id))
    )
    return results(connection, list(rated))


def results(connection: sa.Connection, match_ids: Sequence[int]) -> list[Result]:
    """The results of matches by id, in the order given."""
    matches, seats = schema.matches.c, schema.seats.c
    by_match: dict[int, list[Any]] = defaultdict(list)
    for start in range(0, len(match_ids), 500):
        rows = connection.execute(
            sa.select(
                matches.id,
                matches.game,
                matches.players,
                matches.k_factor,
                matches.start_rating,
                seats.bot_id,
                seats.rank,
            )
            .select_from(schema.matches.join(schema.seats))
            .where(matches.id.in_(match_ids[start : start + 500]))
            .order_by(seats.match_id, seats.seat)
        )
        for row in rows:
            by_match[row.id].append(row)
    return [_result(by_match[number]) for number in match_ids]


def _result(rows: Sequence[Any]) -> Result:
    first = rows[0]
    return Result(
        first.id,
        Pool(first.game, first.players),
        tuple(row.bot_id for row in rows),
        tuple(row.rank for row in rows),
        first.k_factor,
        first.start_rating,
    )


class Table:
    """Ratings of all pools, by pool and bot, brought up to date match by match."""

    def __init__(self) -> None:
        self.present: dict[Pool, dict[int, Rated]] = defaultdict(dict)

    def apply(self, result: Result) -> list[tuple[float, float]]:
        """Rate one match: each seat's rating before and after."""
        pool = self.present[result.pool]
        unrated = Rated(result.start, 0)
        before = [pool.get(bot, unrated) for bot in result.bots]
        after = rate([rated.rating for rated in before], result.ranking, result.k_factor)
        for bot, old, new in zip(result.bots, before, after, strict=True):
            pool[bot] = Rated(new, old.games + 1)
        return [(old.rating, new) for old, new in zip(before, after, strict=True)]


def apply(connection: sa.Connection, ended: Sequence[Result]) -> dict[int, list[RatingChange]]:
    """Rate matches in the order given and record it; the changes by match id, in seat order."""
    if not ended:
        return {}
    table = Table()
    involved: dict[Pool, set[int]] = defaultdict(set)
    for result in ended:
        involved[result.pool].update(result.bots)
    for pool, bots in involved.items():
        table.present[pool].update(present_ratings(connection, pool, bots))
    changes = {result.match_id: table.apply(result) for result in ended}
    write(connection, ended, changes, table)
    names = _names(connection, set().union(*involved.values()))
    return {
        result.match_id: [
            RatingChange(name=names[bot], before=before, after=after)
            for bot, (before, after) in zip(result.bots, changes[result.match_id], strict=True)
        ]
        for result in ended
    }


def write(
    connection: sa.Connection,
    ended: Sequence[Result],
    changes: dict[int, list[tuple[float, float]]],
    table: Table,
) -> None:
    """Record rating changes (by match id and seat) and the ratings that stand after them."""
    connection.execute(
        sa.insert(schema.rating_changes),
        [row for result in ended for row in _change_rows(result, changes[result.match_id])],
    )
    statement = insert(schema.ratings)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["game", "players", "bot_id"],
            set_={"rating": statement.excluded.rating, "games": statement.excluded.games},
        ),
        [
            {**pool._asdict(), "bot_id": bot, "rating": rated.rating, "games": rated.games}
            for pool, bots in table.present.items()
            for bot, rated in bots.items()
        ],
    )


def _change_rows(
    result: Result, changes: Sequence[tuple[float, float]]
) -> Iterator[dict[str, Any]]:
    for seat, (bot, (before, after)) in enumerate(zip(result.bots, changes, strict=True)):
        yield {
            "match_id": result.match_id,
            "seat": seat,
            "bot_id": bot,
            **result.pool._asdict(),
            "before": before,
            "after": after,
        }


def _names(connection: sa.Connection, bots: set[int]) -> dict[int, str]:
    rows = connection.execute(
        sa.select(schema.bots.c.id, schema.bots.c.name).where(schema.bots.c.id.in_(bots))
    )
    return {row.id: row.name for row in rows}
