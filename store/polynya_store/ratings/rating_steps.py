"""How ratings went in a tournament: each seat's before and after every match that was rated."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from polynya_contest.ratings.book import RatingBook
from polynya_contest.ratings.model import Strength
from polynya_store import schema
from polynya_store.ratings import applied_ratings


@dataclass(frozen=True, slots=True)
class Step:
    """The step of the online rating of one seat's bot in a match.

    Attributes:
        version: that the bot declared, "" for none; each has a strength of its own.
        before, after: the strength of this version.
    """

    version: str
    before: Strength
    after: Strength


def rating_steps(connection: sa.Connection, tournament: str) -> dict[str, tuple[Step, ...]]:
    """By match the steps of its seats; matches that are not rated (yet) are left out.

    They are computed from all rated results, as when they were recorded.
    """
    names = _names(connection, tournament)
    table, steps = RatingBook(), {}
    for result in applied_ratings.each_rated_result(connection):
        changes = table.apply(result)
        if changes and result.match_id in names:
            steps[names[result.match_id]] = tuple(
                Step(version, change.before, change.after)
                for version, change in zip(result.versions, changes, strict=True)
            )
    return steps


def _names(connection: sa.Connection, tournament: str) -> dict[int, str]:
    """The names of a tournament's matches, by id."""
    matches, pairings, tournaments = schema.matches, schema.pairings, schema.tournaments
    rows = connection.execute(
        sa.select(matches.c.id, matches.c.name)
        .select_from(matches.join(pairings).join(tournaments))
        .where(tournaments.c.name == tournament)
    )
    return dict(tuple(row) for row in rows)
