"""A row by its name, or a sentence that says what there is instead."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from polynya_common.errors import NotInStoreError
from polynya_common.text import join_words
from polynya_store import schema


def tournament_row(connection: sa.Connection, name: str) -> Any:
    """The row of a tournament.

    Raises:
        NotInStoreError: there is none of this name; the message lists those that there are.
    """
    table = schema.tournaments
    found = connection.execute(sa.select(table).where(table.c.name == name)).one_or_none()
    if found is None:
        names = connection.scalars(sa.select(table.c.name).order_by(table.c.name)).all()
        there_are = f"it holds {join_words(names)}" if names else "it holds none"
        raise NotInStoreError(f"the database holds no tournament {name}; {there_are}")
    return found


def tournament_by_id(connection: sa.Connection, tournament_id: int) -> Any:
    """The row of a tournament."""
    table = schema.tournaments
    return connection.execute(sa.select(table).where(table.c.id == tournament_id)).one()
