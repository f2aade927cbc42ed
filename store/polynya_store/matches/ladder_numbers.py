"""The numbers of ladder matches, which the database gives: two ladders in it share none."""

from __future__ import annotations

import sqlalchemy as sa

from polynya_store import schema

PREFIX = "ladder"
"""The ids of ladder matches begin with this."""

OF_LADDER = sa.and_(
    schema.matches.c.pairing_id.is_(None), schema.matches.c.name.startswith(f"{PREFIX}-")
)
"""A match that a person plays belongs to no tournament either, but is not the ladder's."""

_LAST = schema.numbers.c.last
_OF_IT = schema.numbers.c.name == PREFIX


def next_numbers(connection: sa.Connection, count: int) -> range:
    """New numbers, each of which is given once.

    Args:
        connection: in a transaction that writes: those follow each other.
        count: how many.
    """
    last = connection.scalar(sa.select(_LAST).where(_OF_IT))
    if last is None:
        last = _greatest(connection)
        connection.execute(sa.insert(schema.numbers).values(name=PREFIX, last=last))
    connection.execute(sa.update(schema.numbers).where(_OF_IT).values(last=last + count))
    return range(last + 1, last + 1 + count)


def _greatest(connection: sa.Connection) -> int:
    """The greatest number of a ladder match, 0 before the first.

    In merged databases it is not always that of the match that was begun last.
    """
    number = sa.cast(sa.func.substr(schema.matches.c.name, len(PREFIX) + 2), sa.BigInteger)
    return connection.scalar(sa.select(sa.func.max(number)).where(OF_LADDER)) or 0
