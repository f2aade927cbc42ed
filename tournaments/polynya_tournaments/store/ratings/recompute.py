"""The ratings once more from the recorded results: the same numbers, or a list of differences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import sqlalchemy as sa

from polynya_tournaments.ratings.book import RatingBook, Result
from polynya_tournaments.ratings.model import Strength
from polynya_tournaments.ratings.pool import Pool
from polynya_tournaments.store import schema
from polynya_tournaments.store.ratings import applied_ratings

FIGURES = ("rating", "deviation")


@dataclass(frozen=True, slots=True)
class Difference:
    """A recorded figure that the results do not give.

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
    """Whose figures these are: after a match at a seat, or at present; by id."""

    pool: Pool
    bot: int
    match: int | None = None
    version: str | None = None


_Figures = Mapping[_Key, tuple[float, float]]
"""Rating and deviation."""


def differences(connection: sa.Connection) -> list[Difference]:
    """See ``RatingRepository.differences``."""
    results = applied_ratings.rated_results(connection)
    recorded = dict(_recorded(connection))
    computed = dict(_computed(results))
    bots = _names(connection, schema.bots)
    names = _names(connection, schema.matches)
    last = len(results)
    order = {result.match_id: number for number, result in enumerate(results)}
    keys = sorted(
        recorded.keys() | computed.keys(),
        key=lambda key: (order.get(key.match or 0, last), key.pool, key.bot, key.version or ""),
    )
    return [
        Difference(
            names[key.match] if key.match is not None else None,
            bots[key.bot],
            *key.pool,
            key.version,
            *differing,
        )
        for key in keys
        for differing in _differing(recorded.get(key), computed.get(key))
    ]


def _differing(
    recorded: tuple[float, float] | None, computed: tuple[float, float] | None
) -> Iterator[tuple[str, float | None, float | None]]:
    none = (None, None)
    for figure, old, new in zip(FIGURES, recorded or none, computed or none, strict=True):
        if old != new:
            yield figure, old, new


def _recorded(connection: sa.Connection) -> Iterator[tuple[_Key, tuple[float, float]]]:
    changes = schema.rating_changes.c
    for row in _rows(connection, schema.rating_changes, changes.match_id, changes.after):
        yield _Key(_pool(row), row.bot_id, match=row.match_id), (row.after, row.deviation)
    for row in _rows(connection, schema.ratings, schema.ratings.c.rating):
        yield _Key(_pool(row), row.bot_id), (row.rating, row.deviation)
    versions = schema.version_ratings
    for row in _rows(connection, versions, versions.c.version, versions.c.rating):
        yield _Key(_pool(row), row.bot_id, version=row.version), (row.rating, row.deviation)


def _rows(connection: sa.Connection, table: sa.Table, *columns: sa.ColumnElement[Any]) -> Any:
    of = table.c
    return connection.execute(
        sa.select(*(of[key] for key in Pool._fields), of.bot_id, of.deviation, *columns)
    )


def _pool(row: Any) -> Pool:
    return Pool(*(getattr(row, key) for key in Pool._fields))


def _computed(results: list[Result]) -> Iterator[tuple[_Key, tuple[float, float]]]:
    table = RatingBook()
    for result in results:
        for bot, change in zip(result.bots, table.apply(result), strict=False):
            yield _Key(result.pool, bot, match=result.match_id), _figures(change.after)
    for pool, bots in table.present.items():
        for bot, known in bots.items():
            yield _Key(pool, bot), _figures(known.present)
            for version, strength in known.versions.items():
                yield _Key(pool, bot, version=version), _figures(strength)


def _figures(strength: Strength) -> tuple[float, float]:
    return strength.rating, strength.deviation


def _names(connection: sa.Connection, table: sa.Table) -> dict[int, str]:
    rows = connection.execute(sa.select(table.c.id, table.c.name))
    return {row.id: row.name for row in rows}
