"""The software that each bot of a tournament ran when submissions closed."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa

from polynya_store import schema
from polynya_store.backends.sql import upsert
from polynya_store.bots.registered_bots import bot_ids
from polynya_store.statements import tournament_row


def submissions(connection: sa.Connection, tournament: str) -> dict[str, str | None]:
    """The software of each bot when submissions closed, by name; None if not declared yet."""
    table = schema.submissions
    rows = connection.execute(
        sa.select(schema.bots.c.name, table.c.submitted)
        .select_from(table.join(schema.bots))
        .where(table.c.tournament_id == tournament_row(connection, tournament).id)
    )
    return {name: submitted for name, submitted in rows}  # noqa: C416


def submit(connection: sa.Connection, tournament: str, present: Mapping[str, str | None]) -> None:
    """Record what bots run, where nothing is recorded of them yet.

    The first call leaves the others out for ever: a bot not registered at that moment is not in.
    """
    table = schema.submissions
    number = tournament_row(connection, tournament).id
    known = submissions(connection, tournament)
    late = {name for name in present if known and name not in known}
    ids = bot_ids(connection, present)
    for name, submitted in present.items():
        if name in late or known.get(name) is not None:
            continue
        statement = upsert(table).values(
            tournament_id=number, bot_id=ids[name], submitted=submitted
        )
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["tournament_id", "bot_id"], set_={"submitted": submitted}
            )
        )
