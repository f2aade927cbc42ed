"""Ratings of an open database: present ones, of versions, and what each match changed."""

from __future__ import annotations

import sqlalchemy as sa

from polynya_contest.ratings.model import BotStrength
from polynya_contest.ratings.pool import Pool, System
from polynya_store import schema
from polynya_store.database import Database
from polynya_store.ratings import (
    applied_ratings,
    current_ratings,
    rating_steps,
    recompute,
)
from polynya_store.ratings.applied_ratings import Rewritten
from polynya_store.ratings.rating_steps import Step
from polynya_store.ratings.recompute import Difference
from polynya_store.rows import RatingRow, VersionRow


class RatingRepository:
    """Each method is one transaction."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def find(
        self,
        *,
        game: str | None = None,
        players: int | None = None,
        clock_class: str | None = None,
        variant: str | None = None,
        system: str | None = None,
    ) -> list[RatingRow]:
        """Present ratings by pool, the highest first; those of the pools that are asked for."""
        with self._database.reading() as connection:
            return current_ratings.ratings(
                connection,
                game=game,
                players=players,
                clock_class=clock_class,
                variant=variant,
                system=system,
            )

    def versions(
        self,
        *,
        game: str | None = None,
        players: int | None = None,
        clock_class: str | None = None,
        bot: str | None = None,
    ) -> list[VersionRow]:
        """Ratings of bots' versions, the oldest of each bot first."""
        with self._database.reading() as connection:
            return current_ratings.version_ratings(
                connection, game=game, players=players, clock_class=clock_class, bot=bot
            )

    def pools(self) -> list[Pool]:
        """The pools that there are ratings for, in order."""
        keys = [schema.ratings.c[key] for key in Pool._fields]
        with self._database.reading() as connection:
            rows = connection.execute(sa.select(*keys).distinct().order_by(*keys))
            return [Pool(*row) for row in rows]

    def largest_pool(
        self,
        game: str,
        players: int,
        system: System,
        clock_class: str | None = None,
        variant: str | None = None,
    ) -> Pool:
        """Of the pools of this kind the one with most bots, where not all of its key is given.

        Without any rating it is an empty one.
        """
        table = schema.ratings.c
        wanted = {"game": game, "players": players, "system": system} | {
            key: value
            for key, value in (("clock_class", clock_class), ("variant", variant))
            if value is not None
        }
        question = (
            sa.select(*(table[key] for key in Pool._fields))
            .where(*(table[key] == value for key, value in wanted.items()))
            .group_by(*(table[key] for key in Pool._fields))
            .order_by(sa.func.count().desc(), table.clock_class, table.variant)
            .limit(1)
        )
        with self._database.reading() as connection:
            found = connection.execute(question).one_or_none()
        empty = Pool(game, players, system, clock_class or "unknown", variant or "")
        return empty if found is None else Pool(*found)

    def state(self) -> tuple[int, int]:
        """Two numbers that change when a match is rated, or ratings are computed again."""
        with self._database.reading() as connection:
            newest = connection.scalar(sa.select(sa.func.max(schema.rating_changes.c.id))) or 0
            return newest, applied_ratings.last_recomputed(connection)

    def strengths(self, pool: Pool) -> dict[str, BotStrength]:
        """The strengths of the bots of a pool, by name."""
        bots = schema.bots.c
        with self._database.reading() as connection:
            names = {row.id: row.name for row in connection.execute(sa.select(bots.id, bots.name))}
            found = applied_ratings.present_ratings(connection, pool, None)
        return {names[bot]: strength for bot, strength in found.items()}

    def steps(self, tournament: str) -> dict[str, tuple[Step, ...]]:
        """The steps of the ratings in each rated match of a tournament, by match and seat."""
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
        """The differences between the recorded ratings and those computed from the results.

        Matches are taken in the order in which they were rated. Those of rated matches come first,
        in this order, then those of present ratings.
        """
        with self._database.reading() as connection:
            return recompute.differences(connection)

    def recompute(self) -> Rewritten:
        """Replace all recorded ratings by computed ones."""
        with self._database.writing() as connection:
            return applied_ratings.recompute(connection)
