"""Recomputes the ratings from the recorded results, and lists differences."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import sqlalchemy as sa

from polynya_contest.ratings.book import RatingBook, Result
from polynya_contest.ratings.model import Strength
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.ratings import applied_ratings

FIGURES = ("rating", "deviation")
_AT_ONCE = 500
_NAMES = sa.select(schema.bots.c.id, schema.bots.c.name)


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded figure that differs from the recomputed one.

    Attributes:
        match: the match after which it stood; None for the bot's present one.
        bot, game, players, system, clock_class, variant: whose, in which pool.
        version: of the bot, "" for none declared; None where the bot's own is meant.
        figure: ``rating`` or ``deviation``.
        recorded, computed: the two numbers; None where there is none.
    """

    match: str | None
    bot: str
    game: str
    players: int
    system: str
    clock_class: str
    variant: str
    version: str | None
    figure: str
    recorded: float | None
    computed: float | None


class _Key(NamedTuple):
    """The owner of these figures: after a match at a seat, or at present; by id."""

    pool: Pool
    bot: int
    match: int | None = None
    version: str | None = None


_Figures = Mapping[_Key, tuple[float, float]]
"""Rating and deviation."""


def differences(connection: sa.Connection) -> list[Difference]:
    """The differences between the recorded ratings and those computed from the results.

    Matches are taken in the order in which they were rated. Those of rated matches come first,
    in this order, then those of present ratings. Matches are read and compared some at a time, so
    memory grows with the bots and their opponents.
    """
    bots = {row.id: row.name for row in connection.execute(_NAMES)}
    book, found = RatingBook(), list[Difference]()
    results = applied_ratings.each_rated_result(connection)
    while some := list(islice(results, _AT_ONCE)):
        ids = [result.match_id for result in some]
        recorded = dict(_recorded_changes(connection, ids))
        computed = {key: figures for result in some for key, figures in _computed(result, book)}
        found += _compared(connection, recorded, computed, bots, ids)
    return found + _compared(connection, dict(_recorded(connection)), dict(_present(book)), bots)


def _compared(
    connection: sa.Connection,
    recorded: _Figures,
    computed: _Figures,
    bots: Mapping[int, str],
    ids: Sequence[int] = (),
) -> list[Difference]:
    """The differences, in the order of the matches, pools, bots and versions."""
    order = {match: number for number, match in enumerate(ids)}
    every = recorded.keys() | computed.keys()
    differing = [key for key in every if recorded.get(key) != computed.get(key)]
    keys = sorted(
        differing,
        key=lambda key: (order.get(key.match or 0, 0), key.pool, key.bot, key.version or ""),
    )
    names = _match_names(connection, {key.match for key in keys if key.match is not None})
    return [
        Difference(
            None if key.match is None else names[key.match],
            bots[key.bot],
            *key.pool,
            key.version,
            *figures,
        )
        for key in keys
        for figures in _differing(recorded.get(key), computed.get(key))
    ]


def _differing(
    recorded: tuple[float, float] | None, computed: tuple[float, float] | None
) -> Iterator[tuple[str, float | None, float | None]]:
    none = (None, None)
    for figure, old, new in zip(FIGURES, recorded or none, computed or none, strict=True):
        if old != new:
            yield figure, old, new


def _recorded_changes(
    connection: sa.Connection, ids: Sequence[int]
) -> Iterator[tuple[_Key, tuple[float, float]]]:
    changes = schema.rating_changes.c
    of_matches = changes.match_id.in_(ids)
    for row in _rows(
        connection, schema.rating_changes, changes.match_id, changes.after, where=of_matches
    ):
        yield _Key(_pool(row), row.bot_id, match=row.match_id), (row.after, row.deviation)


def _recorded(connection: sa.Connection) -> Iterator[tuple[_Key, tuple[float, float]]]:
    for row in _rows(connection, schema.ratings, schema.ratings.c.rating):
        yield _Key(_pool(row), row.bot_id), (row.rating, row.deviation)
    versions = schema.version_ratings
    for row in _rows(connection, versions, versions.c.version, versions.c.rating):
        yield _Key(_pool(row), row.bot_id, version=row.version), (row.rating, row.deviation)


def _rows(
    connection: sa.Connection,
    table: sa.Table,
    *columns: sa.ColumnElement[Any],
    where: sa.ColumnElement[bool] | None = None,
) -> Any:
    of = table.c
    question = sa.select(*(of[key] for key in Pool._fields), of.bot_id, of.deviation, *columns)
    return connection.execute(question if where is None else question.where(where))


def _pool(row: Any) -> Pool:
    return Pool(*(getattr(row, key) for key in Pool._fields))


def _computed(result: Result, book: RatingBook) -> Iterator[tuple[_Key, tuple[float, float]]]:
    """The rating figures after a match."""
    for bot, change in zip(result.bots, book.apply(result), strict=False):
        yield _Key(result.pool, bot, match=result.match_id), _figures(change.after)


def _present(book: RatingBook) -> Iterator[tuple[_Key, tuple[float, float]]]:
    """The ratings after the last match."""
    for pool, bots in book.present.items():
        for bot, known in bots.items():
            yield _Key(pool, bot), _figures(known.present)
            for version, strength in known.versions.items():
                yield _Key(pool, bot, version=version), _figures(strength)


def _figures(strength: Strength) -> tuple[float, float]:
    return strength.rating, strength.deviation


def _match_names(connection: sa.Connection, ids: Collection[int]) -> dict[int, str]:
    table = schema.matches.c
    rows = connection.execute(sa.select(table.id, table.name).where(table.id.in_(ids)))
    return {row.id: row.name for row in rows}
