"""The ladder of an open database: its pages, and the past that it goes on from."""

from __future__ import annotations

from itertools import groupby

import sqlalchemy as sa

from polynya_contest.conduct import ConductEntry
from polynya_contest.ratings.pool import Pool
from polynya_store import schema
from polynya_store.database import Database
from polynya_store.ladder import ladder_pages
from polynya_store.ladder.ladder_pages import LadderPage, LadderSearch, LadderState
from polynya_store.matches.ladder_numbers import OF_LADDER
from polynya_store.ratings.current_ratings import in_pool
from polynya_store.visibility import counts


class LadderRepository:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def page(self, pool: Pool, *, page: int = 1, size: int = 50) -> LadderPage:
        """A page of a ladder, from 1, the best first; without lines behind its end."""
        with self._database.reading() as connection:
            return ladder_pages.ladder_page(connection, pool, page=page, size=size)

    def search(
        self,
        pool: Pool,
        *,
        name: str = "",
        state: LadderState | None = None,
        before: str | None = None,
        after: str | None = None,
        size: int = 50,
    ) -> LadderSearch:
        """The lines of a ladder that were asked for, see :func:`~.ladder_pages.ladder_search`."""
        with self._database.reading() as connection:
            return ladder_pages.ladder_search(
                connection, pool, name=name, state=state, before=before, after=after, size=size
            )

    def matches(self, pool: Pool) -> list[tuple[str, ...]]:
        """The bots by seat of all ladder matches that are played as in a pool, in order."""
        table, seats = schema.matches, schema.seats
        question = (
            sa.select(seats.c.match_id, schema.bots.c.name)
            .select_from(table.join(seats).join(schema.bots))
            .where(OF_LADDER, *in_pool(table, pool))
            .order_by(seats.c.match_id, seats.c.seat)
        )
        with self._database.reading() as connection:
            by_match = groupby(connection.execute(question), key=lambda row: row.match_id)
            return [tuple(row.name for row in of_match) for _, of_match in by_match]

    def outcomes(self) -> list[ConductEntry]:
        """Outcomes of ladder matches since the bot was last reinstated, in order of their ends."""
        table, seats, bots = schema.matches, schema.seats, schema.bots
        question = (
            sa.select(
                bots.c.name,
                table.c.name.label("match"),
                counts().label("counts"),
                table.c.reason,
                table.c.finished_ms,
                seats.c.forfeit,
                seats.c.fault,
                seats.c.rank,
            )
            .select_from(table.join(seats).join(bots))
            .where(
                OF_LADDER,
                table.c.reason.is_not(None),
                table.c.finished_ms > sa.func.coalesce(bots.c.resumed_ms, -1),
            )
            .order_by(table.c.finished_ms, table.c.id, seats.c.seat)
        )
        with self._database.reading() as connection:
            return [
                ConductEntry(
                    bot=row.name,
                    fault=row.fault,
                    result=row.rank is not None,
                    finished=row.reason == "finished" and row.forfeit is None,
                    ended_ms=row.finished_ms,
                    match=row.match,
                    annulled=not row.counts,
                )
                for row in connection.execute(question)
            ]
