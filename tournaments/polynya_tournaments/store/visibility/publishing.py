"""Freeze and reveal in the database: what was submitted, and until when results are hidden."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from polynya_tournaments.store import schema
from polynya_tournaments.store.bots.registered_bots import bot_ids
from polynya_tournaments.store.matches.match_queries import tournament_row


def submissions(connection: sa.Connection, tournament: str) -> dict[str, str | None]:
    """What each bot ran when submissions closed, None for who had not said so yet, by name."""
    table = schema.submissions
    rows = connection.execute(
        sa.select(schema.bots.c.name, table.c.submitted)
        .select_from(table.join(schema.bots))
        .where(table.c.tournament_id == tournament_row(connection, tournament).id)
    )
    return {name: submitted for name, submitted in rows}  # noqa: C416


def submit(connection: sa.Connection, tournament: str, present: Mapping[str, str | None]) -> None:
    """Record what bots run, where nothing is recorded of them yet.

    The first time the others are left out for ever: who has not registered by then is not in.
    """
    table = schema.submissions
    number = tournament_row(connection, tournament).id
    known = submissions(connection, tournament)
    late = {name for name in present if known and name not in known}
    ids = bot_ids(connection, present)
    for name, submitted in present.items():
        if name in late or known.get(name) is not None:
            continue
        statement = insert(table).values(
            tournament_id=number, bot_id=ids[name], submitted=submitted
        )
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["tournament_id", "bot_id"], set_={"submitted": submitted}
            )
        )


def results_from_ms(connection: sa.Connection, tournament: str) -> int | None:
    """From when on results may be told, ms since 1970; None for at once."""
    found: int | None = tournament_row(connection, tournament).results_from_ms
    return found


def set_logs(connection: sa.Connection, tournament: str, folder: str | None) -> None:
    """Keep in mind where the logs of a tournament's bots are; None for beside the database."""
    table = schema.tournaments
    connection.execute(sa.update(table).where(table.c.name == tournament).values(logs=folder))


def logs_of(connection: sa.Connection, bot: str) -> list[str]:
    """The folders of the logs of a bot's tournaments, other than the one beside the database."""
    table, bots, entrants = schema.tournaments, schema.bots, schema.entrants
    rows = connection.scalars(
        sa.select(table.c.logs)
        .distinct()
        .join(entrants, entrants.c.tournament_id == table.c.id)
        .join(bots, bots.c.id == entrants.c.bot_id)
        .where(bots.c.name == bot, table.c.logs.is_not(None))
    )
    return [folder for folder in rows if folder is not None]


def hide_results(connection: sa.Connection, tournament: str, until_ms: int | None) -> None:
    """Tell results from then on; None for at once."""
    table = schema.tournaments
    connection.execute(
        sa.update(table).where(table.c.name == tournament).values(results_from_ms=until_ms)
    )
