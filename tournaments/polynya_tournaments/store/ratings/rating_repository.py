"""Ratings of an open database: present ones, of versions, and what each match changed."""

from __future__ import annotations

import sqlalchemy as sa

from polynya_tournaments.ratings.book import Pool
from polynya_tournaments.ratings.model import BotStrength
from polynya_tournaments.store import schema
from polynya_tournaments.store.database import Database
from polynya_tournaments.store.ratings import (
    applied_ratings,
    current_ratings,
    rating_steps,
    recompute,
)
from polynya_tournaments.store.ratings.rating_steps import Step
from polynya_tournaments.store.ratings.recompute import Difference
from polynya_tournaments.store.rows import RatingRow, VersionRow


class RatingRepository:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(
        self, *, game: str | None = None, players: int | None = None, system: str | None = None
    ) -> list[RatingRow]:
        """Present ratings by game, number of players and system, the highest first."""
        with self._database.reading() as connection:
            return current_ratings.ratings(connection, game=game, players=players, system=system)

    def versions(
        self,
        *,
        game: str | None = None,
        players: int | None = None,
        system: str | None = None,
        bot: str | None = None,
    ) -> list[VersionRow]:
        """Ratings of bots' versions, the oldest of each bot first."""
        with self._database.reading() as connection:
            return current_ratings.version_ratings(
                connection, game=game, players=players, system=system, bot=bot
            )

    def pools(self) -> list[Pool]:
        """What there are ratings for, by game, number of players and system."""
        table = schema.ratings.c
        keys = (table.game, table.players, table.system)
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(*keys).distinct().order_by(*keys))
            return [Pool(*row) for row in rows]

    def strengths(self, pool: Pool) -> dict[str, BotStrength]:
        """What is known of the bots of a pool, by name."""
        bots = schema.bots.c
        with self._database.reading() as connection:
            names = {row.id: row.name for row in connection.execute(sa.select(bots.id, bots.name))}
            found = applied_ratings.present_ratings(connection, pool, None)
        return {names[bot]: strength for bot, strength in found.items()}

    def steps(self, tournament: str) -> dict[str, tuple[Step, ...]]:
        """What each rated match of a tournament did to the ratings, by match and seat."""
        with self._database.reading() as connection:
            return rating_steps.rating_steps(connection, tournament)

    def changes(self, match: str) -> dict[int, tuple[float, float]]:
        """The ratings before and after a match by seat; empty if it is not rated."""
        changes, matches = schema.rating_changes, schema.matches
        question = (
            sa.select(changes.c.seat, changes.c.before, changes.c.after)
            .select_from(changes.join(matches))
            .where(matches.c.name == match)
        )
        with self._database.reading() as connection:
            rows = connection.execute(question)
            return {row.seat: (row.before, row.after) for row in rows}

    def differences(self) -> list[Difference]:
        """What the recorded ratings and those computed from the results differ in.

        Matches are taken in the order in which they were rated. Those of rated matches come first,
        in this order, then those of present ratings.
        """
        with self._database.reading() as connection:
            return recompute.differences(connection)

    def recompute(self) -> int:
        """Replace all recorded ratings by computed ones; the number of rating changes written."""
        with self._database.writing() as connection:
            return applied_ratings.recompute(connection)
